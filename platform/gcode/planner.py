"""Motion planner: trapezoidal velocity profiles with classic jerk."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Z_SPEED = 12.0  # mm/s, the most that the vertical axis is driven at
Z_ACCELERATION = 500.0  # mm/s^2
Z_JERK = 0.4  # mm/s
FILAMENT_JERK = 2.5  # mm/s


class Path(NamedTuple):
    """Consecutive moves, none of length zero.

    directions   : (4, n), unit vectors of x, y, z; the fourth is +-1 where only filament moves
    lengths      : (n,), mm
    speeds       : (n,), mm/s, as commanded
    acceleration : (n,), mm/s^2
    jerk         : (n,), mm/s, of x and y; jerk_y: of y alone; filament_jerk: where only filament
                   moves
    z_speed, z_acceleration, z_jerk : of the vertical axis
    """

    directions: NDArray[np.float64]
    lengths: NDArray[np.float64]
    speeds: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    jerk: NDArray[np.float64]
    filament_jerk: NDArray[np.float64] | float = FILAMENT_JERK
    jerk_y: NDArray[np.float64] | None = None
    z_speed: NDArray[np.float64] | float = Z_SPEED
    z_acceleration: NDArray[np.float64] | float = Z_ACCELERATION
    z_jerk: NDArray[np.float64] | float = Z_JERK


def durations(path: Path) -> NDArray[np.float64]:
    """(n,) seconds that each move takes, from rest to rest.

    The planner of Marlin with unlimited look-ahead. A squared speed can change by 2 a d along
    a move, so with C the running sum of 2 a d the slowing-down limit of every junction is
    min over j >= i of (limit_j + C_j) - C_i, a running minimum; the speeding-up limit likewise.
    """
    if not len(path.lengths):
        return np.zeros(0)
    vertical = np.maximum(np.abs(path.directions[2]), 1e-9)
    top = np.minimum(path.speeds, path.z_speed / vertical)
    acceleration = np.minimum(path.acceleration, path.z_acceleration / vertical)

    gain = 2.0 * acceleration * path.lengths  # (n,), of squared speed
    potential = np.concatenate([[0.0], np.cumsum(gain)])  # (n + 1,), at the junctions
    squared = np.concatenate([[0.0], _junction_speeds(path, top) ** 2, [0.0]])
    squared = np.minimum.accumulate((squared + potential)[::-1])[::-1] - potential
    squared = np.minimum.accumulate(squared - potential) + potential
    squared = np.maximum(squared, 0.0)

    peak_squared = np.minimum(top**2, (squared[:-1] + squared[1:] + gain) / 2.0)
    peak = np.sqrt(peak_squared)
    speeds = np.sqrt(squared)
    ramps = 2.0 * peak - speeds[:-1] - speeds[1:]  # mm/s gained and lost
    ramp_lengths = 2.0 * peak_squared - squared[:-1] - squared[1:]  # times 1 / (2 a), mm
    cruise = path.lengths - ramp_lengths / (2.0 * acceleration)
    return ramps / acceleration + np.maximum(cruise, 0.0) / peak


def _junction_speeds(path: Path, top: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n - 1,) mm/s: the fastest at which each corner may be taken."""
    speed = np.minimum(top[:-1], top[1:])
    jerk_y = path.jerk if path.jerk_y is None else path.jerk_y
    jerks = (path.jerk, jerk_y, path.z_jerk, path.filament_jerk)
    for direction, jerk in zip(path.directions, jerks, strict=True):
        before, after = direction[:-1], direction[1:]
        # an axis that turns round passes through rest, so each half is a jump of its own
        jump = np.where(
            before * after > 0.0,
            np.abs(before - after),
            np.maximum(np.abs(before), np.abs(after)),
        )
        after_corner = jerk[1:] if isinstance(jerk, np.ndarray) else jerk
        speed = np.minimum(speed, after_corner / np.maximum(jump, 1e-9))
    return speed
