"""Facts of a preset for a catalogue: what it is, whether it can be used, and what it is for."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, TypeVar

from apps.slicing.configs import bundles, conditions, slic3r
from apps.slicing.configs.base import Entry
from apps.slicing.configs.bundles import Bundle, InvalidBundle, Settings
from apps.slicing.configs.extruders import OF_EXTRUDER, extruder_count
from apps.slicing.configs.priming import Excursion, excursions, reach_beside_bed
from apps.slicing.configs.slic3r import numbers

NO_RESET = (
    'The installed PrusaSlicer refuses it: with relative extrusion there must be a "G92 E0" in '
    "layer_gcode."
)
RESET = (
    'The installed PrusaSlicer refuses it: with absolute extrusion there must be no "G92 E0" in '
    "layer_gcode."
)
EMITTED = (
    "The installed PrusaSlicer refuses it: machine limits cannot be emitted to gcode for Klipper; "
    "machine_limits_usage must be another one."
)
TEMPERATURES = (
    "first_layer_temperature",
    "temperature",
    "first_layer_bed_temperature",
    "bed_temperature",
)
RESETTING = re.compile(r"\s*G92\s*E\s*(0(\.0*)?|\.0+)\s*(;.*)?", re.IGNORECASE)
# Settings that describe a preset and are not sent to an engine.
ABOUT = (
    "compatible_prints",
    "compatible_printers",
    "default_filament_profile",
    "default_print_profile",
    "printer_model",
    "printer_variant",
    *bundles.CONDITIONS,
)
# Settings that say which other presets it is for.
FITTING = ("compatible_printers", "compatible_prints", *bundles.CONDITIONS)
LIMIT = "machine_max_"
MUCH_REACH = 15.0  # mm beside the bed: lines to clean the nozzle go less far
MAX_PICTURES = 20  # sizes of thumbnails that are shown
QUIET = (*ABOUT, "printer_notes", "filament_notes", "notes", "printer_vendor", "filament_vendor")


@dataclass(frozen=True, eq=False)
class Facts:
    """A preset of a bundle.

    source   : the bundle that it is in
    defaults : every setting that the engine knows, with its default value
    bundle   : the bundle's identity; a preset is identified by it, its kind and its name
    reasons  : why it cannot be used
    notes    : remarks for users
    printer_model, nozzle_diameter (mm) : of a printer; None for other kinds
    layer_height : mm, of a print
    filament_type : of a filament
    facts    : further facts, by the names that the resource has
    wanted   : what it says of other presets
    """

    source: Bundle = field(repr=False)
    defaults: Mapping[str, str] = field(repr=False)
    bundle: str
    kind: str
    name: str
    vendor: str
    version: str
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    printer_model: str | None
    nozzle_diameter: float | None
    layer_height: float | None
    filament_type: str | None
    facts: Mapping[str, Any]
    wanted: Mapping[str, str] = field(repr=False)

    @property
    def usable(self) -> bool:
        return not self.reasons

    @property
    def origin(self) -> str:
        """The program whose preset it is."""
        return self.source.origin

    @property
    def estimate_only(self) -> bool:
        """Whether it is without G-code of its own that starts and ends a print."""
        return self.source.estimate_only

    @property
    def has_start_gcode(self) -> bool | None:
        """Whether the profile of a printer has start G-code of its own; None for other kinds."""
        if self.kind != "printer":
            return None
        return not self.estimate_only or bool(
            self.source.gcode_templates(self.name).gcodes.get("start_gcode")
        )

    @property
    def dropped(self) -> list[str]:
        """The settings of its profile that have no equivalent in PrusaSlicer, by name."""
        return list(self.source.dropped(self.kind, self.name))

    @cached_property
    def asks(self) -> tuple[str, ...]:
        """What it says of the presets that it is for."""
        return tuple(self.wanted.get(key, "") for key in FITTING)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all its settings."""
        settings = sorted(_flat(self.source, self.kind, self.name).items())
        return sha256("".join(f"{key} = {value}\n" for key, value in settings).encode()).hexdigest()

    @cached_property
    def excursions(self) -> Mapping[str, Excursion]:
        """How far beside each side of its bed the start gcode of a printer goes."""
        every = {**self.defaults, **_flat(self.source, self.kind, self.name)}
        return excursions(every.get("start_gcode", ""), slic3r.outline_of(every))

    @cached_property
    def nozzles(self) -> tuple[float, ...]:
        """The nozzle diameter of each extruder of a printer, mm."""
        every = {**self.defaults, **_flat(self.source, self.kind, self.name)}
        return tuple(numbers(every.get("nozzle_diameter", "")) or ())

    @cached_property
    def values(self) -> Mapping[str, conditions.Value]:
        """Those of its settings that conditions refer to."""
        every = {**self.defaults, **_flat(self.source, self.kind, self.name)}
        names = self.source.names_in_conditions.intersection(every)
        found = {name: _value(name, every[name], self.defaults.get(name)) for name in names}
        if self.kind == "printer":
            found |= {"printer_preset": self.name, "num_extruders": float(extruder_count(every))}
        return found

    def values_for(self, extruder: int) -> Mapping[str, conditions.Value]:
        """The values that conditions of a filament in this extruder see.

        Of a printer with several hotends PrusaSlicer puts those of the extruder in the first place.
        """
        if extruder == 1 or self.values.get("single_extruder_multi_material") == 1.0:
            return self.values
        return {
            name: [value[extruder - 1], *value[1:]]  # type: ignore[misc]
            if isinstance(value, list) and extruder <= len(value)
            else value
            for name, value in self.values.items()
        }


Known = TypeVar("Known", bound=Facts)


def facts_of(
    bundle: Bundle,
    kind: str,
    name: str,
    defaults: Mapping[str, str],
    make: Callable[..., Known] = Facts,  # type: ignore[assignment]
) -> Known:
    """Return the facts of a preset.

    defaults : every setting that the engine knows, with its default value
    make     : what they are made into
    """
    values, reasons = {}, []
    try:
        values = bundle.flat(kind, name)
    except InvalidBundle as broken:
        reasons = [broken.title]
    every = {**defaults, **values}
    reasons += _faults(values, defaults)
    if kind == "printer" and values:
        reasons += _refusals(every)
    return make(
        source=bundle,
        defaults=defaults,
        bundle=bundle.identity,
        kind=kind,
        name=name,
        vendor=bundle.vendor,
        version=bundle.version,
        reasons=tuple(reasons),
        notes=(*_notes(values), *bundle.remarks(kind, name), *_estimate_notes(bundle, kind)),
        printer_model=_model(bundle, values) if kind == "printer" else None,
        nozzle_diameter=_first(every.get("nozzle_diameter")) if kind == "printer" else None,
        layer_height=_first(every.get("layer_height")) if kind == "print" else None,
        filament_type=_type(every) if kind == "filament" else None,
        facts=FACTS[kind](every),
        wanted={key: values[key] for key in ABOUT if values.get(key)},
    )


def _flat(bundle: Bundle, kind: str, name: str) -> Settings:
    try:
        return bundle.flat(kind, name)
    except InvalidBundle:
        return {}


def _faults(settings: Settings, defaults: Mapping[str, str]) -> Iterator[str]:
    for key, value in settings.items():
        if titles := _titles(key, value, defaults.get(key)):
            yield from titles


@lru_cache(maxsize=bundles.MAX_LINES)
def _titles(key: str, value: str, default: str | None) -> tuple[str, ...]:
    """Return why a setting cannot be used; most presets of a vendor share most of them."""
    if key in QUIET:
        return ()
    known = {} if default is None else {key: default}
    return tuple(
        fault.title for fault in slic3r.choose([Entry(None, key, value)], known, renamed={}).faults
    )


def _refusals(every: Settings) -> Iterator[str]:
    """Return why the engine refuses a printer of which each setting alone is valid."""
    resets = any(_resets(every.get(key, "")) for key in ("before_layer_gcode", "layer_gcode"))
    if every.get("use_relative_e_distances") == "1":
        if every.get("gcode_flavor") in ("marlin", "marlin2") and not resets:
            yield NO_RESET
    elif resets:
        yield RESET
    emitted = every.get("machine_limits_usage") == "emit_to_gcode"
    if emitted and every.get("gcode_flavor") == "klipper":
        yield EMITTED


@lru_cache(maxsize=1000)
def _resets(code: str) -> bool:
    return any(RESETTING.fullmatch(line) for line in code.split("\\n"))


def _estimate_notes(bundle: Bundle, kind: str) -> Iterator[str]:
    if bundle.estimate_only and kind == "printer":
        yield (
            f"From {bundle.origin}, for estimates: it has no start and end G-code of its own. To "
            "print, confirm both, once you have read them."
        )


def _notes(settings: Settings) -> Iterator[str]:
    """Return what is no fault, but should be known before the first print."""
    if settings.get("machine_limits_usage") == "ignore":
        yield "Times are guessed with usual limits of acceleration: it names none of its own."
    start = settings.get("start_gcode", "")
    if (reach := reach_beside_bed(start, slic3r.outline_of(settings))) > MUCH_REACH:
        yield (
            f"Its start gcode goes {reach:.0f} mm or more beside the bed, where the firmware must "
            "stop it."
        )
    if _checks_firmware(start):
        yield "Its start gcode asks for a firmware's version: an older printer stops and says so."
    for key in bundles.CONDITIONS:
        try:
            conditions.read(settings.get(key) or "true")
        except conditions.InvalidCondition as unread:
            yield f"{key} cannot be read and counts as met, as in PrusaSlicer: {unread}."


@lru_cache(maxsize=1000)
def _checks_firmware(start: str) -> bool:
    return "M115 U" in start.upper() or "M862" in start.upper()


def _model(bundle: Bundle, settings: Settings) -> str:
    """Return the name of a printer's model; `&&` is how a menu's text writes &."""
    identity = settings.get("printer_model", "")
    return bundle.model(identity).replace("&&", "&")


def _type(settings: Settings) -> str | None:
    return settings.get("filament_type", "").partition(";")[0].strip('" ') or None


@lru_cache(maxsize=1000)
def _pictures(thumbnails: str) -> tuple[str, ...]:
    sizes = thumbnails.strip('" ').split(",", MAX_PICTURES)[:MAX_PICTURES]
    return tuple(size.strip() for size in sizes if size.strip())


def _of_printer(settings: Settings) -> dict[str, object]:
    limits = sorted(key for key in settings if key.startswith(LIMIT))
    return {
        "extruders": extruder_count(settings),
        "bed": {
            "outline": _outline(settings.get("bed_shape", "")),
            "height": _first(settings.get("max_print_height")),
        },
        "firmware": settings.get("gcode_flavor"),
        "thumbnails": list(_pictures(settings.get("thumbnails", ""))),
        "limits": {key.removeprefix(LIMIT): _first(settings[key]) for key in limits},
    }


@lru_cache(maxsize=1000)
def _outline(bed_shape: str) -> list[list[float]]:
    """Return the corners of a bed, mm; printers with the same bed share them."""
    return [list(corner) for corner in slic3r.bed_outline(slic3r.whole_corners(bed_shape)) or ()]


def _of_print(settings: Settings) -> dict[str, object]:
    return {
        "supports": settings.get("support_material") == "1",
        "brim": _first(settings.get("brim_width")),
    }


def _of_filament(settings: Settings) -> dict[str, object]:
    return {
        "filament_diameter": _first(settings.get("filament_diameter")),
        "density": _first(settings.get("filament_density")) or None,
        "cost_per_kg": _first(settings.get("filament_cost")) or None,
        "temperatures": {name: _first(settings.get(name)) for name in TEMPERATURES},
    }


FACTS: Mapping[str, Callable[[Settings], dict[str, object]]] = {
    "printer": _of_printer,
    "print": _of_print,
    "filament": _of_filament,
}


@lru_cache(maxsize=bundles.MAX_LINES)
def _first(value: str | None) -> float | None:
    """Return the first number of a setting; None where there is none."""
    found = numbers(slic3r.BEHIND.sub("", value or ""))
    return found[0] if found else None


@lru_cache(maxsize=bundles.MAX_LINES)
def _value(name: str, value: str, default: str | None) -> conditions.Value:
    """Return a setting as conditions see it: a number, a text, or a list of numbers."""
    if name in QUIET or numbers(value if default is None else default) is None:
        return value
    found = numbers(slic3r.BEHIND.sub("", value))
    if not found:
        return value
    return found if name in OF_EXTRUDER or len(found) > 1 else found[0]
