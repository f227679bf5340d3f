"""Presets: catalogue facts, compatibility, merging printer, print and filament."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from apps.slicing.configs import conditions, slic3r
from apps.slicing.configs.base import SAME_HEIGHT, Entry, Note, RawConfig, RawConfigErrors
from apps.slicing.configs.bundles import Settings
from apps.slicing.configs.capabilities import Capabilities
from apps.slicing.configs.facts import QUIET, Facts, Known
from apps.slicing.configs.slic3r import numbers


class Triple(NamedTuple):
    """What is sliced with: all that each of the three presets says."""

    printer: Settings
    print: Settings
    filament: Settings


def fits(preset: Facts, *, printer: Facts | None, print_: Facts | None, extruder: int = 1) -> bool:
    """Return whether a print or a filament is for a printer, and a filament for a print.

    A print whose layers are higher than every nozzle's diameter is for no such printer.

    A list of names counts more than a condition. A condition that cannot be evaluated counts as
    met, as in PrusaSlicer.

    printer, print_ : None where it does not matter
    extruder        : of the printer, in which the filament is; 1 for the first
    """
    if printer and (preset.layer_height or 0.0) > max(printer.nozzles, default=inf) + SAME_HEIGHT:
        return False
    for key, other in (("compatible_printers", printer), ("compatible_prints", print_)):
        if other is None:
            continue
        if names := _names(preset.wanted.get(key, "")):
            if other.name not in names:
                return False
        elif condition := preset.wanted.get(f"{key}_condition"):
            values = other.values_for(extruder) if other is printer else other.values
            try:
                if not conditions.read(condition)(values):
                    return False
            except conditions.InvalidCondition:
                continue
    return True


def nearest_print(prints: Iterable[Known], printer: Facts) -> Known | None:
    """Return the print that a printer names; else the one of layers nearest to half the nozzle."""
    found = sorted(prints, key=lambda one: one.name)
    height = (printer.nozzle_diameter or 0.4) / 2
    named = printer.wanted.get("default_print_profile", "").strip('"')
    return min(
        found,
        key=lambda one: (one.name != named, abs((one.layer_height or 9.0) - height)),
        default=None,
    )


def plainest_filament(filaments: Iterable[Known], printer: Facts) -> Known | None:
    """Return the filament that a printer names; else a generic one of PLA, else any.

    Those of the printer's own vendor come before templates.
    """
    named = _names(printer.wanted.get("default_filament_profile", ""))
    return min(
        filaments,
        key=lambda one: (
            one.name not in named,
            one.bundle != printer.bundle,
            one.filament_type != "PLA",
            "generic" not in one.name.casefold(),
            one.name,
        ),
        default=None,
    )


def flattened(
    triple: Triple,
    known: Capabilities,
    *,
    renamed: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> RawConfig:
    """Return one config of three presets, on the engine's own defaults; it names every setting.

    known   : the installed engine
    renamed : settings that another version names otherwise -> names in the installed one; others
              are left out, as the engine itself does

    Settings with a value for each extruder are as the presets have them: see `for_extruder`.
    Raises RawConfigErrors.
    """
    settings = {**triple.printer, **triple.print, **triple.filament}
    entries = [Entry(None, key, value) for key, value in settings.items() if key not in QUIET]
    defaults = known.defaults
    chosen = slic3r.choose(entries, defaults, renamed=renamed, known=known)
    settings = {key: value for key, value in defaults.items() if slic3r.is_sent(key)}
    settings |= {key: entry.value for key, entry in chosen.entries.items()}
    faults = list(chosen.faults)
    if not faults:
        normalize(settings)
        if settings.get("complete_objects") == "1":
            settings["complete_objects"] = "0"
            title = "Set to 0: objects are printed together, not one after the other."
            chosen.notes.append(Note(None, "complete_objects", title))
        faults += slic3r.layer_faults(chosen.entries, settings)
    if faults:
        raise RawConfigErrors(faults)
    return RawConfig(dict(sorted(settings.items())), chosen.notes)


def normalize(settings: Settings) -> None:
    """Change what PrusaSlicer's window changes in presets that it loads.

    Its command line does not: see `Preset::normalize` in libslic3r/Preset.cpp.
    """
    first = settings.get("first_layer_height", "")
    if first.endswith("%"):
        share, height = numbers(first), numbers(settings["layer_height"])
        if share and height:
            settings["first_layer_height"] = f"{share[0] / 100 * height[0]:.6g}"
    gap_speed = numbers(settings.get("gap_fill_speed", ""))
    if gap_speed and gap_speed[0] <= 0 and "gap_fill_enabled" in settings:
        settings["gap_fill_enabled"] = "0"


@lru_cache(maxsize=1000)
def _names(listed: str) -> frozenset[str]:
    """Return the names of a list such as "A";"B"."""
    names = (name.strip().strip('"') for name in listed.split(";"))
    return frozenset(filter(None, names))
