"""The state of a printer between the lines of its gcode, and the limits that it moves within."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gcode.planner import FILAMENT_JERK, Z_ACCELERATION, Z_JERK, Z_SPEED
from gcode.reader import Block

MAX_FEATURES = 100
MAX_OBJECTS = 10_000
CORNER = 1.0 / (
    math.sqrt(2.0) - 1.0
)  # v^2 / (a J) of a corner of 90 degrees, by junction deviation
# What a printer begins with, where neither its file nor its preset says otherwise.
SETTINGS = {
    "millimetres": 1.0,
    "relative": 0.0,
    "relative_extrusion": 0.0,
    "height": 0.0,
    "plane": 17.0,  # the G that chooses the plane of arcs
    "absolute_centres": 0.0,  # whether I, J and K are places, as after G90.1
    "filament_per_e": 1.0,  # mm of filament that an E of 1 is
    "print_acceleration": 1500.0,  # mm/s^2
    "travel_acceleration": 1500.0,
    "retract_acceleration": 0.0,  # 0 where it is that of travels
    "jerk": 10.0,  # mm/s
    "jerk_y": 0.0,  # 0 where it is that of x
    "jerk_z": Z_JERK,
    "jerk_e": 0.0,  # 0 where the file does not say
    "junction_deviation": 0.0,  # mm, 0 where there is jerk
    "speed_factor": 1.0,
    "speed": math.inf,  # mm/s, along the way
    "speed_x": math.inf,
    "speed_y": math.inf,
    "speed_z": Z_SPEED,
    "speed_e": math.inf,
    "acceleration_x": math.inf,  # mm/s^2
    "acceleration_y": math.inf,
    "acceleration_z": Z_ACCELERATION,
    "acceleration_e": math.inf,
    "feature": 0.0,
    "object": 0.0,
    "tool": 0.0,
}
# How words are read, and the height of a line in mm where the slicer states it.
MODES = ("millimetres", "relative", "relative_extrusion", "height")
RARE_MODES = ("plane", "absolute_centres", "filament_per_e")


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
    settings: dict[str, float] = field(default_factory=SETTINGS.copy)
    limits: MachineLimits | None = None

    def __post_init__(self) -> None:
        self._initial = self.settings
        if self.limits is not None:
            self._initial = self.settings | {
                "print_acceleration": self.limits.extruding,
                "travel_acceleration": self.limits.travel,
                "jerk": self.limits.jerk,
            }
        self.settings = self._initial.copy()

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

    def differs(self, block: Block, *names: str) -> bool:
        """Whether any of these settings is not all the block long what it is without a file."""
        return any(name in block.changes or self.settings[name] != SETTINGS[name] for name in names)

    def spread(self, block: Block, name: str) -> NDArray[np.float64]:
        """(rows,): the value of a setting in every row; the last one is remembered."""
        if name not in block.changes:
            return np.broadcast_to(np.float64(self.settings[name]), block.rows)
        rows, values = block.changes[name]
        if name == "feature":
            values = [_number_of(value, self.features, MAX_FEATURES) for value in values]
        elif name == "object":
            values = [_number_of(value, self.objects, MAX_OBJECTS) for value in values]
        else:  # None: as it was at first
            values = [self._initial[name] if value is None else value for value in values]
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
