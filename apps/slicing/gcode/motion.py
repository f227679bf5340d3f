"""Follows the machine through a block of gcode: where it goes, how far, and what it lays down."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from apps.slicing.gcode.blocks import Block
from apps.slicing.gcode.errors import InvalidGcode
from apps.slicing.gcode.planner import Path

FARTHEST = {"X": 1e5, "Y": 1e5, "Z": 1e5, "E": 1e8}  # mm, a coordinate beyond is a mistake
SLOWEST, FASTEST = 0.001, 1e5  # mm/s


class Moves(NamedTuple):
    """The rows of a block, as moves.

    positions : (3, n), mm, where each ends
    extruded  : (n,), mm of filament laid down along the way, 0 for travels and retractions
    features  : (n,), the slicer's word for what is being printed, by its index in the state
    path      : the moves that take time
    """

    positions: NDArray[np.float64]
    extruded: NDArray[np.float64]
    features: NDArray[np.int64]
    path: Path


@dataclass
class State:
    """What a printer remembers from one line to the next."""

    position: dict[str, float] = field(default_factory=lambda: dict.fromkeys("XYZE", 0.0))
    speed: float = 25.0  # mm/s, before the first F
    features: dict[bytes, int] = field(default_factory=lambda: {b"": 0})
    settings: dict[str, float] = field(
        default_factory=lambda: {
            "millimetres": 1.0,
            "relative": 0.0,
            "relative_extrusion": 0.0,
            "print_acceleration": 1500.0,  # mm/s^2
            "travel_acceleration": 1500.0,
            "jerk": 10.0,  # mm/s
            "feature": 0.0,
        }
    )

    def spread(self, block: Block, name: str) -> NDArray[np.float64]:
        """(rows,): the value of a setting in every row; the last one is remembered."""
        rows, values = block.changes.get(name, ([], []))
        if name == "feature":
            values = [self._feature(value) for value in values]
        held = np.array([self.settings[name], *values], float)
        self.settings[name] = float(held[-1])
        return np.repeat(held, np.diff([0, *rows, block.rows]))

    def _feature(self, name: bytes) -> int:
        if name not in self.features and len(self.features) >= 100:
            return 0  # no slicer has so many; a hostile file must not fill the memory
        return self.features.setdefault(name, len(self.features))


def follow(block: Block, state: State) -> Moves:
    """The moves of a block that begins in `state`, which is brought up to date.

    Raises InvalidGcode.
    """
    code = block.column("G")
    teleports = code == 92  # a new name for where the machine is
    unit = state.spread(block, "millimetres")
    relative = state.spread(block, "relative") > 0
    relative_extrusion = relative | (state.spread(block, "relative_extrusion") > 0)

    positions, steps = {}, {}
    for axis in "XYZE":
        shifts = relative_extrusion if axis == "E" else relative
        words = block.column(axis) * unit
        start = state.position[axis]
        positions[axis] = _positions(words, shifts & ~teleports, start)
        steps[axis] = np.diff(positions[axis], prepend=start)
        steps[axis][teleports] = 0.0
        if block.rows:
            state.position[axis] = float(positions[axis][-1])
            if np.abs(positions[axis]).max() > FARTHEST[axis]:
                raise _out_of_range(axis)

    speed = _positions(block.column("F") * unit / 60.0, np.zeros(block.rows, bool), state.speed)
    if block.rows:
        state.speed = float(speed[-1])

    x, y, z, e = (steps[axis] for axis in "XYZE")
    travel = np.sqrt(x * x + y * y + z * z)
    lengths = travel.copy()
    arcs = np.flatnonzero((code == 2) | (code == 3))
    if len(arcs):
        lengths[arcs] = _arc_lengths(block, arcs, code[arcs] == 2, unit[arcs], x[arcs], y[arcs])
        lengths[arcs] = np.hypot(lengths[arcs], z[arcs])
    extruded = np.where((lengths > 0.0) & (e > 0.0), e, 0.0)

    filament_only = (lengths == 0.0) & (e != 0.0)
    lengths[filament_only] = np.abs(e[filament_only])
    moving = lengths > 0.0
    scale = 1.0 / np.maximum(travel[moving], 1e-12)
    directions = np.stack([x[moving] * scale, y[moving] * scale, z[moving] * scale, x[moving]])
    directions[3] = np.where(filament_only[moving], np.sign(e[moving]), 0.0)
    acceleration = np.where(
        extruded > 0.0,
        state.spread(block, "print_acceleration"),
        state.spread(block, "travel_acceleration"),
    )
    path = Path(
        directions,
        lengths[moving],
        np.clip(speed[moving], SLOWEST, FASTEST),
        acceleration[moving],
        state.spread(block, "jerk")[moving],
    )
    features = state.spread(block, "feature").astype(np.int64)
    return Moves(np.stack([positions[axis] for axis in "XYZ"]), extruded, features, path)


def _positions(
    words: NDArray[np.float64], shifts: NDArray[np.bool_], start: float
) -> NDArray[np.float64]:
    """(n,): a coordinate after every row: the last one set, and the shifts since.

    words  : (n,), NaN where a row does not name the axis
    shifts : (n,), whether a word is a distance and not a place
    """
    given = ~np.isnan(words)
    sets = given & ~shifts
    last = np.maximum.accumulate(np.where(sets, np.arange(len(words)), -1))
    places = np.where(last >= 0, words[last], start)
    if not shifts.any():
        return places
    shift = np.cumsum(np.where(given & shifts, words, 0.0))
    return places + shift - np.where(last >= 0, shift[last], 0.0)


def _arc_lengths(
    block: Block,
    arcs: NDArray[np.int64],
    clockwise: NDArray[np.bool_],
    unit: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(n,) mm: lengths in the plane of arcs that end at x, y from their starts.

    Their centre is given by the words I and J, or by a radius R (negative: the long way round).
    """
    i, j, r = (block.column(letter)[arcs] * unit for letter in "IJR")
    has_radius = ~np.isnan(r)
    i, j = np.nan_to_num(i), np.nan_to_num(j)
    radius = np.where(has_radius, np.abs(np.nan_to_num(r)), np.hypot(i, j))
    if radius.max() > FARTHEST["X"]:
        raise _out_of_range("The centre of an arc")
    turn = np.arctan2(y - j, x - i) - np.arctan2(-j, -i)
    turn = np.where(clockwise, -turn, turn) % (2.0 * np.pi)
    turn = np.where(turn < 1e-9, 2.0 * np.pi, turn)  # an arc to its own start is a circle
    chord = np.hypot(x, y)
    short = 2.0 * np.arcsin(np.minimum(chord / np.maximum(2.0 * radius, 1e-12), 1.0))
    turn = np.where(has_radius, np.where(r < 0, 2.0 * np.pi - short, short), turn)
    return np.maximum(radius * turn, chord)


def _out_of_range(what: str) -> InvalidGcode:
    title = f"{what} is farther away than any machine. Check the file's units and numbers."
    return InvalidGcode("out-of-range", title)
