"""Scripts select what templates write: a class that was renamed in one of them is an error."""

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
SCRIPTS = [
    path
    for folder in ("platform/project/static", "apps")
    for path in sorted((ROOT / folder).rglob("*.js"))
    if "vendor" not in path.parts and ".min." not in path.name
]
SELECTION = re.compile(r"""(?:querySelector(?:All)?|closest|matches)\(\s*[`"']([^`"']+)""")
NAMES = re.compile(r"[.#]([a-zA-Z][\w-]*)|\[([\w-]+)")


WRITTEN = {
    # Tags; what is computed in them counts as well.
    "*.html": r"<[a-z][^>]*>",
    "*.py": r".*(?:class|attrs|data-).*",
    "*.js": r"(?:className|classList\.\w+|setAttribute|dataset).*",
}


@pytest.fixture(scope="module")
def written() -> set[str]:
    """Each name in tags of templates, and in lines of code that write elements."""
    names: set[str] = set()
    for pattern, form in WRITTEN.items():
        for folder in ("templates", "apps/console", "platform/project"):
            for path in (ROOT / folder).rglob(pattern):
                for line in re.findall(form, path.read_text()):
                    names |= set(re.findall(r"[\w-]+", line))
    return names


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_script_selects_what_is_written(script, written):
    selections = [re.sub(r"\$\{[^}]*\}", "", one) for one in SELECTION.findall(script.read_text())]

    names = {name for one in selections for pair in NAMES.findall(one) for name in pair if name}

    assert names - written == set()


def test_scripts_are_checked():
    assert {"console.js", "manual.js"} <= {path.name for path in SCRIPTS}
