"""What a gcode file will print: time, filament, volumes, layers and bounds."""

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from apps.slicing.gcode.blocks import Reader
from apps.slicing.gcode.motion import Moves, State, follow
from apps.slicing.gcode.planner import duration

HEIGHT_STEP = 0.01  # mm, heights nearer than this are one layer
HIGHEST = 10_000.0  # mm, layers above are counted as one


@dataclass(frozen=True)
class Figures:
    """The facts of a gcode file.

    build_time_seconds : from our own planner
    filament_mm        : length laid down along moves
    volumes_cc         : by the slicer's word for the feature, in lower case; "" where it said none
    support_volume_cc  : support, its interface and the raft
    build_volume_cc    : everything else, skirt and prime line included
    layers             : different heights at which something is laid down
    bounds             : (2, 3) mm, lowest and highest corner of what is laid down, in the
                         coordinates of the file; None where nothing is
    temperatures       : degrees Celsius, the highest asked for; None where none is
    """

    build_time_seconds: float
    filament_mm: float
    volumes_cc: dict[str, float]
    support_volume_cc: float
    build_volume_cc: float
    layers: int
    bounds: tuple[tuple[float, float, float], tuple[float, float, float]] | None
    nozzle_temperature: float | None
    bed_temperature: float | None


def figures(gcode: Path, *, filament_diameter: float) -> Figures:
    """Read and judge a gcode file in one pass, at constant memory.

    filament_diameter : mm

    Raises InvalidGcode.
    """
    reader, state, tally = Reader(), State(), _Tally()
    for block in reader.blocks(gcode):
        tally.add(follow(block, state))

    area = math.pi / 4.0 * filament_diameter**2
    names = [name.decode(errors="replace").lower() for name in state.features]
    lengths = dict(zip(names, tally.filament.tolist(), strict=False))
    volumes = {name: length * area / 1000.0 for name, length in lengths.items() if length > 0}
    support = sum(volume for name, volume in volumes.items() if _is_support(name))
    return Figures(
        build_time_seconds=tally.seconds + reader.dwell_seconds,
        filament_mm=float(tally.filament.sum()),
        volumes_cc=volumes,
        support_volume_cc=support,
        build_volume_cc=sum(volumes.values()) - support,
        layers=int(tally.heights.sum()),
        bounds=tally.bounds(),
        nozzle_temperature=reader.nozzle_temperature,
        bed_temperature=reader.bed_temperature,
    )


def _is_support(feature: str) -> bool:
    return feature.startswith("support") or feature == "raft"


@dataclass
class _Tally:
    """Sums over the blocks read so far."""

    seconds: float = 0.0
    filament: NDArray[np.float64] = field(default_factory=lambda: np.zeros(100))  # by feature
    heights: NDArray[np.bool_] = field(
        default_factory=lambda: np.zeros(int(HIGHEST / HEIGHT_STEP) + 1, bool)
    )
    lowest: NDArray[np.float64] = field(default_factory=lambda: np.full(3, np.inf))
    highest: NDArray[np.float64] = field(default_factory=lambda: np.full(3, -np.inf))

    def add(self, moves: Moves) -> None:
        self.seconds += duration(moves.path)
        self.filament += np.bincount(moves.features, moves.extruded, minlength=100)
        laid = moves.extruded > 0.0
        if not laid.any():
            return
        ends = moves.positions[:, laid]  # (3, n)
        self.lowest = np.minimum(self.lowest, ends.min(axis=1))
        self.highest = np.maximum(self.highest, ends.max(axis=1))
        steps = np.rint(ends[2] / HEIGHT_STEP).clip(0, len(self.heights) - 1)
        self.heights[steps.astype(np.int64)] = True

    def bounds(self) -> tuple | None:
        if not np.isfinite(self.lowest).all():
            return None
        return tuple(self.lowest.tolist()), tuple(self.highest.tolist())
