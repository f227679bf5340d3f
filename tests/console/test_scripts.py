"""What browsers load beside a page: what is not ours is told, and none of it is too much."""

import gzip
import hashlib
import json
import re
from pathlib import Path

from django.conf import settings

SCRIPTS = Path(settings.BASE_DIR) / "apps" / "console" / "static" / "console"
VENDOR = SCRIPTS / "vendor"
TEMPLATES = Path(settings.BASE_DIR) / "templates" / "console"
# Bytes after compression: of any page, and of one with a viewer that is open.
PAGE, VIEWER, STYLES = 25_000, 175_000, 95_000
TITLES = {"OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1"}


def size(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))


def test_vendored_scripts_have_version_licence_and_hash():
    lines = json.loads((VENDOR / "VENDOR.json").read_text())

    for line in lines:
        assert hashlib.sha256((VENDOR / line["file"]).read_bytes()).hexdigest() == line["sha256"]
        # The sprite changes with the icons that pages use, too.
        assert line["version"] in line["file"] or line["file"] == "icons.svg"
        text = (VENDOR / line["licence_file"]).read_text()
        assert TITLES.get(line["licence"], line["licence"]) in text
    known = {name for line in lines for name in (line["file"], line["licence_file"])}
    assert {path.name for path in VENDOR.iterdir()} == known | {"VENDOR.json"}


def test_scripts_stay_within_their_size_limits():
    own = [size(path) for path in SCRIPTS.glob("*.js")]

    assert len(own) > 5
    assert sum(own) <= PAGE
    assert sum(map(size, SCRIPTS.rglob("*.js"))) <= VIEWER


def test_style_sheets_stay_within_their_size_limit():
    assert sum(map(size, SCRIPTS.rglob("*.css"))) <= STYLES


def test_every_icon_of_a_page_is_in_the_sprite():
    drawn = re.compile(r"""(?:\{% icon |\bicon=)["']([a-z0-9-]+)["']""")
    console = Path(settings.BASE_DIR) / "apps" / "console"
    places = [*TEMPLATES.parent.rglob("*.html"), *console.rglob("*.py")]
    used = {name for path in places for name in drawn.findall(path.read_text())}

    in_sprite = set(re.findall('<symbol id="([^"]+)"', (VENDOR / "icons.svg").read_text()))

    assert len(used) > 30
    assert used == in_sprite


def test_pages_and_scripts_reference_no_other_site():
    addresses = re.compile(r"""(?:https?:)?//(?:cdn|[\w-]+\.[a-z]{2,})[^\s"']*""")
    pages = [*TEMPLATES.rglob("*.html"), *SCRIPTS.glob("*.js"), *SCRIPTS.glob("*.css")]

    found = {path.name: addresses.findall(path.read_text()) for path in pages}

    assert len(found) > 30
    assert {name: sites for name, sites in found.items() if sites} == {}


def test_scripts_do_not_evaluate_strings_as_code():
    for path in SCRIPTS.rglob("*.js"):
        assert re.findall(r"\beval\(|\bnew Function\b", path.read_text()) == [], path
