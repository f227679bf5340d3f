"""Works out a raw config of Cura: its expressions, and what follows from what it sets."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from apps.slicing.configs import base, cura
from apps.slicing.configs.base import Entry, Note, RawConfig, RawConfigError, RawConfigErrors
from apps.slicing.engines import cura_settings
from apps.slicing.engines.base import SettingsError
from apps.slicing.engines.cura_settings import Definition

WORD = re.compile(r"[a-z_0-9]+")
GCODE = (
    "machine_start_gcode",
    "machine_end_gcode",
    "machine_extruder_start_code",
    "machine_extruder_end_code",
)
# Cura itself puts values into gcode, {material_print_temperature, 0}; its engine does not.
PLACEHOLDER = re.compile(r"\{([a-z_0-9]+)(?:, *\w+)?\}")
PLAIN = ("float", "int", "bool", "enum")
SIDES = ("machine_width", "machine_depth", "machine_height")
LARGEST = 400_000  # bytes of all settings: the engine is given them as its arguments


def work_out(
    content: str, definitions: Mapping[str, Definition], own: Mapping[str, Any]
) -> RawConfig:
    """All settings that the engine is given for a raw config.

    own : what is set where neither the config nor anything that depends on it says otherwise

    Raises RawConfigErrors.
    """
    read = cura.read(content, definitions)
    followers = _followers(definitions, read.entries)
    chosen = {key: value for key, value in own.items() if key not in followers} | read.values
    known = dict(definitions)
    for key, expression in read.expressions.items():
        known[key] = definitions[key]._replace(expression=expression)
        chosen.pop(key, None)
    try:
        settings = cura_settings.resolve(known, chosen)
    except SettingsError as error:
        faults = _expression_faults(read, known, chosen)
        raise RawConfigErrors(faults or [base.unreadable(None, str(error))]) from error
    for key in GCODE:
        settings[key] = PLACEHOLDER.sub(
            lambda found: _filled(found, definitions, settings), settings[key]
        )
    if faults := list(_value_faults(read, definitions, settings)):
        raise RawConfigErrors(faults)
    notes = [
        Note(entry.line, entry.key, f"Not used: {reason}.")
        for entry, reason in read.left_out
        if settings.get(entry.key) != entry.value
    ]
    return RawConfig(settings, notes)


def _followers(definitions: Mapping[str, Definition], changed: Collection[str]) -> set[str]:
    """The settings whose expressions lead to one that is changed, however far."""
    mentioned = {
        key: set(WORD.findall(definition.expression))
        for key, definition in definitions.items()
        if definition.expression
    }
    reached: set[str] = set()
    found = set(changed)
    while found:
        reached |= found
        found = {key for key, words in mentioned.items() if key not in reached and words & found}
    return reached


def _filled(found: re.Match, definitions: Mapping[str, Definition], settings: Mapping) -> str:
    definition = definitions.get(found[1])
    return settings[found[1]] if definition and definition.kind in PLAIN else found[0]


def _expression_faults(
    read: cura.Overrides, known: Mapping[str, Definition], chosen: Mapping[str, Any]
) -> list[RawConfigError]:
    faults = []
    for key in read.expressions:
        try:
            cura_settings.evaluate(known, chosen, key)
        except SettingsError as error:
            faults.append(base.invalid(read.entries[key], str(error)))
    return faults


def _value_faults(
    read: cura.Overrides, definitions: Mapping[str, Definition], settings: Mapping[str, str]
) -> Iterator[RawConfigError]:
    def entry(key: str) -> Entry:
        return read.entries.get(key, Entry(None, key, settings[key]))

    for key, definition in definitions.items():
        if key in read.expressions or key in GCODE or definition.kind in ("float", "int"):
            try:
                cura.parse(settings[key], definition)
            except ValueError as error:
                yield base.invalid(entry(key), str(error))
                return  # the rest would only be what follows from it
    for key in SIDES:
        if not 10 <= float(settings[key]) <= 10_000:
            yield base.invalid(entry(key), "a build volume's sides are 10 to 10,000 mm long.")
    for key in ("layer_height", "layer_height_0"):
        height = float(settings[key])
        yield from base.layer_faults(entry(key), height, float(settings["machine_height"]))
    if sum(len(f"{key}={value}".encode()) + 16 for key, value in settings.items()) > LARGEST:
        yield base.unreadable(None, f"All settings together are larger than {LARGEST:,} bytes.")
