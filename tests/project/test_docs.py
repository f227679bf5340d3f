"""The documentation names what the code has."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import get_resolver
from django_hosts.resolvers import get_host

from apps.integrations.builtin.job_runner import provider_code

ROOT = Path(settings.BASE_DIR)
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
# The page of each host's paths.
PAGE_OF = {service: f"{service}.md" for service in settings.SERVICES} | {
    "erp": "manufacturing.md",
    "sales": "storefront.md",
    "www": "conventions.md",
}


def source(*folders: str) -> str:
    """All Python below these folders of the repository."""
    return "\n".join(
        path.read_text() for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))
    )


def test_every_environment_variable_is_a_documented_setting():
    read = set(
        re.findall(r'(?:environ\.get|env\.\w+|_list)\(\s*"(\w+)"', source("platform/project"))
    )
    page = (DOCS / "settings.md").read_text()

    assert "PARENT_HOST" in read
    missing = [name for name in sorted(read) if f"`{name}`" not in page]
    assert missing == [], "add a row for each to docs/settings.md"


@pytest.mark.parametrize("host", PAGE_OF)
def test_every_path_of_a_host_is_documented(host):
    page = (DOCS / PAGE_OF[host]).read_text()
    patterns = get_resolver(get_host(host).urlconf).url_patterns
    words = [re.sub(r"<uuid:\w+>", "<uuid>", f"/{pattern.pattern}") for pattern in patterns]
    paths = [re.sub(r"<(?:str|int):(\w+)>", r"<\1>", path) for path in words]
    # Alike on every host, and documented once.
    paths = [path for path in paths if path != "/" and not path.startswith("/docs/")]

    assert paths
    assert "`/docs/`" in (DOCS / "conventions.md").read_text()
    missing = [path for path in paths if f"`{path}`" not in page]
    assert missing == [], f"add a row for each to docs/{PAGE_OF[host]}"


def test_every_console_page_is_documented():
    page = (DOCS / "console.md").read_text()
    patterns = get_resolver("apps.console.urls").url_patterns
    paths = [f"/{pattern.pattern}".replace("<uuid:uuid>", "<uuid>") for pattern in patterns]
    # The pages of all kinds, whose paths are regular expressions.
    paths = [re.sub(r"^/\^\(.*?\)/", "/<kind>/", path).rstrip("$") for path in paths]
    paths = [re.sub(r"\(\?P<uuid>.*?\)/", "<uuid>/", path) for path in paths]

    missing = [path for path in paths if f"`{path}`" not in page]
    assert missing == [], "add a row for each to the table of pages in docs/console.md"


def test_every_error_code_is_documented():
    text = source("apps", "platform")
    codes = set(re.findall(r'^    code = "([\w-]+)"', text, re.MULTILINE))
    codes |= set(re.findall(r'(?:SliceFailed|InvalidMesh|InvalidGcode|entry)\(\s*"([\w-]+)"', text))
    codes |= set(re.findall(r'Refused\(\s*\d+,\s*"([\w-]+)"', text))
    pages = "\n".join(path.read_text() for path in DOCS.glob("*.md"))

    assert {"not-stl", "time-limit", "storage-full", "content-exists"} <= codes
    missing = [code for code in sorted(codes) if f"`{code}`" not in pages]
    assert missing == [], "name each on the page of its service in docs/, then run make error-codes"


def test_every_kernel_error_code_is_documented():
    codes = set(
        re.findall(r'(?:InputError|CannotShape)\(\s*"([\w-]+)"', source("apps", "platform"))
    )
    pages = "\n".join(path.read_text() for path in DOCS.glob("*.md"))

    assert {"not-mendable", "piece-too-large", "does-not-fit"} <= codes
    spelt = {code: (f"`{code}`", f"`{provider_code(code)}`") for code in sorted(codes)}
    missing = [code for code, words in spelt.items() if not any(w in pages for w in words)]
    assert missing == [], "name each on the page of its kernel in docs/, then run make error-codes"


def test_every_direct_dependency_is_explained():
    direct = (ROOT / "requirements.txt").read_text().split("# What these bring along")[0]
    names = re.findall(r"^([\w-]+)", direct, re.MULTILINE)
    page = (DOCS / "dependencies.md").read_text()

    assert "django" in names
    missing = [name for name in names if f"`{name}`" not in page]
    assert missing == [], "add a row for each to docs/dependencies.md, or remove it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_within_the_repository_resolves(page):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())

    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == [], f"correct the links of {page.relative_to(ROOT)}"


def modules() -> set[str]:
    """Dotted names of the modules and packages of the product."""
    files = [*(ROOT / "platform").rglob("*.py"), *(ROOT / "apps").rglob("*.py")]
    paths = [path.relative_to(ROOT).with_suffix("") for path in files]
    names = {".".join(path.parts).removeprefix("platform.") for path in paths}
    return names | {name.removesuffix(".__init__") for name in names}


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=lambda p: p.name
)
def test_every_module_that_a_page_names_exists(page):
    packages = "core|geometry|gcode|machines|pricing|ops|project|files_host|apps"
    named = set(re.findall(rf"`((?:{packages})(?:\.[a-z_]+)+)`", page.read_text()))
    existing = modules()

    missing = [name for name in named if not {name, name.rpartition(".")[0]} & existing]
    assert missing == [], "a module was moved or renamed: name it as it is called now"
