"""Plates with several objects: arrangement checks, files of meshes, per-object figures."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from apps.slicing.engines.base import Bed, ObjectUse, PlateObject, SliceFailed
from apps.slicing.engines.bed_placement import COMPLETE, TOLERANCE
from gcode import SHARED, Figures, Labelled, MachineLimits, ObjectFigures, object_figures
from geometry import bed_shape
from geometry.convex_hull import hull
from geometry.formats.stl import read_triangles, write_binary
from geometry.formats.threemf import writer as threemf_writer
from geometry.formats.threemf.writer import Item, PackageObject
from geometry.mesh.half_edges import has_three_corners
from geometry.mesh.welding import weld

MAX_NAMED = 20  # objects that a refusal tells of
STL = ".stl"
MODEL_CONFIG = "Metadata/Slic3r_PE_model.config"
FLOATING = 0.05  # mm above the bed, beyond which an object does not stand on it
EDGE = 0.05  # mm, within which an object touches the edge of a bed
SUPPORT_REACH = 5.0  # mm that supports go beyond an object
# How firmware of each flavour of G-code skips an object: flavours of PrusaSlicer and of Cura.
FIRMWARE = {
    "marlin": "marlin",
    "marlin2": "marlin",
    "reprap": "marlin",
    "repetier": "marlin",
    "reprapfirmware": "reprapfirmware",
    "klipper": "klipper",
    "RepRap (Marlin/Sprinter)": "marlin",
    "RepRap (Volumetric)": "marlin",
    "RepRap (RepRap)": "reprapfirmware",
    "Repetier": "marlin",
}


class Standing(NamedTuple):
    """An object as it stands: (2, 3) mm of its box, (k, 2) mm of its hull seen from above.

    settings : that it has for itself
    """

    name: str
    box: NDArray[np.float64]
    hull: NDArray[np.float64]
    settings: Mapping[str, str] = MappingProxyType({})


def firmware_of(settings: Mapping[str, str], wished: str | None) -> str:
    """Whose labels objects get: marlin, reprapfirmware, klipper or none.

    wished : these; None: those of the flavour of the G-code
    """
    flavour = settings.get("gcode_flavor") or settings.get("machine_gcode_flavor", "")
    return wished or FIRMWARE.get(flavour, "none")


def write_plate(
    objects: Sequence[PlateObject],
    to: Path,
    scene: list[NDArray[np.float32]] | None = None,
) -> list[Standing]:
    """Write a 3MF with an object of its own mesh for each; return how each stands.

    PrusaSlicer names what it prints by the object that holds the mesh: a mesh that two share
    gives both one name.

    scene : takes the triangles of each, (n, 3, 3) mm, where they are to be drawn
    """
    found: list[Standing] = []
    items = [Item(number, np.eye(4), one.name) for number, one in enumerate(objects, start=1)]
    counts: list[int] = []
    own = _model_configs(objects, counts) if any(one.settings for one in objects) else ()
    threemf_writer.write_package(to, _solids(objects, found, counts, scene), items, files=own)
    return found


def write_meshes(
    objects: Sequence[PlateObject],
    folder: Path,
    *,
    origin: tuple[float, float],
    scene: list[NDArray[np.float32]] | None = None,
) -> list[Standing]:
    """Write an STL file for each object, NAME.stl; return how each stands on the bed.

    origin : of the coordinates in the files, mm on the bed
    scene  : as in `write_plate`
    """
    standing: list[Standing] = []
    shift = np.array([*origin, 0.0], np.float32)
    for solid in _solids(objects, standing, [], scene):
        write_binary(solid.vertices[solid.faces] - shift, folder / f"{solid.name}{STL}")
    return standing


def _model_configs(
    objects: Sequence[PlateObject], counts: Sequence[int]
) -> Iterator[tuple[str, str]]:
    """The settings of single objects, as a file of PrusaSlicer's projects.

    counts : of the triangles of each, which the file has to name
    """

    def entry(kind: str, key: str, value: str) -> str:
        return f'<metadata type="{kind}" key={quoteattr(key)} value={quoteattr(value)}/>'

    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<config>"]
    for number, (one, count) in enumerate(zip(objects, counts, strict=True), start=1):
        values = {"name": one.name, **one.settings}
        lines += [
            f'<object id="{number}" instances_count="1">',
            *(entry("object", key, value) for key, value in values.items()),
            f'<volume firstid="0" lastid="{count - 1}">',
            entry("volume", "name", one.name),
            entry("volume", "volume_type", "ModelPart"),
            "</volume>",
            "</object>",
        ]
    yield MODEL_CONFIG, "\n".join([*lines, "</config>", ""])


def _solids(
    objects: Sequence[PlateObject],
    found: list[Standing],
    counts: list[int],
    scene: list[NDArray[np.float32]] | None,
) -> Iterator[PackageObject]:
    known: dict[Path, tuple[NDArray, NDArray]] = {}
    for number, one in enumerate(objects, start=1):
        if one.stl not in known:
            vertices, faces = weld(read_triangles(one.stl))
            known[one.stl] = vertices.astype(np.float64), faces[has_three_corners(faces)]
        vertices, faces = known[one.stl]
        rotation, shift = one.transform[:3, :3], one.transform[:3, 3]
        moved = (np.einsum("ij,nj->ni", rotation, vertices) + shift).astype(np.float32)
        box = np.array([moved.min(axis=0), moved.max(axis=0)], np.float64)
        found.append(Standing(one.name, box, hull(moved[:, :2]), one.settings))
        counts.append(len(faces))
        if scene is not None:
            scene.append(moved[faces])
        yield PackageObject(number, one.name, moved, faces)


def check_places(
    standing: Sequence[Standing], bed: Bed, reaches: Sequence[float], *, may_meet: bool = False
) -> None:
    """Raise SliceFailed where the engine, which says nothing, would print nonsense.

    reaches  : mm that what is printed around each object goes beyond it
    may_meet : whether the engine joins what is printed around neighbours
    """
    off = []
    for one, around in zip(standing, reaches, strict=True):
        over = bed_shape.overhang(bed.corners, one.hull) + around
        over = max(over, one.box[1, 2] - bed.height)
        if over > bed_shape.CLOSE:
            off.append(f"{one.name} by {over:.3g} mm")
    if off:
        widest = max(reaches)
        beside = (
            f", with up to {widest:g} mm around each for what is printed there" if widest else ""
        )
        title = f"Objects reach over the build volume{beside}: {_some(off)}. Pack them anew."
        raise SliceFailed("object-off-bed", title)
    floating = [one.name for one in standing if abs(one.box[0, 2]) > FLOATING]
    if floating:
        title = f"Objects do not stand on the bed: {_some(floating)}. Pack them in plate mode."
        raise SliceFailed("object-off-bed", title)
    if any(reaches) and not may_meet:
        _refuse_meeting(standing, np.array(reaches))


def _refuse_meeting(standing: Sequence[Standing], reaches: NDArray[np.float64]) -> None:
    """reaches : (n,) mm, how far what is printed around each object goes beyond it"""
    low = np.array([one.box[0, :2] for one in standing])
    high = np.array([one.box[1, :2] for one in standing])
    gaps = np.maximum(low[:, None] - high[None], low[None] - high[:, None]).max(axis=2)
    needed = reaches[:, None] + reaches[None]
    near = np.argwhere(np.triu(gaps < needed - bed_shape.CLOSE, k=1))
    if len(near):
        pairs = [f"{standing[a].name} and {standing[b].name}" for a, b in near.tolist()]
        title = (
            f"Supports, rafts or brims of neighbours would meet: {_some(pairs)}. Pack with "
            f"{needed.max():g} mm between parts, or slice without them."
        )
        raise SliceFailed("supports-would-meet", title)


def widened(bed: Bed) -> str:
    """Return a bed's corners as a setting, moved away from its centre by EDGE.

    PrusaSlicer 2.9 leaves out an object that touches the edge of a bed that is no rectangle, and
    says nothing. What lies on the bed is checked by us, with the corners as they are.
    """
    x, y = bed.centre
    factor = 1 + 2 * EDGE / min(bed.width, bed.depth)
    corners = ((x + (a - x) * factor, y + (b - y) * factor) for a, b in bed.outline)
    return ",".join(f"{a:.6g}x{b:.6g}" for a, b in corners)


def has_room(standing: Sequence[Standing], bed: Bed, margin: float) -> bool:
    """Whether a skirt of this width around all of them stays on the bed."""
    return not any(bed_shape.overhang(bed.corners, one.hull) > -margin for one in standing)


def check_objects(
    standing: Sequence[Standing],
    figures: Mapping[str, ObjectFigures],
    reaches: Sequence[float],
) -> None:
    """Raise SliceFailed where an object is not whole in the gcode, or not where it stands.

    reaches : as in `check_places`
    """
    missing, astray = [], []
    for one, beside in zip(standing, reaches, strict=True):
        around = beside + TOLERANCE
        found = figures.get(one.name.lower())
        if found is None or found.bounds is None:
            missing.append(one.name)
            continue
        low, high = np.array(found.bounds)
        if high[2] < COMPLETE * one.box[1, 2]:
            missing.append(one.name)
        if (low[:2] < one.box[0, :2] - around).any() or (high[:2] > one.box[1, :2] + around).any():
            astray.append(one.name)
    if missing:
        title = f"Objects are not whole in the gcode: {_some(missing)}. Repair their models."
        raise SliceFailed("object-incomplete", title)
    if astray:
        title = f"Objects are printed beside their places: {_some(astray)}. Tell the operator."
        raise SliceFailed("object-off-bed", title)


def labelled(standing: Sequence[Standing]) -> list[Labelled]:
    """The objects as firmware is to know them."""
    return [Labelled(one.name, one.hull) for one in standing]


class PlateGcode(NamedTuple):
    """G-code of a plate.

    figures    : of the whole
    seconds    : print time by the engine's own estimate; None where it states none
    density    : of the filament, g/cm3, where it is known
    limits     : of the printer, where they are known
    volumetric : whether E is mm3
    """

    path: Path
    figures: Figures
    seconds: float | None
    density: float | None = None
    limits: MachineLimits | None = None
    volumetric: bool = False


def usage_of(
    gcode: PlateGcode, standing: Sequence[Standing], reaches: Sequence[float]
) -> tuple[ObjectUse, ...]:
    """Return what each object takes, see `object_usage`. Raises SliceFailed as `check_objects`."""
    facts = gcode.figures
    figures = object_figures(
        gcode.path,
        limits=gcode.limits,
        filament_diameter=facts.filament_diameter,
        volumetric=gcode.volumetric,
    )
    check_objects(standing, figures, reaches)
    rows = object_usage(
        standing,
        figures,
        seconds=gcode.seconds or facts.build_time_seconds,
        filament=facts.filament_mm,
        area=math.pi / 4 * facts.filament_diameter**2,
        density=gcode.density,
    )
    return tuple(rows)


def object_usage(
    standing: Sequence[Standing],
    figures: Mapping[str, ObjectFigures],
    *,
    seconds: float,
    filament: float,
    area: float,
    density: float | None,
) -> list[ObjectUse]:
    """A row for each object, and the last one for what they share.

    seconds, filament : of the whole, by the engine's estimate and in mm: the rows add up to them
    area, density     : of the filament, mm^2 and g/cm^3, where that is known
    """
    ours = sum(one.seconds for one in figures.values()) or 1.0
    rows: list[ObjectUse] = []
    for name, box in [*((one.name, one.box) for one in standing), ("shared", None)]:
        found = figures.get(SHARED if box is None else name.lower())
        if found is None:
            continue
        rows.append(
            {
                "name": name,
                "time_seconds": found.seconds / ours * seconds,
                "filament_mm": found.filament,
                "volume_cc": (found.filament - found.support) * area / 1000.0,
                "support_cc": found.support * area / 1000.0,
                "box": found.bounds and [list(corner) for corner in found.bounds],
                "first_layer": found.layers and found.layers[0],
                "last_layer": found.layers and found.layers[1],
            }
        )
    rest = filament - sum(row["filament_mm"] for row in rows)
    rows[-1]["filament_mm"] += rest
    for row in rows:
        row["mass_g"] = density and row["filament_mm"] * area / 1000.0 * density
    return rows


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - MAX_NAMED} more" if len(words) > MAX_NAMED else ""
    return ", ".join(words[:MAX_NAMED]) + more
