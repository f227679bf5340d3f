"""What is installed may be used, and handed on in an image, by everybody."""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
RUNS = (ROOT / "requirements.txt").read_text()
NAMES = re.findall(r"^([\w-]+)(?:\[\w+\])?==", RUNS, re.MULTILINE)
# The GPL and its kin, but not the Lesser GPL; and what is not for everybody.
RESTRICTED = r"(?<!Lesser )General Public|(?<!L)GPL|Affero|[Nn]on-?commercial|Proprietary"


def test_no_installed_package_has_a_copyleft_or_restricted_licence():
    bound = {name: words for name in NAMES if re.search(RESTRICTED, words := _licence(name))}

    assert len(NAMES) > 60
    assert bound == {}


def _licence(name: str) -> str:
    """What a package says of its licence, in a line; nothing where it is not installed."""
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return ""
    kinds = [kind for kind in told.get_all("Classifier", []) if kind.startswith("License ::")]
    words = told.get("License-Expression") or (told.get("License") or "").partition("\n")[0]
    return "; ".join([words, *kinds])


def test_licence_file_is_the_complete_apache_2_0_text():
    text = (ROOT / "LICENSE").read_text()

    assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert "9. Accepting Warranty or Additional Liability." in text
    assert "[Apache License 2.0](LICENSE)" in (ROOT / "README.md").read_text()
