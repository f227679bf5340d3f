"""What presets say: facts for a catalogue, what fits what, and a triple as one config."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from apps.slicing.configs import bundles, conditions, slic3r
from apps.slicing.configs.base import Entry, Note, RawConfig, RawConfigErrors
from apps.slicing.configs.bundles import Bundle, InvalidBundle, Settings
from apps.slicing.configs.slic3r import numbers

SAME_HEIGHT = 1e-6  # mm
SEVERAL = (
    "It has several extruders, and presets are offered for one: slice with a raw config exported "
    "from PrusaSlicer."
)
NO_RESET = (
    'The installed PrusaSlicer refuses it: with relative extrusion there must be a "G92 E0" in '
    "layer_gcode."
)
RESET = (
    'The installed PrusaSlicer refuses it: with absolute extrusion there must be no "G92 E0" in '
    "layer_gcode."
)
TEMPERATURES = (
    "first_layer_temperature",
    "temperature",
    "first_layer_bed_temperature",
    "bed_temperature",
)
RESETTING = re.compile(r"\s*G92\s*E\s*(0(\.0*)?|\.0+)\s*(;.*)?", re.IGNORECASE)
# What says something about presets, and is nothing that an engine is told.
ABOUT = (
    "compatible_prints",
    "compatible_printers",
    "default_filament_profile",
    "default_print_profile",
    "printer_model",
    "printer_variant",
    *bundles.CONDITIONS,
)
# What says which others it is for.
FITTING = ("compatible_printers", "compatible_prints", *bundles.CONDITIONS)
LIMIT = "machine_max_"
MOST_PICTURES = 20  # sizes of thumbnails that are told
QUIET = (*ABOUT, "printer_notes", "filament_notes", "notes", "printer_vendor", "filament_vendor")


@dataclass(frozen=True)
class Facts:
    """A preset of a bundle.

    bundle   : the file that it is of; with kind and name what it is known by
    digest   : SHA-256 of all that it says
    reasons  : why it cannot be used
    notes    : what should be known of it
    printer_model, nozzle_diameter (mm) : of a printer; None for other kinds
    layer_height : mm, of a print
    filament_type : of a filament
    facts    : what else it says, by the names that the resource has
    settings : what conditions of other presets ask about
    wanted   : what it says of other presets
    """

    bundle: str
    kind: str
    name: str
    vendor: str
    version: str
    digest: str
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    printer_model: str | None
    nozzle_diameter: float | None
    layer_height: float | None
    filament_type: str | None
    facts: Mapping[str, Any]
    settings: Mapping[str, conditions.Value] = field(repr=False)
    wanted: Mapping[str, str] = field(repr=False)

    @property
    def usable(self) -> bool:
        return not self.reasons

    @property
    def asks(self) -> tuple[str, ...]:
        """What it says of the presets that it is for."""
        return tuple(self.wanted.get(key, "") for key in FITTING)


Known = TypeVar("Known", bound=Facts)


class Triple(NamedTuple):
    """What is sliced with: all that each of the three presets says."""

    printer: Settings
    print: Settings
    filament: Settings


def facts_of(bundle: Bundle, kind: str, name: str, defaults: Mapping[str, str]) -> Facts:
    """What a catalogue keeps of a preset.

    defaults : every setting that the engine knows, with the value it has by itself
    """
    told, reasons = {}, []
    try:
        told = bundle.flat(kind, name)
    except InvalidBundle as broken:
        if broken.code == "limit-exceeded":
            raise
        reasons = [broken.title]
    every = {**defaults, **told}
    reasons += _faults(told, defaults)
    if kind == "printer" and told:
        reasons += _refusals(every)
    text = "".join(f"{key} = {value}\n" for key, value in sorted(told.items()))
    return Facts(
        bundle=bundle.identity,
        kind=kind,
        name=name,
        vendor=bundle.vendor,
        version=bundle.version,
        digest=sha256(text.encode()).hexdigest(),
        reasons=tuple(reasons),
        notes=tuple(_notes(told)),
        printer_model=_model(bundle, told) if kind == "printer" else None,
        nozzle_diameter=_first(every.get("nozzle_diameter")) if kind == "printer" else None,
        layer_height=_first(every.get("layer_height")) if kind == "print" else None,
        filament_type=_type(every) if kind == "filament" else None,
        facts=FACTS[kind](every),
        settings=_values(kind, name, every, bundle.asked) if kind != "filament" else {},
        wanted={key: told[key] for key in ABOUT if told.get(key)},
    )


def fits(preset: Facts, *, printer: Facts | None, print_: Facts | None) -> bool:
    """Whether a print or a filament is for a printer, and a filament for a print; those given.

    Raises InvalidCondition where a condition cannot be read: PrusaSlicer takes that for yes.
    """
    for key, other in (("compatible_printers", printer), ("compatible_prints", print_)):
        if other is None:
            continue
        if names := preset.wanted.get(key):
            if other.name not in _names(names):
                return False
        elif condition := preset.wanted.get(f"{key}_condition"):
            if not conditions.read(condition)(other.settings):
                return False
    return True


def nearest_print(prints: Iterable[Known], printer: Facts) -> Known | None:
    """The print that a printer names as its own; else of the layer nearest to half the nozzle."""
    found = sorted(prints, key=lambda one: one.name)
    height = (printer.nozzle_diameter or 0.4) / 2
    named = printer.wanted.get("default_print_profile", "").strip('"')
    return min(
        found,
        key=lambda one: (one.name != named, abs((one.layer_height or 9.0) - height)),
        default=None,
    )


def plainest_filament(filaments: Iterable[Known], printer: Facts) -> Known | None:
    """The filament that a printer names as its own; else a generic one of PLA, else any."""
    named = _names(printer.wanted.get("default_filament_profile", ""))
    return min(
        filaments,
        key=lambda one: (
            one.name not in named,
            one.filament_type != "PLA",
            "generic" not in one.name.casefold(),
            one.name,
        ),
        default=None,
    )


def flattened(triple: Triple, defaults: Mapping[str, str]) -> RawConfig:
    """One config of three presets, on the engine's own defaults; it names every setting.

    PrusaSlicer's window turns a first layer in percent into millimetres, and its command line
    refuses it: so it is done here. What an older version called otherwise is left out, as the
    engine itself does. Raises RawConfigErrors.
    """
    told = {**triple.print, **triple.filament, **triple.printer}
    entries = [Entry(None, key, value) for key, value in told.items() if key not in QUIET]
    chosen = slic3r.choose(entries, defaults, renamed={})
    settings = {key: value for key, value in defaults.items() if slic3r.is_sent(key)}
    settings |= {key: entry.value for key, entry in chosen.entries.items()}
    faults = list(chosen.faults)
    if not faults:
        resolve_first_layer(settings)
        if settings.get("complete_objects") == "1":
            settings["complete_objects"] = "0"
            title = "Set to 0: objects are printed together, not one after the other."
            chosen.notes.append(Note(None, "complete_objects", title))
        faults += slic3r.layer_faults(chosen.entries, settings)
    if faults:
        raise RawConfigErrors(faults)
    return RawConfig(dict(sorted(settings.items())), chosen.notes)


def resolve_first_layer(settings: Settings) -> None:
    """Have the first layer's height in mm, where it is a share of the others'."""
    first = settings.get("first_layer_height", "")
    if first.endswith("%"):
        share, height = numbers(first), numbers(settings["layer_height"])
        if share and height:
            settings["first_layer_height"] = f"{share[0] / 100 * height[0]:.6g}"


def _faults(told: Settings, defaults: Mapping[str, str]) -> Iterator[str]:
    for key, value in told.items():
        if key not in QUIET:
            yield from _titles(key, value, defaults.get(key))


@lru_cache(maxsize=bundles.MOST_LINES)
def _titles(key: str, value: str, default: str | None) -> tuple[str, ...]:
    """Why a setting cannot be used; most presets of a vendor share most of them."""
    known = {} if default is None else {key: default}
    return tuple(
        fault.title for fault in slic3r.choose([Entry(None, key, value)], known, renamed={}).faults
    )


def _refusals(every: Settings) -> Iterator[str]:
    """Why a printer cannot be used, although nothing of it is wrong."""
    if len(numbers(every.get("nozzle_diameter", "")) or [0]) > 1:
        yield SEVERAL
    resets = any(_resets(every.get(key, "")) for key in ("before_layer_gcode", "layer_gcode"))
    if every.get("use_relative_e_distances") == "1":
        if every.get("gcode_flavor") in ("marlin", "marlin2") and not resets:
            yield NO_RESET
    elif resets:
        yield RESET


@lru_cache(maxsize=1000)
def _resets(code: str) -> bool:
    return any(RESETTING.fullmatch(line) for line in code.split("\\n"))


def _notes(told: Settings) -> Iterator[str]:
    """What no fault is, and should be known before the first print."""
    if told.get("machine_limits_usage") == "ignore":
        yield "Times are guessed with usual limits of acceleration: it names none of its own."
    start = told.get("start_gcode", "").upper()
    if "M115 U" in start or "M862" in start:
        yield "Its start gcode asks for a firmware's version: an older printer stops and says so."
    for key in bundles.CONDITIONS:
        try:
            conditions.read(told.get(key) or "true")
        except conditions.InvalidCondition as unread:
            yield f"{key} cannot be read, so that it fits nothing: {unread}."


def _model(bundle: Bundle, told: Settings) -> str:
    """A printer's model as people know it; `&&` is how a menu's text writes &."""
    identity = told.get("printer_model", "")
    return bundle.model(identity).replace("&&", "&")


def _type(told: Settings) -> str | None:
    return told.get("filament_type", "").split(";")[0].strip('" ') or None


def _of_printer(told: Settings) -> dict[str, Any]:
    pictures = told.get("thumbnails", "").strip('" ').split(",", MOST_PICTURES)[:MOST_PICTURES]
    limits = sorted(key for key in told if key.startswith(LIMIT))
    return {
        "extruders": len(numbers(told.get("nozzle_diameter", "")) or []),
        "bed": {
            "outline": _outline(told.get("bed_shape", "")),
            "height": _first(told.get("max_print_height")),
        },
        "firmware": told.get("gcode_flavor"),
        "thumbnails": [size.strip() for size in pictures if size.strip()],
        "limits": {key.removeprefix(LIMIT): _first(told[key]) for key in limits},
    }


@lru_cache(maxsize=1000)
def _outline(bed_shape: str) -> list[list[float]]:
    """The corners of a bed, mm; printers of one bed share them."""
    return [list(corner) for corner in slic3r.bed_outline(bed_shape) or ()]


def _of_print(told: Settings) -> dict[str, Any]:
    return {
        "supports": told.get("support_material") == "1",
        "brim": _first(told.get("brim_width")),
    }


def _of_filament(told: Settings) -> dict[str, Any]:
    return {
        "filament_diameter": _first(told.get("filament_diameter")),
        "density": _first(told.get("filament_density")) or None,
        "cost_per_kg": _first(told.get("filament_cost")) or None,
        "temperatures": {name: _first(told.get(name)) for name in TEMPERATURES},
    }


FACTS: Mapping[str, Callable[[Settings], dict[str, Any]]] = {
    "printer": _of_printer,
    "print": _of_print,
    "filament": _of_filament,
}


@lru_cache(maxsize=bundles.MOST_LINES)
def _first(value: str | None) -> float | None:
    """The first number of a setting; None where there is none."""
    found = numbers(slic3r.BEHIND.sub("", value or ""))
    return found[0] if found else None


def _values(
    kind: str, name: str, told: Settings, asked: frozenset[str]
) -> dict[str, conditions.Value]:
    """Those settings that conditions ask about, as they see them."""
    found = {key: _value(key, told[key]) for key in asked.intersection(told)}
    if kind == "printer":
        nozzles = numbers(told.get("nozzle_diameter", "")) or []
        found |= {"printer_preset": name, "num_extruders": float(len(nozzles))}
    return found


@lru_cache(maxsize=bundles.MOST_LINES)
def _value(key: str, value: str) -> conditions.Value:
    if key.startswith(("nozzle_", "retract_", "extruder_")):
        found = numbers(value)
        return list(found) if found else value
    if value in ("0", "1") and key not in ("layer_height", "first_layer_height"):
        return value == "1"
    found = numbers(value)
    return found[0] if found and len(found) == 1 and not value.endswith("%") else value


@lru_cache(maxsize=1000)
def _names(listed: str) -> frozenset[str]:
    """The names of a list such as "A";"B"."""
    return frozenset(name.strip().strip('"') for name in listed.split(";") if name.strip())
