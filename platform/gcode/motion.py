"""Follows the machine through a block of gcode: where it goes, how far, and what it lays down."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gcode.arcs import Arcs, find_arcs
from gcode.blocks import Block
from gcode.errors import InvalidGcode
from gcode.planner import FILAMENT_JERK, Path

FARTHEST = {"X": 1e5, "Y": 1e5, "Z": 1e5, "E": 1e8}  # mm, a coordinate beyond is a mistake
MOST_FEATURES = 100
MOST_OBJECTS = 10_000
SLOWEST, FASTEST = 0.001, 1e5  # mm/s
MODES = ("millimetres", "relative", "relative_extrusion", "height")


class Moves(NamedTuple):
    """The rows of a block, as moves.

    starts, ends : (4, n) mm, x, y, z and filament
    extruded     : (n,) mm of filament laid down along the way, 0 for travels and retractions
    features     : (n,), the slicer's word for what is being printed, by its index in the state
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
            rows = self.arcs.rows
            lowest[:2, rows] = np.minimum(lowest[:2, rows], low)
            highest[:2, rows] = np.maximum(highest[:2, rows], high)
        return lowest, highest


class MachineLimits(NamedTuple):
    """What a printer begins with, and never goes beyond, whatever its gcode asks for.

    extruding, travel : mm/s^2, along the way
    retracting        : mm/s^2, where only filament moves
    axes              : mm/s^2, of x and y
    jerk              : mm/s, of x and y
    filament_jerk     : mm/s, of a start and an end of such a move
    """

    extruding: float
    travel: float
    retracting: float
    axes: tuple[float, float]
    jerk: float
    filament_jerk: float = FILAMENT_JERK


@dataclass
class State:
    """What a printer remembers from one line to the next.

    limits : of the printer, where they are known
    """

    position: dict[str, float] = field(default_factory=lambda: dict.fromkeys("XYZE", 0.0))
    speed: float = 25.0  # mm/s, before the first F
    features: dict[bytes, int] = field(default_factory=lambda: {b"": 0})
    objects: dict[bytes, int] = field(default_factory=lambda: {b"": 0})
    settings: dict[str, float] = field(
        default_factory=lambda: {
            "millimetres": 1.0,
            "relative": 0.0,
            "relative_extrusion": 0.0,
            "height": 0.0,
            "print_acceleration": 1500.0,  # mm/s^2
            "travel_acceleration": 1500.0,
            "jerk": 10.0,  # mm/s
            "feature": 0.0,
            "object": 0.0,
        }
    )

    limits: MachineLimits | None = None

    def __post_init__(self) -> None:
        if self.limits is not None:
            self.settings |= {
                "print_acceleration": self.limits.extruding,
                "travel_acceleration": self.limits.travel,
                "jerk": self.limits.jerk,
            }

    def within_limits(
        self,
        acceleration: NDArray[np.float64],
        jerk: NDArray[np.float64],
        directions: NDArray[np.float64],
        *,
        extruding: NDArray[np.bool_],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n,) mm/s^2 and (n,) mm/s as the printer has them; `directions` as in Path."""
        if self.limits is None:
            return acceleration, jerk
        along = np.where(extruding, self.limits.extruding, self.limits.travel)
        across = np.abs(directions[:2]) / np.array(self.limits.axes)[:, None]
        by_axis = 1.0 / np.maximum(across.max(axis=0), 1e-12)
        moved = np.minimum.reduce([acceleration, along, by_axis])
        filament_only = directions[3] != 0.0  # M204 P and T say nothing of these
        return (
            np.where(filament_only, self.limits.retracting, moved),
            np.minimum(jerk, self.limits.jerk),
        )

    def spread(self, block: Block, name: str) -> NDArray[np.float64]:
        """(rows,): the value of a setting in every row; the last one is remembered."""
        rows, values = block.changes.get(name, ([], []))
        if name == "feature":
            values = [_number_of(value, self.features, MOST_FEATURES) for value in values]
        elif name == "object":
            values = [_number_of(value, self.objects, MOST_OBJECTS) for value in values]
        held = np.array([self.settings[name], *values], float)
        self.settings[name] = float(held[-1])
        return np.repeat(held, np.diff([0, *rows, block.rows]))


def _number_of(name: bytes, known: dict[bytes, int], most: int) -> int:
    if name not in known and len(known) >= most:
        return 0  # no slicer has so many; a hostile file must not fill the memory
    return known.setdefault(name, len(known))


def feature_names(state: State) -> list[str]:
    """The slicer's words in lower case, by their numbers; "" where it said none."""
    return [word.decode(errors="replace").lower() for word in state.features]


def follow(block: Block, state: State) -> Moves:
    """The moves of a block that begins in `state`, which is brought up to date.

    Raises InvalidGcode.
    """
    code = block.column("G")
    teleports = code == 92  # a new name for where the machine is
    modes = {name: state.spread(block, name) for name in MODES}
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
    travel = np.sqrt(x * x + y * y + z * z)
    lengths = travel.copy()
    arcs = _arcs(block, code, unit, starts, ends)
    if len(arcs.rows):
        lengths[arcs.rows] = np.hypot(arcs.lengths(), z[arcs.rows])
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
    features = state.spread(block, "feature").astype(np.int64)
    return Moves(starts, ends, extruded, features, modes, arcs, moving, path)


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
    unit: NDArray[np.float64],
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> Arcs:
    rows = np.flatnonzero((code == 2) | (code == 3))
    if not len(rows):
        none = np.zeros(0)
        return Arcs(rows, np.zeros((2, 0)), none, none, none)
    i, j, r = (block.column(letter)[rows] * unit[rows] for letter in "IJR")
    arcs = find_arcs(rows, starts[:2, rows], ends[:2, rows], (i, j, r), code[rows] == 2)
    if arcs.radii.max() > FARTHEST["X"]:
        raise _out_of_range("The centre of an arc")
    return arcs


def _out_of_range(what: str) -> InvalidGcode:
    title = f"{what} is farther away than any machine. Check the file's units and numbers."
    return InvalidGcode("out-of-range", title)
