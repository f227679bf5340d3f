"""Kinds and beds of installed presets, by their URIs."""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.slicing.configs.priming import Excursion
from apps.slicing.configs.slic3r import bounds_of
from apps.slicing.domain.catalogue import Preset, catalogue
from apps.slicing.engines.base import Bed
from core.auth_user import Person
from core.errors import Unavailable
from geometry.bed_shape import is_box, is_convex, largest_box


@dataclass(frozen=True)
class PresetBed:
    """The build volume of a printer's preset, mm.

    size    : of the box around the bed, and the height; of a bed with notches, of the largest
              rectangle on it
    outline : the corners of a bed that is no rectangle, such as a round one, from the corner of
              that box; else empty
    """

    name: str
    size: tuple[float, float, float]
    outline: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class PresetMachine:
    """Name of a printer's preset, and its nozzle, mm."""

    name: str
    nozzle_diameter: float | None


def preset_machine(uri: str) -> PresetMachine | None:
    """Return what a printer preset is for; None where there is no such preset."""
    preset = _preset(uri)
    if preset is None or preset.kind != "printer":
        return None
    return PresetMachine(preset.name, preset.nozzle_diameter)


def preset_exists(*, uri: str, user: Person) -> bool:
    """Return whether `uri` names an installed preset; all users may read all presets."""
    return _preset(uri) is not None


def preset_kind(uri: str) -> str | None:
    """Return printer, print or filament; None where there is no such preset."""
    found = _preset(uri)
    return found.kind if found else None


def preset_bed(uri: str) -> PresetBed | None:
    """Return the build volume of a printer preset; None where there is no such preset."""
    found = _preset(uri)
    if found is None or found.kind != "printer" or not found.facts["bed"]["outline"]:
        return None
    bed = found.facts["bed"]
    outline = [(x, y) for x, y in bed["outline"]]
    is_filled = is_convex(outline) and not is_box(outline)
    left, front, right, back = bounds_of(outline) if is_filled else largest_box(outline)
    size = (right - left, back - front, bed["height"])
    corners = tuple((x - left, y - front) for x, y in outline) if is_filled else ()
    return PresetBed(found.name, size, corners)


def absolute_bed(uri: str) -> Bed | None:
    """The bed of a printer's preset in the printer's own coordinates; None without such a preset.

    A bed of another shape than a rectangle keeps its outline.
    """
    preset = _preset(uri)
    if preset is None or preset.kind != "printer" or not preset.facts["bed"]["outline"]:
        return None
    outline = tuple((x, y) for x, y in preset.facts["bed"]["outline"])
    left, front, right, back = bounds_of(outline)
    odd = () if is_box(outline) else outline
    return Bed(right - left, back - front, preset.facts["bed"]["height"], left, front, odd)


def preset_excursions(uri: str) -> Mapping[str, Excursion]:
    """Return how far a printer's preset goes beside each side of its bed; none without it."""
    preset = _preset(uri)
    return preset.excursions if preset is not None and preset.kind == "printer" else {}


def _preset(uri: str) -> Preset | None:
    try:
        read = catalogue()
    except Unavailable:
        return None
    kinds = ("printer", "print", "filament")
    return next((row for kind in kinds if (row := read.find(uri, kind))), None)
