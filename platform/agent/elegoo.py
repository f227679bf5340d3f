"""Driver of Elegoo printers that print G-code (Centauri Carbon), by SDCP 3.0.

Not tried with a printer yet: it follows the published protocol, and what others have published of
the Centauri Carbon (OpenCentauri).
"""

import hashlib
import secrets
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from agent import elegoo_camera
from agent.connection_test import Host, NoHost
from agent.elegoo_camera import ElegooCamera
from agent.http_client import Answer, HttpClient, nested, number_within
from agent.multipart import MultipartForm
from agent.pending_command import PendingCommand
from agent.print_memory import PrintMemory
from agent.sdcp import SdcpLink
from agent.sockets import Network
from machines.drivers import (
    ExclusionResult,
    HeaterTemperature,
    MachineDetails,
    MachineState,
    MachineStatus,
    NoAnswer,
    NotSent,
    ObjectLabel,
    Rejected,
)
from machines.states import AttemptState

START, PAUSE, STOP, RESUME, LIST, DELETE = 128, 129, 130, 131, 258, 259  # commands
FOLDER = "/local/"
PART = 1 << 20  # bytes of a request: a file is uploaded in parts
PART_TIME = 60.0  # s
LIST_TIME, LIST_INTERVAL = 10.0, 0.2  # s until the list of files shows an upload or a deletion
RESEND_AFTER = 15.0  # s until a command whose state has not followed is sent again
MAX_TEXT = 200

# What the machine does (`CurrentStatus`): without a print only idle is ready.
_IDLE, _PRINTING = 0, 1
_BUSY = (2, 3, 4, 8)  # file transfer, calibration, self-test
# State of the print (`PrintInfo.Status`), which stays after its end.
_PRINT = {
    0: MachineStatus.IDLE,
    1: MachineStatus.PRINTING,  # homing
    2: MachineStatus.PRINTING,
    3: MachineStatus.PRINTING,
    4: MachineStatus.PRINTING,
    5: MachineStatus.PAUSED,  # pausing
    6: MachineStatus.PAUSED,
    7: MachineStatus.STOPPING,
    8: MachineStatus.STOPPED,
    9: MachineStatus.DONE,
    10: MachineStatus.BUSY,  # checks the file
    13: MachineStatus.PRINTING,
    14: MachineStatus.FAILED,
    15: MachineStatus.BUSY,
    16: MachineStatus.PRINTING,  # heating
    18: MachineStatus.BUSY,
    19: MachineStatus.BUSY,
    20: MachineStatus.PRINTING,  # bed levelling
    21: MachineStatus.BUSY,
}
_AT_REST = (
    MachineStatus.IDLE,
    MachineStatus.STOPPED,
    MachineStatus.DONE,
    MachineStatus.FAILED,
)
_ERRORS = {
    1: "the checksum of the file is wrong",
    2: "the file cannot be read",
    4: "the file has another format",
    5: "the file is for another model",
}


class ElegooPorts(NamedTuple):
    """Ports of a printer; uploads: the first one that takes them."""

    sdcp: int = 3030
    uploads: tuple[int, ...] = (80, 3030)
    video: int = elegoo_camera.PORT


class Elegoo:
    """A printer of Elegoo."""

    def __init__(
        self, host: str, networks: Sequence[Network] | None = None, ports: ElegooPorts | None = None
    ):
        self._host, self._networks, self._ports = host, networks, ports or ElegooPorts()
        self._link = SdcpLink((host, self._ports.sdcp), networks)
        self._camera = ElegooCamera(host, self._link, networks, self._ports.video)
        self._memory, self._connections = PrintMemory(), 0
        self._job = ""
        self._pending = PendingCommand(RESEND_AFTER)

    # ---------------------------------------------------------------- state

    def look(self) -> MachineState:
        """Request the status; without an answer it is offline."""
        try:
            return self._state()
        except (NotSent, NoAnswer, Rejected) as error:
            text = str(error)[:MAX_TEXT]
            return MachineState(MachineStatus.OFFLINE, at=time.monotonic(), text=text)

    def _state(self) -> MachineState:
        status = self._link.refresh()
        if self._connections != self._link.connections:
            self._connections = self._link.connections
            self._memory.connected()
        info = nested(status, "PrintInfo")
        doing, job = _doing(status), _name_of(nested(info, "Filename"))
        self._job = job
        self._memory.saw(job, doing)
        layer, layers = (_layer(nested(info, name)) for name in ("CurrentLayer", "TotalLayer"))
        done, total = (
            number_within(nested(info, name), 1e10) for name in ("CurrentTicks", "TotalTicks")
        )
        percent = number_within(nested(info, "Progress"), 100)
        part = percent / 100 if percent is not None else None
        if part is None and done is not None and total:
            part = min(done / total, 1.0)
        speed = number_within(nested(info, "PrintSpeedPct"), 10_000)
        return MachineState(
            doing,
            (job or None) if doing is not MachineStatus.IDLE else None,
            self._memory.boot,
            time.monotonic(),
            _text_of(info, doing),
            1.0 if doing is MachineStatus.DONE else part,
            temperatures=_temperatures(status),
            details=MachineDetails(
                layer=layer, layers=layers, speed=None if speed is None else speed / 100
            ),
        )

    def identify(self) -> Host:
        """Return model and version of the firmware. Raises NoHost for a printer of resin."""
        self._state()
        about = self._link.attributes
        kinds = about.get("SupportFileType")
        if (
            isinstance(kinds, list)
            and kinds
            and "GCODE" not in [str(kind).upper() for kind in kinds]
        ):
            raise NoHost("The printer does not print G-code: resin printers are not supported.")
        names = [about.get(name) for name in ("BrandName", "MachineName", "FirmwareVersion")]
        text = " ".join(name[:30] for name in names if isinstance(name, str))
        return Host("elegoo", "".join(each for each in text if each.isprintable())[:60] or "Elegoo")

    def close(self) -> None:
        """Close the connection."""
        self._link.close()

    # ---------------------------------------------------------------- files

    def put(self, file: Path, name: str) -> None:
        """Upload a file in parts with its MD5, and wait until the printer lists it."""
        if self._is_in_use(name):
            raise Rejected(f"{name} is being printed.")
        self._upload(file, name)
        self._wait_listed(name, is_there=True)
        self._memory.uploaded(name)

    def _upload(self, file: Path, name: str) -> None:
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "md5").hexdigest()
        size, number = file.stat().st_size, secrets.token_hex(16)
        for part, offset in _parts(file):
            fields = {
                "Check": "1",
                "S-File-MD5": digest,
                "Offset": str(offset),
                "Uuid": number,
                "TotalSize": str(size),
            }
            answer = self._post(MultipartForm(part, name, fields, field="File"))
            code = answer.json().get("code") if answer.status == 200 else answer.status
            if code != "000000":
                raise NoAnswer(f"The printer answers an upload with {str(code)[:20]}.")

    def _post(self, form: MultipartForm) -> Answer:
        """Send a part to the first port that takes uploads."""
        named = f"[{self._host}]" if ":" in self._host else self._host
        for port in self._ports.uploads:
            client = HttpClient(f"http://{named}:{port}", {}, self._networks)
            try:
                answer = client.ask(
                    "POST",
                    "/uploadFile/upload",
                    body=form,
                    headers=form.headers,
                    timeout=PART_TIME,
                )
            except NotSent:
                if port == self._ports.uploads[-1]:
                    raise
                continue
            if answer.status != 404 or port == self._ports.uploads[-1]:
                return answer
        raise NotSent("The printer takes no uploads.")

    def drop(self, name: str) -> bool:
        """Delete a file, unless the printer shows its print."""
        if self._is_in_use(name):
            return False
        if name in self._listed():
            self._link.ask(DELETE, FileList=[FOLDER + name], FolderList=[])
        self._wait_listed(name, is_there=False)
        return True

    def past(self, name: str) -> AttemptState | None:
        """Return how a print ended, as it was seen."""
        return self._memory.past(name)

    def _is_in_use(self, name: str) -> bool:
        seen = self._state()
        return seen.job == name and seen.doing not in _AT_REST

    def _listed(self) -> set[str]:
        rows = self._link.ask(LIST, Url=FOLDER.rstrip("/")).get("FileList")
        rows = rows if isinstance(rows, list) else []
        return {_name_of(nested(row, "name")) for row in rows}

    def _wait_listed(self, name: str, *, is_there: bool) -> None:
        deadline = time.monotonic() + LIST_TIME
        while (name in self._listed()) is not is_there:
            if time.monotonic() > deadline:
                raise NoAnswer("The list of files does not show what was done.")
            time.sleep(LIST_INTERVAL)

    # ---------------------------------------------------------------- commands

    def start(self, name: str) -> None:
        """Print the file."""
        self._pending.sent("")
        self._link.ask(
            START,
            Filename=FOLDER + name,
            StartLayer=0,
            Calibration_switch=0,
            PrintPlatformType=0,
            Tlp_Switch=0,
        )

    def pause(self) -> None:
        self._command(PAUSE)

    def resume(self) -> None:
        self._command(RESUME)

    def cancel(self) -> None:
        self._command(STOP)

    def skip(self, part: ObjectLabel) -> ExclusionResult:
        """The protocol excludes no objects."""
        return ExclusionResult.CANNOT

    def camera(self) -> bytes | None:
        """The first picture of the video, which is on until `release_camera`."""
        return self._camera.picture()

    def release_camera(self) -> None:
        """Switch the video off, which the printer sends to few programs, and disconnect."""
        self._camera.release()

    def _command(self, command: int) -> None:
        """Send a command for the print that was seen last."""
        job = self._job
        if not job or self._state().job != job:
            raise NotSent("The printer shows another print now.")
        if self._pending.is_waiting(f"{command} {job}"):
            return  # taken; its state follows
        self._link.ask(command)
        self._pending.sent(f"{command} {job}")


def _doing(status: object) -> MachineStatus:
    """Return what a printer does; where machine and print contradict each other it is busy."""
    rows = nested(status, "CurrentStatus")
    machine = {row for row in rows if isinstance(row, int)} if isinstance(rows, list) else {-1}
    state = nested(status, "PrintInfo", "Status")
    job = _PRINT.get(state if isinstance(state, int) else -1, MachineStatus.ATTENTION)
    if job is MachineStatus.FAILED:
        return job
    if machine == {_IDLE}:
        return job if job in (*_AT_REST, MachineStatus.ATTENTION) else MachineStatus.BUSY
    if _PRINTING in machine:
        return MachineStatus.BUSY if job in _AT_REST else job
    return MachineStatus.BUSY if machine and machine <= {*_BUSY} else MachineStatus.ATTENTION


def _text_of(info: object, doing: MachineStatus) -> str:
    number = nested(info, "ErrorNumber")
    if isinstance(number, int) and number:
        return f"Error {number}: {_ERRORS.get(number, 'the display of the printer says more')}."
    return doing.value


def _name_of(path: object) -> str:
    return path.rpartition("/")[2][:MAX_TEXT] if isinstance(path, str) else ""


def _layer(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value < 1_000_000 else None


def _temperatures(status: object) -> tuple[HeaterTemperature, ...]:
    rows = (
        (
            heater,
            number_within(nested(status, f"TempOf{name}"), 2000, -300),
            number_within(nested(status, f"TempTarget{name}"), 2000),
        )
        for heater, name in (("nozzle", "Nozzle"), ("bed", "Hotbed"), ("chamber", "Box"))
    )
    return tuple(HeaterTemperature(name, at, to) for name, at, to in rows if at is not None)


def _parts(file: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the parts of a file with their offsets; an empty one of an empty file."""
    offset = 0
    with file.open("rb") as content:
        while (part := content.read(PART)) or not offset:
            yield part, offset
            offset += len(part) or PART
