"""Follows the machine through a chunk: position, feed, extrusion."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gcode.arcs import NO_ARCS, Arcs, find_arcs
from gcode.errors import InvalidGcode
from gcode.machine import MODES, RARE_MODES, State
from gcode.planner import FILAMENT_JERK, Path
from gcode.reader import Block
from gcode.stated_limits import within_stated

FARTHEST = {"X": 1e5, "Y": 1e5, "Z": 1e5, "E": 1e8}  # mm, a coordinate beyond is a mistake
SLOWEST, FASTEST = 0.001, 1e5  # mm/s


class Moves(NamedTuple):
    """The rows of a block, as moves.

    starts, ends : (4, n) mm, x, y, z and filament
    extruded     : (n,) mm of filament laid down along the way, 0 for travels and retractions
    features     : (n,), the slicer's word for what is being printed, by its index in the state
    tools        : (n,), with which each row is done; None where that is the first all the time
    modes        : by setting, (n,): how the words of each row are read, and the height of its
                   line in mm where the slicer says it, 0 where not
    arcs         : the rows that are no straight lines
    moving       : (n,), the rows that take time
    path         : those rows
    """

    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    extruded: NDArray[np.float64]
    features: NDArray[np.int64]
    tools: NDArray[np.int64] | None
    modes: dict[str, NDArray[np.float64]]
    arcs: Arcs
    moving: NDArray[np.bool_]
    path: Path

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(3, n) mm each: the lowest and the highest corner of every row's way."""
        lowest = np.minimum(self.starts[:3], self.ends[:3])
        highest = np.maximum(self.starts[:3], self.ends[:3])
        if len(self.arcs.rows):
            low, high = self.arcs.extremes()
            at = self.arcs.axes, self.arcs.rows
            lowest[at] = np.minimum(lowest[at], low)
            highest[at] = np.maximum(highest[at], high)
        return lowest, highest


def follow(block: Block, state: State) -> Moves:
    """The moves of a block that begins in `state`, which is brought up to date.

    Raises InvalidGcode.
    """
    code = block.column("G")
    teleports = code == 92  # a new name for where the machine is
    modes = {name: state.spread(block, name) for name in (*MODES, *RARE_MODES)}
    unit, relative = modes["millimetres"], modes["relative"] > 0
    relative_extrusion = relative | (modes["relative_extrusion"] > 0)

    ends = np.empty((4, block.rows))
    starts = np.empty((4, block.rows))
    for index, axis in enumerate("XYZE"):
        shifts = relative_extrusion if axis == "E" else relative
        words = block.column(axis) * unit
        ends[index] = _positions(words, shifts & ~teleports, state.position[axis])
        starts[index, :1] = state.position[axis]
        if block.rows:
            state.position[axis] = float(ends[index, -1])
            if np.abs(ends[index]).max() > FARTHEST[axis]:
                raise _out_of_range(axis)
    starts[:, 1:] = ends[:, :-1]
    starts[:, teleports] = ends[:, teleports]

    speed = _positions(block.column("F") * unit / 60.0, np.zeros(block.rows, bool), state.speed)
    if block.rows:
        state.speed = float(speed[-1])

    x, y, z, e = ends - starts
    if state.differs(block, "filament_per_e"):
        e = e * modes["filament_per_e"]
    travel = np.sqrt(x * x + y * y + z * z)
    lengths = travel.copy()
    arcs = _arcs(block, code, modes, starts, ends)
    if len(arcs.rows):
        rise = np.choose(arcs.normals(), (x[arcs.rows], y[arcs.rows], z[arcs.rows]))
        lengths[arcs.rows] = np.hypot(arcs.lengths(), rise)
        lengths = np.maximum(lengths, travel)
    across = lengths > np.abs(z)  # filament along a mere rise is one taken back, or let ooze
    extruded = np.where(across & (e > 0.0), e, 0.0)

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
    acceleration, jerk = state.within_limits(
        acceleration[moving],
        state.spread(block, "jerk")[moving],
        directions,
        extruding=extruded[moving] > 0.0,
    )
    speeds = np.clip(speed[moving], SLOWEST, FASTEST)
    filament_jerk = state.limits.filament_jerk if state.limits else FILAMENT_JERK
    path = Path(directions, lengths[moving], speeds, acceleration, jerk, filament_jerk)
    path = within_stated(
        path, block, state, moving=moving, filament=np.abs(e[moving]), arcs=(arcs.rows, arcs.axes)
    )
    features = state.spread(block, "feature").astype(np.int64)
    tools = None
    if state.differs(block, "tool"):
        tools = state.spread(block, "tool").astype(np.int64)
    return Moves(starts, ends, extruded, features, tools, modes, arcs, moving, path)


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


def _arcs(
    block: Block,
    code: NDArray[np.float64],
    modes: dict[str, NDArray[np.float64]],
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> Arcs:
    rows = np.flatnonzero((code == 2) | (code == 3))
    if not len(rows):
        return NO_ARCS
    unit = modes["millimetres"][rows]
    arcs = find_arcs(
        rows,
        starts[:3, rows],
        ends[:3, rows],
        centres=np.stack([block.column(letter)[rows] * unit for letter in "IJK"]),
        radii=block.column("R")[rows] * unit,
        turns=block.column("P")[rows],
        clockwise=code[rows] == 2,
        planes=modes["plane"][rows],
        absolute=modes["absolute_centres"][rows] > 0.0,
    )
    if arcs.radii.max() > FARTHEST["X"]:
        raise _out_of_range("The centre of an arc")
    return arcs


def _out_of_range(what: str) -> InvalidGcode:
    title = f"{what} is farther away than any machine. Check the file's units and numbers."
    return InvalidGcode("out-of-range", title)
