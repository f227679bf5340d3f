"""Licences: of the platform, and of the packages that it may be distributed with."""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
RUNS = (ROOT / "requirements.txt").read_text()
NAMES = re.findall(r"^([\w-]+)(?:\[\w+\])?==", RUNS, re.MULTILINE)
# The GPL and its kin, but not the Lesser GPL; and what is not for everybody.
RESTRICTED = r"(?<!Lesser )General Public|(?<!L)GPL|Affero|[Nn]on-?commercial|Proprietary"


# Under one of several licences, as one likes: pyphen is under the LGPL and the MPL, too.
ALTERNATIVES = {"pyphen"}


def test_no_installed_package_has_a_copyleft_or_restricted_licence():
    names = [name for name in NAMES if name not in ALTERNATIVES]
    bound = {name: words for name in names if re.search(RESTRICTED, words := _licence(name))}

    assert len(NAMES) > 60
    assert bound == {}, "replace these packages of requirements.txt"


def _licence(name: str) -> str:
    """Return a package's declared licence as one line; nothing where it is not installed."""
    try:
        fields = metadata(name)
    except PackageNotFoundError:
        return ""
    kinds = [kind for kind in fields.get_all("Classifier", []) if kind.startswith("License ::")]
    words = fields.get("License-Expression") or (fields.get("License") or "").partition("\n")[0]
    return "; ".join([words, *kinds])


def test_licence_file_is_the_complete_apache_2_0_text():
    text = (ROOT / "LICENSE").read_text()

    assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"], "restore LICENSE"
    assert "9. Accepting Warranty or Additional Liability." in text
    readme = (ROOT / "README.md").read_text()
    assert "[Apache License 2.0](LICENSE)" in readme, "link LICENSE in README.md"
