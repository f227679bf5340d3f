"""What the installed PrusaSlicer's vendors ship is taken as a raw config."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.engines import engines

PROFILES = Path("/usr/share/PrusaSlicer/profiles")
SECTION = re.compile(r"\[(printer|print|filament):(.+)\]")

pytestmark = pytest.mark.engine


def presets(bundle: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Each preset of a vendor that a user can choose, with what it inherits."""
    written: dict[tuple[str, str], dict[str, str]] = {}
    current: dict[str, str] | None = None
    for line in bundle.read_text().splitlines():
        if line.startswith("["):
            found = SECTION.fullmatch(line.strip())
            current = written.setdefault((found[1], found[2]), {}) if found else None
        elif current is not None and "=" in line and not line.startswith(("#", ";")):
            key, _, value = line.partition("=")
            current[key.strip()] = value.strip()

    def whole(kind: str, name: str) -> dict[str, str]:
        own = written[kind, name]
        parents = [parent.strip() for parent in own.get("inherits", "").split(";")]
        inherited: dict[str, str] = {}
        for parent in filter(None, parents):
            inherited |= whole(kind, parent)
        return inherited | own

    for kind, name in written:
        if not name.startswith("*"):
            yield f"{bundle.stem} {kind} {name}", whole(kind, name)


def needs_wider_nozzle(name: str, error: str) -> bool:
    """Whether a print preset was refused because the default nozzle is too narrow for it."""
    return " print " in name and "are higher than the nozzle's diameter of 0.4 mm" in error


@pytest.mark.slow
def test_every_preset_of_every_vendor_is_accepted_as_raw_config():
    """Print presets without a printer are for the default nozzle: too narrow for a few."""
    engine = engines(settings.CURA_DEFINITIONS)["slic3r"]
    refused, taken = [], 0

    for bundle in sorted(PROFILES.glob("*.ini")):
        for name, preset in presets(bundle):
            if preset.get("printer_technology", "FFF") != "FFF":
                continue
            try:
                engine.read_raw("".join(f"{key} = {value}\n" for key, value in preset.items()))
                taken += 1
            except RawConfigErrors as error:
                refused.append((name, str(error)))

    assert [pair for pair in refused if not needs_wider_nozzle(*pair)] == []
    assert len(refused) < taken / 10
    assert taken > 1000
