"""Driver protocol: what every printer driver can do, and its errors."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from machines.states import AttemptState


class MachineStatus(StrEnum):
    """What a machine is at. A word that a driver does not know is `attention`, never `idle`."""

    IDLE = "idle"
    BUSY = "busy"
    PRINTING = "printing"
    PAUSED = "paused"
    STOPPING = "stopping"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    ATTENTION = "attention"
    OFFLINE = "offline"


class HeaterTemperature(NamedTuple):
    """Temperature of a nozzle, a bed or a chamber, degrees C.

    heater : its name at the machine, such as extruder1
    target : 0 where it is off; None where the machine does not tell
    """

    heater: str
    actual: float
    target: float | None


class MachineDetails(NamedTuple):
    """Details of a print that people watch; None where the machine does not report one.

    layer, layers : the present one, counted from 1, and all of the file
    seconds_left  : until the end, as the host estimates it
    speed         : factor of the speed, 1 where nobody changed it
    has_filament  : by the filament sensor
    """

    layer: int | None = None
    layers: int | None = None
    seconds_left: float | None = None
    speed: float | None = None
    has_filament: bool | None = None


class FilamentTray(NamedTuple):
    """A tray of a filament changer, or an external spool.

    slot      : its name at the machine, such as A1
    color     : `#rrggbb`; None where the machine does not tell
    remaining : a part of 1; None where the machine does not measure it
    is_active : whether the machine prints with it
    """

    slot: str
    material: str
    color: str | None = None
    remaining: float | None = None
    is_active: bool = False


class MachineState(NamedTuple):
    """A look at a machine.

    job  : the file that it prints, or shows as its last
    boot : another one each time that what answers was started anew; None where nothing tells
    at   : s, by a clock that never jumps
    progress : a part of 1; None where it does not tell
    filament : mm that this print has taken so far; None where the machine does not count
    """

    doing: MachineStatus
    job: str | None = None
    boot: str | None = None
    at: float = 0.0
    text: str = ""
    progress: float | None = None
    filament: float | None = None
    temperatures: tuple[HeaterTemperature, ...] = ()
    details: MachineDetails = MachineDetails()
    trays: tuple[FilamentTray, ...] = ()


class ObjectLabel(NamedTuple):
    """An object of a print, by the label that its gcode gives it.

    name     : unique in the print
    number   : of M486, from 0
    firmware : whose label it is: marlin, reprapfirmware or klipper
    label    : name by which Klipper excludes it, where another slicer named it; empty: `name`
    """

    name: str
    number: int
    firmware: str
    label: str = ""

    @property
    def command(self) -> str:
        """The G-code line that excludes it."""
        if self.firmware == "klipper":
            return f"EXCLUDE_OBJECT NAME={self.label or self.name}"
        return f"M486 P{self.number}"


# By driver: the firmware whose labels it can exclude objects by. Others exclude none.
EXCLUSION_FIRMWARE = {
    "octoprint": frozenset({"marlin", "reprapfirmware", "klipper"}),
    "moonraker": frozenset({"klipper"}),
}


class ExclusionResult(StrEnum):
    """What became of the wish that a machine leaves an object out."""

    DONE = "skipped"
    ASKED = "asked"  # it took the command, and does not say whether it does it
    CANNOT = "cannot"


class NotSent(Exception):
    """Nothing was sent."""


class Rejected(Exception):
    """The machine understood, and does not do it."""


class WrongKey(Rejected):
    """The host does not accept the key."""


class NoAnswer(Exception):
    """No answer, or none that says whether it was done: it may be done yet."""


class Driver(Protocol):
    """A machine by its protocol: every call but `look` raises Fault, Refused or Lost."""

    def look(self) -> MachineState:
        """What it does; a machine that cannot be asked is offline. Never raises."""

    def put(self, file: Path, name: str) -> None:
        """Bring a file, which is complete and listed when this returns. It does not start."""

    def start(self, name: str) -> None:
        """Print the file."""

    def past(self, name: str) -> AttemptState | None:
        """How the file's print ended; None: it would know, and knows of none; UNCLEAR: it keeps
        no records."""

    def drop(self, name: str) -> bool:
        """Delete the file: True once it is gone, False where it is being printed."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def cancel(self) -> None: ...

    def skip(self, part: ObjectLabel) -> ExclusionResult:
        """Leave an object out from now on; repeated it is left out once."""

    def camera(self) -> bytes | None:
        """Return a JPEG or PNG of its camera; None without one."""
