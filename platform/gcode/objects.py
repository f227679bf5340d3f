"""Labelled objects (M486, EXCLUDE_OBJECT): figures per object, relabelling.

PrusaSlicer and others write `; printing object NAME id:0 copy 0` before each visit to an object
and `; stop printing object NAME id:0 copy 0` after it. Names are distinguished without their case.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gcode.analysis import is_support
from gcode.filament import Filament
from gcode.layers import LayerCounter
from gcode.machine import MachineLimits, State, feature_names
from gcode.motion import follow
from gcode.planner import durations
from gcode.reader import Reader

MESH = re.compile(rb"^;(?:MESH:(.+?)|TIME_ELAPSED:.*?)\r?\n", re.MULTILINE)
VISIT = re.compile(rb"; (stop )?printing object (.+) id:\d+ copy \d+\s*\Z", re.IGNORECASE)
CHUNK = 1 << 20  # bytes read at once
SHARED = ""  # the name of what belongs to no object


class ObjectFigures(NamedTuple):
    """What one object takes.

    seconds    : by our own planner
    filament, support : mm of filament, in all and of supports and rafts
    bounds     : (2, 3) mm, of what is laid down for it; None where nothing is
    layers     : the first and the last in which that is, counted from 0 as a LayerIndex does
    """

    seconds: float
    filament: float
    support: float
    bounds: tuple[list[float], list[float]] | None
    layers: tuple[int, int] | None


def object_figures(
    gcode: Path,
    *,
    limits: MachineLimits | None = None,
    filament_diameter: float | None = None,
    volumetric: bool = False,
) -> dict[str, ObjectFigures]:
    """The figures of each object, by its name in lower case; `SHARED` is all the rest.

    limits, filament_diameter, volumetric : as in `figures`

    Raises InvalidGcode.
    """
    reader, state, counter = Reader(), State(limits=limits), LayerCounter()
    reader.filament = Filament(diameter=filament_diameter, volumetric=volumetric)
    sums = np.zeros((3, 1))  # seconds, filament, support
    low, high = np.full((1, 4), np.inf), np.full((1, 4), -np.inf)  # x, y, z and the layer
    for block in reader.blocks(gcode):
        owners = state.spread(block, "object").astype(np.int64)  # (rows,)
        moves = follow(block, state)
        count = len(state.objects)
        more = count - sums.shape[1]
        sums = np.pad(sums, ((0, 0), (0, more)))
        low = np.pad(low, ((0, more), (0, 0)), constant_values=np.inf)
        high = np.pad(high, ((0, more), (0, 0)), constant_values=-np.inf)
        lasting = durations(moves.path)  # (moving rows,)
        seconds = np.zeros(block.rows)
        seconds[moves.moving] = lasting
        supports = np.array([is_support(name) for name in feature_names(state)])
        support = np.where(supports[moves.features], moves.extruded, 0.0)
        for row, weights in enumerate((seconds, moves.extruded, support)):
            sums[row] += np.bincount(owners, weights, minlength=count)
        laid = moves.extruded > 0.0
        reach = moves.bounds()
        layers = counter.add(moves, block.offsets, lasting, reach) - 1
        lows, highs = (np.vstack([found, layers]).T[laid] for found in reach)
        np.minimum.at(low, owners[laid], lows)
        np.maximum.at(high, owners[laid], highs)
    return {
        name.decode(errors="replace").lower(): _figures_of(sums[:, at], low[at], high[at])
        for name, at in state.objects.items()
    }


def _figures_of(
    sums: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> ObjectFigures:
    seconds, filament, support = sums.tolist()
    if not np.isfinite(low).all():
        return ObjectFigures(seconds, filament, support, None, None)
    (*lowest, first), (*highest, last) = low.tolist(), high.tolist()
    return ObjectFigures(seconds, filament, support, (lowest, highest), (int(first), int(last)))


class Labelled(NamedTuple):
    """An object as firmware is to know it: its name, and its outline on the bed, (k, 2) mm."""

    name: str
    outline: NDArray[np.float64]


def label(
    source: Path, to: Path, objects: Sequence[Labelled], *, firmware: str, head: Iterable[str] = ()
) -> None:
    """Write gcode anew, with the commands by which firmware can skip one of its objects.

    The comments stay. Names must be letters, digits and `_`.

    firmware : marlin or reprapfirmware (M486), klipper (EXCLUDE_OBJECT), none
    head     : lines that come after the first
    """
    numbers = {labelled.name.lower().encode(): at for at, labelled in enumerate(objects)}
    with source.open("rb") as lines, to.open("wb") as file:
        file.write(next(lines, b""))
        for first in (*head, *_defined(objects, firmware)):
            file.write(first.encode() + b"\n")
        while chunk := lines.read(CHUNK) + lines.readline():
            written = 0
            for start, end, found in _visits(chunk):
                number = numbers.get(found[2].lower())
                if number is None:
                    continue
                name = objects[number].name
                command = _left(name, firmware) if found[1] else _entered(name, number, firmware)
                at = start if found[1] else end
                file.write(chunk[written:at] + command)
                written = at
            file.write(chunk[written:])


def mark_meshes(source: Path, to: Path, names: Mapping[str, str]) -> None:
    """Write gcode of Cura anew, with visits to objects as PrusaSlicer comments them.

    Cura writes `;MESH:FILE` before what it prints of a mesh, `;MESH:NONMESH` before what belongs
    to none, and `;TIME_ELAPSED:` at the end of a layer, where a visit ends, too.

    names : of objects by the files of their meshes
    """
    numbers = {file.encode(): at for at, file in enumerate(names)}
    texts = [name.encode() for name in names.values()]
    inside: int | None = None

    def replaced(match: re.Match[bytes]) -> bytes:
        nonlocal inside
        left = b"" if inside is None else b"; stop printing %b\n" % _visit(texts, inside)
        inside = numbers.get((match[1] or b"").strip())
        if inside is None:
            return left + match[0]
        return left + b"; printing %b\n" % _visit(texts, inside)

    with source.open("rb") as lines, to.open("wb") as file:
        while chunk := lines.read(CHUNK) + lines.readline():
            file.write(MESH.sub(replaced, chunk))


def _visit(names: Sequence[bytes], number: int) -> bytes:
    return b"object %b id:%d copy 0" % (names[number], number)


def _visits(chunk: bytes) -> Iterator[tuple[int, int, re.Match[bytes]]]:
    """Where in whole lines an object is visited or left: begin and end of the line, and VISIT."""
    lowered, at = chunk.lower(), 0
    while (at := lowered.find(b"printing object ", at)) >= 0:
        start, end = chunk.rfind(b"\n", 0, at) + 1, chunk.find(b"\n", at) + 1 or len(chunk)
        if found := VISIT.match(chunk[start:end]):
            yield start, end, found
        at = end


def _defined(objects: Sequence[Labelled], firmware: str) -> list[str]:
    if firmware == "klipper":
        return [_define(labelled) for labelled in objects]
    if firmware == "reprapfirmware":
        return [f"M486 T{len(objects)}"] + [
            f'M486 S{at} A"{labelled.name}"' for at, labelled in enumerate(objects)
        ]
    if firmware == "marlin":
        names = (
            line
            for at, labelled in enumerate(objects)
            for line in (f"M486 S{at}", f"M486 A{labelled.name}")
        )
        return [f"M486 T{len(objects)}", *names, "M486 S-1"]
    return []


def _define(labelled: Labelled) -> str:
    x, y = (labelled.outline.min(axis=0) + labelled.outline.max(axis=0)) / 2
    corners = ",".join(f"[{x:.3f},{y:.3f}]" for x, y in labelled.outline.tolist())
    return f"EXCLUDE_OBJECT_DEFINE NAME={labelled.name} CENTER={x:.3f},{y:.3f} POLYGON=[{corners}]"


def _entered(name: str, number: int, firmware: str) -> bytes:
    if firmware == "klipper":
        return f"EXCLUDE_OBJECT_START NAME={name}\n".encode()
    return f"M486 S{number}\n".encode() if firmware != "none" else b""


def _left(name: str, firmware: str) -> bytes:
    if firmware == "klipper":
        return f"EXCLUDE_OBJECT_END NAME={name}\n".encode()
    return b"M486 S-1\n" if firmware != "none" else b""
