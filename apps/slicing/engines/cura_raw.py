"""Resolves raw Cura configs."""

import re
from collections.abc import Collection, Iterator, Mapping
from math import inf
from typing import Any, NamedTuple

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
FLAVOR = "machine_gcode_flavor"
NOZZLE = "machine_nozzle_size"
UNREAD_FLAVORS = ("BFB", "MACH3")  # their gcode has no lengths of filament on an axis E
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
        plain = {key: cura_settings.to_text(value) for key, value in read.values.items()}
        faults = [
            *_expression_faults(read, known, chosen),
            *_limit_faults(read, known, chosen, plain),
        ]
        raise RawConfigErrors(faults or [base.unreadable(None, str(error))]) from error
    for key in GCODE:
        settings[key] = PLACEHOLDER.sub(
            lambda found: _filled(found, definitions, settings), settings[key]
        )
    faults = list(_value_faults(read, definitions, settings))
    if faults := faults or list(_limit_faults(read, known, chosen, settings)):
        raise RawConfigErrors(faults)
    notes = [
        Note(entry.line, entry.key, f"Not used: {reason}.")
        for entry, reason in read.left_out
        if settings.get(entry.key) != entry.value
    ]
    notes += [
        Note(entry.line, entry.key, f"Used as {key} = {settings[key]}: its name in this version.")
        for entry, key in read.renamed
        if key in read.entries
    ]
    return RawConfig(settings, notes)


class PrintOptions(NamedTuple):
    """What is to be other than a raw config says; None: as it says.

    infill       : per cent
    layer_height : mm
    """

    support: bool | None = None
    infill: float | None = None
    layer_height: float | None = None


def with_options(
    content: str, definitions: Mapping[str, Definition], options: PrintOptions
) -> dict[str, str]:
    """What a raw config says, with other print options. Raises RawConfigErrors."""
    read = cura.read(content, definitions)
    own = {key: cura_settings.to_text(value) for key, value in read.values.items()}
    own |= {key: f"={expression}" for key, expression in read.expressions.items()}
    if options.support is not None:
        own["support_enable"] = cura_settings.to_text(options.support)
    if options.infill is not None:
        own["infill_sparse_density"] = f"{options.infill:.6g}"
    if options.layer_height is not None:
        own["layer_height"] = f"{options.layer_height:.6g}"
    return own


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


def _limit_faults(
    read: cura.Overrides,
    known: Mapping[str, Definition],
    chosen: Mapping[str, Any],
    settings: Mapping[str, str],
) -> Iterator[RawConfigError]:
    """Values outside of what Cura's definitions allow, as Cura itself refuses them.

    settings : of those that have a value, as text

    The engine does not look at limits: it crashes, never ends, or lays down nothing. A slow speed
    is slow, and no fault.
    """
    numeric = [key for key in read.entries if known[key].kind in ("float", "int")]
    numeric = [key for key in numeric if key in settings]
    for key, (lowest, highest) in cura_settings.limits_of(known, chosen, numeric).items():
        value = float(settings[key])
        if value < lowest and not (value > 0 and "speed" in key):
            title = f"{value:.6g} is too small: Cura allows {lowest:.6g} and more."
            yield base.invalid(read.entries[key], title)
        elif value > highest:
            title = f"{value:.6g} is too large: Cura allows up to {highest:.6g}."
            yield base.invalid(read.entries[key], title)


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
    if (flavor := settings[FLAVOR]) in UNREAD_FLAVORS:
        options = definitions[FLAVOR].options
        others = ", ".join(option for option in options if option not in UNREAD_FLAVORS)
        yield base.invalid(entry(FLAVOR), f"gcode of {flavor} is not read here: use {others}.")
    for key in SIDES:
        if not 10 <= float(settings[key]) <= 10_000:
            yield base.invalid(entry(key), "a build volume's sides are 10 to 10,000 mm long.")
    for key in ("layer_height", "layer_height_0"):
        height = float(settings[key])
        build_height, nozzle = float(settings["machine_height"]), float(settings[NOZZLE])
        if key == "layer_height_0" and key not in read.entries:
            nozzle = inf  # Cura's own value, of which a narrow nozzle prints what it can
        yield from base.layer_faults(entry(key), height, build_height, nozzle)
    if sum(len(f"{key}={value}".encode()) + 16 for key, value in settings.items()) > LARGEST:
        yield base.unreadable(None, f"All settings together are larger than {LARGEST:,} bytes.")
