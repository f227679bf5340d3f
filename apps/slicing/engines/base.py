"""Engine protocol, resource limits, SliceFailed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, NotRequired, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from apps.slicing.configs.base import RawConfig
from gcode import Figures
from input_errors import InputError

PIPELINE_VERSION = 3  # raised when the same settings would give other gcode

CRASHED = "engine-crashed"  # a code of SliceFailed: the engine was ended by a fault of its own
CONFIG_REFUSED = "config-not-usable"  # a code of SliceFailed: the engine refuses the config

Progress = Callable[[float, str], None]


class ObjectUse(TypedDict):
    """What an object on a plate takes; the name "shared" is of what all share."""

    name: str
    time_seconds: float
    filament_mm: float
    volume_cc: float
    support_cc: float
    box: list[list[float]] | None
    first_layer: int | None
    last_layer: int | None
    mass_g: NotRequired[float | None]


class PlateObject(NamedTuple):
    """One object: its name, its canonical STL file, and its (4, 4) transform to the bed, mm.

    settings : that it has for itself
    """

    name: str
    stl: Path
    transform: NDArray[np.float64]
    settings: Mapping[str, str] = MappingProxyType({})


class SettingsError(ValueError):
    """Of these parameters an engine's settings cannot be worked out."""


class Bed(NamedTuple):
    """A build volume in mm: how far it goes in x, y and z, and where its corner lies.

    outline : the corners of a bed that is no rectangle, such as a round one; else empty
    """

    width: float = 250.0
    depth: float = 250.0
    height: float = 250.0
    left: float = 0.0
    front: float = 0.0
    outline: tuple[tuple[float, float], ...] = ()

    @property
    def centre(self) -> tuple[float, float]:
        return self.left + self.width / 2, self.front + self.depth / 2

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The outline, also of a rectangle."""
        if self.outline:
            return self.outline
        left, front = self.left, self.front
        right, back = left + self.width, front + self.depth
        return (left, front), (right, front), (right, back), (left, back)


@dataclass(frozen=True)
class EngineLimits:
    """What one run of an engine may use: seconds and bytes."""

    wall_seconds: float = 600.0
    cpu_seconds: int = 600
    memory_bytes: int = 3 << 30
    address_space_bytes: int = 4 << 30
    output_bytes: int = 1 << 30


@dataclass(frozen=True)
class Sliced:
    """A finished slice.

    gcode              : in the folder given to slice()
    seconds            : wall time of the engine
    build_time_seconds : the engine's own estimate of the print's duration
    figures            : what the gcode itself says
    log                : the end of what the engine printed
    objects            : of a plate, what each object on it takes; see `plate.object_usage`
    """

    gcode: Path
    seconds: float
    build_time_seconds: float | None
    figures: Figures
    log: str
    objects: tuple[ObjectUse, ...] = ()

    @property
    def layers(self) -> Path:
        """The index of the gcode's layers."""
        return layers_file(self.gcode)


# Given each line that a program prints; may answer with (fraction done, stage).
OnLine = Callable[[str], tuple[float, str] | None]


@dataclass(frozen=True)
class Outcome:
    """How a process ended: its exit status (negative: a signal), wall time, end of its output."""

    status: int
    seconds: float
    log: str


class Runner(Protocol):
    """`engine_process.run`, or what stands in for programs elsewhere; see `remote_run`."""

    def __call__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        limits: EngineLimits,
        on_line: OnLine,
        programs: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> Outcome: ...


def layers_file(gcode: Path) -> Path:
    """Where the index of a gcode file's layers is written: beside it."""
    return gcode.with_suffix(".layers")


class SliceFailed(InputError):
    """A slice that came to nothing.

    log      : the end of what the engine printed
    words    : the engine's own sentence, where it gave one
    settings : those that it blames
    """

    def __init__(
        self,
        code: str,
        title: str,
        log: str = "",
        *,
        words: str = "",
        settings: tuple[str, ...] = (),
    ):
        super().__init__(code, title)
        self.log = log
        self.words = words or title
        self.settings = settings


class Engine(Protocol):
    """An installed slicer, run as a child process."""

    identifier: str
    name: str

    def version(self) -> str | None:
        """The installed version; None where the engine is not offered."""

    def run_by(self, runner: Runner) -> "Engine":
        """The engine with another way to run its program."""

    def missing(self) -> str:
        """Why the engine is not offered, and what to do."""

    def note(self) -> str | None:
        """What users should know of an engine that is offered; None where there is nothing."""

    def self_test(self) -> None:
        """Slice a test cube where the installed version is not one of the tested ones.

        It may take seconds. The engine is offered, or not, by what came of it.
        """

    def settings(self, parameters: Mapping) -> dict[str, str]:
        """Every setting sent for these curated parameters, by the engine's own names.

        Raises SettingsError.
        """

    def read_raw(self, content: str) -> RawConfig:
        """Every setting sent for a raw config, and what of it is not used.

        Raises RawConfigErrors, and SliceFailed where version() is None.
        """

    def bed(self, settings: Mapping[str, str]) -> Bed:
        """The build volume that these settings are for."""

    def start_gcode(self, settings: Mapping[str, str]) -> str:
        """The G-code that these settings begin a print with; its lines may end with \\n."""

    def on_bed(self, settings: Mapping[str, str], bed: Bed) -> dict[str, str]:
        """The same settings for another build volume."""

    def config_text(self, settings: Mapping[str, str]) -> str:
        """The settings in the engine's own file format."""

    def margin(self, settings: Mapping[str, str]) -> float:
        """How many mm must stay free on every side of the model, for a raft."""

    def reach(self, settings: Mapping[str, str]) -> float:
        """mm that what is printed around an object (supports, raft, brim) may go beyond it."""

    def slice(
        self,
        stl: Path,
        settings: Mapping[str, str],
        folder: Path,
        *,
        limits: EngineLimits,
        turned: bool = False,
        progress: Progress | None = None,
    ) -> Sliced:
        """Slice a binary STL file, or the model `turned` by 90 degrees about z.

        Everything is written into `folder`.
        `progress` hears (fraction done, stage) at least once a second; what it raises ends
        the engine and passes through. Raises SliceFailed.
        """

    def slice_plate(
        self,
        objects: Sequence[PlateObject],
        settings: Mapping[str, str],
        folder: Path,
        *,
        limits: EngineLimits,
        firmware: str | None = None,
        thumbnails: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> Sliced:
        """Slice objects where they stand, each by its name, as one G-code.

        firmware   : how objects are labelled, see `plate.firmware_of`
        thumbnails : sizes of pictures in the G-code, such as 220x124

        Raises SliceFailed, also for what the engine says nothing of.
        """
