"""The limits of speed and acceleration that a file states, applied from where they stand."""

import numpy as np
from numpy.typing import NDArray

from gcode.machine import CORNER, State
from gcode.planner import Path
from gcode.reader import Block
from gcode.stated_commands import MIN_RATE

STATED = (
    *("speed", "speed_factor", "retract_acceleration", "junction_deviation"),
    *(f"{what}_{axis}" for what in ("speed", "acceleration") for axis in "xyze"),
    *("jerk_y", "jerk_z", "jerk_e"),
)


def within_stated(
    path: Path,
    block: Block,
    state: State,
    *,
    moving: NDArray[np.bool_],
    filament: NDArray[np.float64],
    arcs: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> Path:
    """The path within the limits that the file has stated so far; itself where there are none.

    moving   : (rows,), those of the path
    filament : (n,) mm, that each move pushes or pulls
    arcs     : rows, and (2, arcs) the axes of their planes, along which they go at full speed
    """

    if not state.differs(block, *STATED):
        return path

    def stated(name: str) -> NDArray[np.float64] | None:
        return state.spread(block, name)[moving] if state.differs(block, name) else None

    speeds, acceleration, jerk = path.speeds, path.acceleration, path.jerk
    filament_only = path.directions[3] != 0.0
    if (factor := stated("speed_factor")) is not None:
        speeds = speeds * factor
    if (most := stated("speed")) is not None:
        speeds = np.where(filament_only, speeds, np.minimum(speeds, most))
    if (retracting := stated("retract_acceleration")) is not None:
        own = state.limits.retracting if state.limits else np.inf
        slowest = np.where(retracting > 0.0, np.minimum(retracting, own), acceleration)
        acceleration = np.where(filament_only, slowest, acceleration)
    ways: dict[str, NDArray[np.float64]] = {}
    for axis in "xye":
        limits = stated(f"speed_{axis}"), stated(f"acceleration_{axis}")
        if limits[0] is None and limits[1] is None:
            continue
        ways = ways or _ways(path, moving, filament, arcs)
        across = np.maximum(ways[axis], 1e-12)
        if limits[0] is not None:
            speeds = np.minimum(speeds, limits[0] / across)
        if limits[1] is not None:
            acceleration = np.minimum(acceleration, limits[1] / across)
    acceleration = np.maximum(acceleration, MIN_RATE)
    if (deviation := stated("junction_deviation")) is not None:
        corner = np.sqrt(CORNER * acceleration * deviation)
        if state.limits:
            corner = np.minimum(corner, state.limits.jerk)
        jerk = np.where(deviation > 0.0, corner, jerk)
    jerk_y = stated("jerk_y")
    if jerk_y is not None:
        own = state.limits.jerk if state.limits else np.inf
        jerk_y = np.where(jerk_y > 0.0, np.minimum(jerk_y, own), jerk)
    values = {name: stated(f"{name[2:]}_z") for name in ("z_speed", "z_acceleration", "z_jerk")}
    filament_jerk: NDArray[np.float64] | float = path.filament_jerk
    if (jerk_e := stated("jerk_e")) is not None:
        own = state.limits.filament_jerk if state.limits else np.inf
        filament_jerk = np.where(jerk_e > 0.0, np.minimum(jerk_e, own), path.filament_jerk)
    return path._replace(
        speeds=np.maximum(speeds, MIN_RATE),
        acceleration=acceleration,
        jerk=np.maximum(jerk, MIN_RATE),
        jerk_y=jerk_y,
        filament_jerk=filament_jerk,
        **{name: value for name, value in values.items() if value is not None},
    )


def _ways(
    path: Path,
    moving: NDArray[np.bool_],
    filament: NDArray[np.float64],
    arcs: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> dict[str, NDArray[np.float64]]:
    """(n,) each: how far x, y and the filament move for each mm along the way, at most."""
    ways = np.abs(path.directions[:3])
    rows, axes = arcs
    taken = moving[rows]
    ways[axes[:, taken], (np.cumsum(moving) - 1)[rows[taken]]] = 1.0
    share = np.where(path.directions[3] != 0.0, 1.0, filament / path.lengths)
    return {"x": ways[0], "y": ways[1], "e": share}
