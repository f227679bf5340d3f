"""What a gcode file will print: time, filament, volumes, layers and bounds."""

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gcode.blocks import Block, Reader
from gcode.layers import LayerCounter
from gcode.motion import MOST_FEATURES, MachineLimits, Moves, State, feature_names, follow
from gcode.planner import durations

FILAMENT_DIAMETER = 1.75  # mm, where neither the caller nor the file says


@dataclass(frozen=True)
class Figures:
    """The facts of a gcode file.

    build_time_seconds : from our own planner
    filament_mm        : length laid down along moves
    filament_diameter  : mm, with which volumes are computed
    volumes_cc         : by the slicer's word for the feature, in lower case; "" where it said none
    support_volume_cc  : support, its interface and the raft
    build_volume_cc    : everything else, skirt and prime line included
    layers             : runs of moves at one height that lay something down
    bounds             : (2, 3) mm, lowest and highest corner of what is laid down, in the
                         coordinates of the file; None where nothing is
    highest temperatures : degrees Celsius, the highest asked for; None where none is
    """

    build_time_seconds: float
    filament_mm: float
    filament_diameter: float
    volumes_cc: dict[str, float]
    support_volume_cc: float
    build_volume_cc: float
    layers: int
    bounds: tuple[tuple[float, float, float], tuple[float, float, float]] | None
    highest_nozzle_temperature: float | None
    highest_bed_temperature: float | None


def figures(
    gcode: Path,
    *,
    filament_diameter: float | None = None,
    layers: Path | None = None,
    limits: MachineLimits | None = None,
) -> Figures:
    """Read and judge a gcode file in one pass, at constant memory.

    filament_diameter : mm; None takes the one that the file states, or else 1.75
    layers            : where the index of the layers is written, for `gcode.layers`
    limits            : of the printer, where they are known

    Raises InvalidGcode.
    """
    reader, state, tally = Reader(), State(limits=limits), _Tally()
    for block in reader.blocks(gcode):
        tally.add(follow(block, state), block)

    diameter = filament_diameter or reader.filament_diameter or FILAMENT_DIAMETER
    area = math.pi / 4.0 * diameter**2
    lengths: Counter[str] = Counter()
    for name, length in zip(feature_names(state), tally.filament.tolist(), strict=False):
        lengths[name] += length
    volumes = {name: length * area / 1000.0 for name, length in lengths.items() if length > 0}
    support = sum(volume for name, volume in volumes.items() if is_support(name))
    if layers is not None:
        size = gcode.stat().st_size
        tally.layers.write(layers, features=state.features, filament_diameter=diameter, size=size)
    return Figures(
        build_time_seconds=tally.seconds + reader.dwell_seconds,
        filament_mm=float(tally.filament.sum()),
        filament_diameter=diameter,
        volumes_cc=volumes,
        support_volume_cc=support,
        build_volume_cc=sum(volumes.values()) - support,
        layers=tally.layers.count,
        bounds=tally.layers.bounds(),
        highest_nozzle_temperature=reader.highest_nozzle_temperature,
        highest_bed_temperature=reader.highest_bed_temperature,
    )


def is_support(feature: str) -> bool:
    """Whether a slicer's word, in lower case, is for what is taken off again."""
    return feature.startswith("support") or feature == "raft"


@dataclass
class _Tally:
    """Sums over the blocks read so far."""

    seconds: float = 0.0
    filament: NDArray[np.float64] = field(default_factory=lambda: np.zeros(MOST_FEATURES))
    layers: LayerCounter = field(default_factory=LayerCounter)

    def add(self, moves: Moves, block: Block) -> None:
        seconds = durations(moves.path)  # (moving rows,)
        self.seconds += float(seconds.sum())
        self.filament += np.bincount(moves.features, moves.extruded, minlength=MOST_FEATURES)
        self.layers.add(moves, block.offsets, seconds, moves.bounds())
