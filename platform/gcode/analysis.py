"""Print figures of a G-code file: time, filament, volumes, layers, bounds."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gcode.filament import MAX_TOOLS, Filament, area
from gcode.layers import LayerCounter
from gcode.machine import MAX_FEATURES, MachineLimits, State, feature_names
from gcode.motion import Moves, follow
from gcode.planner import durations
from gcode.reader import Block, Reader


@dataclass(frozen=True)
class ToolFigures:
    """What one tool lays down: mm, mm and cm^3; `tool` is its number, from 0."""

    tool: int
    filament_mm: float
    filament_diameter: float
    volume_cc: float


@dataclass(frozen=True)
class Figures:
    """The facts of a gcode file.

    build_time_seconds : from our own planner
    filament_mm        : length laid down along moves
    filament_diameter  : mm, with which volumes are computed; of several tools', that of the one
                         that lays down most
    volumes_cc         : by the slicer's word for the feature, in lower case; "" where it said none
    support_volume_cc  : support, its interface and the raft
    build_volume_cc    : everything else, skirt and prime line included
    tools              : what each tool that is used lays down
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
    tools: list[ToolFigures]
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
    volumetric: bool = False,
) -> Figures:
    """Read and judge a gcode file in one pass, at constant memory.

    filament_diameter : mm; None takes the one that the file states, or else a usual one
    layers            : where the index of the layers is written, for `gcode.layers`
    limits            : of the printer, where they are known
    volumetric        : whether E is known to be mm^3; where it is not, the file decides

    Raises InvalidGcode.
    """
    reader, state, tally = Reader(), State(limits=limits), _Tally()
    reader.filament = Filament(diameter=filament_diameter, volumetric=volumetric)
    for block in reader.blocks(gcode):
        tally.add(follow(block, state), block)

    diameter, volumes = _volumes(reader.filament, feature_names(state), tally)
    support = sum(volume for name, volume in volumes.items() if is_support(name))
    if layers is not None:
        tally.layers.write(
            layers, features=state.features, filament_diameter=diameter, size=reader.end
        )
    return Figures(
        build_time_seconds=tally.seconds + reader.dwell_seconds,
        filament_mm=float(tally.filament.sum()),
        filament_diameter=diameter,
        volumes_cc=volumes,
        support_volume_cc=support,
        build_volume_cc=sum(volumes.values()) - support,
        tools=_tools(reader.filament, tally),
        layers=tally.layers.count,
        bounds=tally.layers.bounds(),
        highest_nozzle_temperature=reader.highest_nozzle_temperature,
        highest_bed_temperature=reader.highest_bed_temperature,
    )


def _volumes(
    filament: Filament, features: list[str], tally: "_Tally"
) -> tuple[float, dict[str, float]]:
    """The diameter of the filament in mm, and by feature the cm^3 that are laid down."""
    by_tool = tally.by_tool.sum(axis=1)
    diameters = filament.diameters(by_tool)
    used = np.flatnonzero(by_tool > 0.0)
    diameter = float(diameters[by_tool.argmax()])
    if (diameters[used] == diameter).all():
        amounts, section = tally.filament, area(diameter)
    else:
        amounts, section = area(diameters) @ tally.by_tool, 1.0
    sums: Counter[str] = Counter()
    for name, amount in zip(features, amounts.tolist(), strict=False):
        sums[name] += amount
    return diameter, {name: sums[name] * section / 1000.0 for name in sums if sums[name] > 0}


def _tools(filament: Filament, tally: "_Tally") -> list[ToolFigures]:
    lengths = tally.by_tool.sum(axis=1)
    diameters = filament.diameters(lengths)
    return [
        ToolFigures(tool, float(mm), float(diameter), float(mm * area(diameter)) / 1000.0)
        for tool, (mm, diameter) in enumerate(zip(lengths, diameters, strict=True))
        if mm > 0.0
    ]


def is_support(feature: str) -> bool:
    """Whether a slicer's word, in lower case, is for what is taken off again."""
    return feature.startswith("support") or feature == "raft"


@dataclass
class _Tally:
    """Sums over the blocks read so far."""

    seconds: float = 0.0
    filament: NDArray[np.float64] = field(default_factory=lambda: np.zeros(MAX_FEATURES))
    by_tool: NDArray[np.float64] = field(
        default_factory=lambda: np.zeros((MAX_TOOLS, MAX_FEATURES))
    )
    layers: LayerCounter = field(default_factory=LayerCounter)

    def add(self, moves: Moves, block: Block) -> None:
        seconds = durations(moves.path)  # (moving rows,)
        self.seconds += float(seconds.sum())
        laid = np.bincount(moves.features, moves.extruded, minlength=MAX_FEATURES)
        self.filament += laid
        if moves.tools is None:
            self.by_tool[0] += laid
        else:
            places = moves.tools * MAX_FEATURES + moves.features
            laid = np.bincount(places, moves.extruded, minlength=self.by_tool.size)
            self.by_tool += laid.reshape(self.by_tool.shape)
        self.layers.add(moves, block.offsets, seconds, moves.bounds())
