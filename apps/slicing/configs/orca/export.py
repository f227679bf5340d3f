"""Profiles as the command lines of OrcaSlicer and Bambu Studio load them.

`--load-settings` takes a machine and a process profile, `--load-filaments` a filament profile, each
a JSON object with all settings. They are the profiles that presets were translated from, with the
settings in which a config differs from its presets translated back.
"""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from apps.slicing.configs.orca.converters import Source
from apps.slicing.configs.orca.profiles import Kind, Value, Values
from apps.slicing.configs.orca.table import TWINS, Twin
from apps.slicing.configs.orca.translation import first_values
from apps.slicing.configs.orca.vocabulary import FILLS

# Kind -> type in the file, and name of the file.
TYPES: Mapping[Kind, str] = {"printer": "machine", "print": "process", "filament": "filament"}
FILES: Mapping[Kind, str] = {kind: f"{name}.json" for kind, name in TYPES.items()}
# What the platform sets for its own G-code, with no effect on that of the other slicers.
NOT_EXPORTED = frozenset({"support_material_auto", "support_material_enforce_layers"})
_TWINS: Mapping[tuple[Kind, str], Twin] = {
    (twin.kind, twin.to[0]): twin for twin in TWINS if len(twin.to) == 1
}


class ExportedProfiles(NamedTuple):
    """Profiles by the names of their files, and changes that they cannot have, by setting."""

    files: dict[str, str]
    not_exported: tuple[str, ...]


def exported_profiles(
    profiles: Mapping[Kind, tuple[str, Values]], changes: Mapping[str, str]
) -> ExportedProfiles:
    """Return the three profiles of a slice as files.

    profiles : name and all settings of each
    changes  : settings of PrusaSlicer with values other than those of the profiles' translations
    """
    printer = profiles["printer"][0]
    files, left = {}, set(changes) - NOT_EXPORTED
    for kind, (name, values) in profiles.items():
        changed = dict(values)
        source = Source(first_values(kind, values))
        for setting in sorted(left):
            if pair := _translated_back(kind, setting, changes[setting], source):
                key, text = pair
                changed[key] = _like(values.get(key), text, kind)
                left.discard(setting)
        if kind != "printer":
            changed["compatible_printers"] = (printer,)
        about = {"type": TYPES[kind], "name": name, "from": "system", "instantiation": "true"}
        files[FILES[kind]] = json.dumps({**changed, **about}, indent=1)
    return ExportedProfiles(files, tuple(sorted(left)))


def _translated_back(
    kind: Kind, setting: str, value: str, source: Source
) -> tuple[str, str] | None:
    """Return a setting and its value as the other slicers write them; None without a twin."""
    twin = _TWINS.get((kind, setting))
    if twin is None:
        return None
    for text in _spellings(setting, value):
        if twin.convert(text, source) == value:
            return twin.key, text
    return None


def _spellings(setting: str, value: str) -> Iterator[str]:
    if setting.endswith("fill_pattern"):
        yield from (name for name, fill in FILLS.items() if fill == value and " " not in name)
    yield value


def _like(before: Value | None, text: str, kind: Kind) -> Value:
    """A value in the form of the one before: filaments have lists, one value for each variant."""
    if isinstance(before, tuple):
        return (text,) * max(len(before), 1)
    return text if before is not None or kind == "print" else (text,)


def without_skirt(process: str) -> str:
    """Return a process profile that prints no skirt: the plate has no room for one."""
    return json.dumps({**json.loads(process), "skirt_loops": "0"}, indent=1)
