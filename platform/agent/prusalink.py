"""PrusaLink driver (v1 API) for printers of Prusa, with the firmware's own PrusaLink or a Pi's."""

import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from agent.camera import MAX_READ, PICTURE_TIME, checked
from agent.continuity import ContinuityTracker
from agent.http_client import (
    CHUNK,
    MAX_SECONDS,
    Answer,
    HttpClient,
    nested,
    number_within,
    require,
)
from agent.pending_command import PendingCommand
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
from machines.states import PRINTED, AttemptState

UPLOAD_TIME = 600.0  # s
LIST_TIME = 10.0  # s until the list of files shows an upload or a deletion; 0.4 s were measured
LIST_INTERVAL = 0.2  # s
START_TIME = 20.0  # s in which a start is repeated that was refused
START_INTERVAL = 1.0  # s
# s: a 204 says that a command was taken. PrusaLink tries for 15 s to reach its state.
RESEND_AFTER = 15.0
MAX_TEXT = 200  # characters of a host's text
MAX_ENDS = 50
LOOKS = 3  # a job may end between the two requests of a look

_STATES = {
    "IDLE": MachineStatus.IDLE,
    "READY": MachineStatus.IDLE,
    "BUSY": MachineStatus.BUSY,
    "PRINTING": MachineStatus.PRINTING,
    "PAUSED": MachineStatus.PAUSED,
    "FINISHED": MachineStatus.DONE,
    "STOPPED": MachineStatus.STOPPED,
    "ERROR": MachineStatus.FAILED,
    "ATTENTION": MachineStatus.ATTENTION,
}
_PRINTS = (MachineStatus.PRINTING, MachineStatus.PAUSED)
_ENDS = {
    MachineStatus.DONE: AttemptState.DONE,
    MachineStatus.STOPPED: AttemptState.STOPPED,
    MachineStatus.FAILED: AttemptState.FAILED,
}


class _Job(NamedTuple):
    """A print that the host shows."""

    number: int
    name: str
    state: str
    progress: float | None


_NO_JOB = _Job(0, "", "", None)


class PrusaLink:
    """A printer behind a PrusaLink.

    It keeps no records, and names a print only while it runs: the driver remembers what it saw,
    as long as its looks leave no gap in which the host may have been restarted.
    """

    def __init__(self, client: HttpClient):
        self._client = client
        self._watched = ContinuityTracker()
        self._storage = ""
        self._boot = ""  # of what is remembered below
        self._last = _NO_JOB  # the last print that was seen
        self._ends: dict[str, AttemptState] = {}
        self._sent: set[str] = set()  # files after whose upload no nameless print was seen
        self._short: dict[str, str] = {}  # short names of files, with their long ones
        self._pending = PendingCommand(RESEND_AFTER)

    # ---------------------------------------------------------------- state

    def look(self) -> MachineState:
        """Ask for the state and the job; without an answer it is offline."""
        try:
            return self._state()
        except (NotSent, NoAnswer, Rejected) as error:
            return self._watched.lost(str(error)[:MAX_TEXT])

    def _state(self) -> MachineState:
        status, job = self._status()
        printer = nested(status, "printer")
        word = job.state if job else _text(nested(printer, "state"))
        doing = _STATES.get(word, MachineStatus.ATTENTION)
        if job is None and nested(status, "job", "id") is None and doing in _PRINTS:
            doing = MachineStatus.BUSY  # the job is over, and the state follows within a second
        name = self._remember(doing, job)
        progress = job.progress if job else None
        seen = self._watched.seen(
            doing,
            name,
            1.0 if doing is MachineStatus.DONE and name else progress,
            _text_of(printer, doing),
        )
        speed = number_within(nested(printer, "speed"), 10_000)
        details = MachineDetails(
            seconds_left=number_within(nested(status, "job", "time_remaining"), MAX_SECONDS),
            speed=_part(speed),
        )
        return seen._replace(temperatures=_temperatures(printer), details=details)

    def _status(self) -> tuple[object, _Job | None]:
        """Return the status, and the job of the same moment."""
        for _ in range(LOOKS):
            answer = self._request("GET", "/api/v1/status")
            if answer.status == 503:  # PrusaLink has just been started
                self._watched.restarted()
                raise NoAnswer("PrusaLink answers, and is not connected to the printer.")
            if answer.status in (401, 403):
                raise Rejected(f"It answers with {answer.status}: is the key right?")
            require(answer, 200)
            status = answer.json()
            if nested(status, "job", "id") is None:
                return status, None
            answer = self._request("GET", "/api/v1/job")
            if answer.status == 200:
                return status, self._job(answer.json())
            if answer.status != 204:
                require(answer, 204)
        return status, None

    def _job(self, shown: object) -> _Job:
        number = nested(shown, "id")
        return _Job(
            number if isinstance(number, int) else 0,
            self._name(nested(shown, "file")),
            _text(nested(shown, "state")),
            _part(number_within(nested(shown, "progress"), 100)),
        )

    def _name(self, file: object) -> str:
        """Return the long name of a file: some firmware shows names of eight letters and three."""
        name = _text(nested(file, "display_name"))
        short = _text(nested(file, "name"))
        if name and "~" not in name:
            return name
        short = short or name
        if "~" in short and short not in self._short:
            answer = self._request("GET", self._path(short))
            if answer.status == 200:
                self._short[short] = _text(answer.json().get("display_name"))
        return self._short.get(short) or short

    def _remember(self, doing: MachineStatus, job: _Job | None) -> str | None:
        """Keep what the host will forget; return the name of the print that it shows.

        Without a job, an end that follows a print in an unbroken watch is of that print.
        """
        self._forget_after_gap()
        if job is not None:
            self._last = job
            name = job.name
        elif doing in _ENDS:
            name = self._last.name
            self._sent.clear()  # it may be the end of a print between two looks
        else:
            name = ""
            if doing is MachineStatus.IDLE:  # an end from now on is of another print
                self._last = _NO_JOB
            elif doing is not MachineStatus.BUSY:
                self._sent.clear()
        if name:
            self._sent.discard(name)
            if job is not None or self._ends.get(name) not in PRINTED:  # the first end counts
                self._ends[name] = _ENDS.get(doing, AttemptState.UNCLEAR)
                self._ends = dict(list(self._ends.items())[-MAX_ENDS:])
        return name or None

    def _forget_after_gap(self) -> None:
        if self._boot != self._watched.boot:
            self._boot, self._last, self._sent = self._watched.boot, _NO_JOB, set()

    # ---------------------------------------------------------------- files

    def put(self, file: Path, name: str) -> None:
        """Upload the file, and wait until it is listed with its size.

        It never overwrites: PrusaLink 0.8.1 would replace a file that it prints.
        """
        size = file.stat().st_size
        path = self._path(name)
        answer = self._request("GET", path)
        if answer.status == 200 and not self.drop(name):
            raise Rejected(f"{name} is being printed.")
        headers = {
            "Content-Type": "text/x.gcode",
            "Content-Length": str(size),
            "Print-After-Upload": "?0",
            "Overwrite": "?0",
        }
        with self._watched:
            answer = self._client.ask(
                "PUT", path, body=_Content(file), headers=headers, timeout=UPLOAD_TIME
            )
        if answer.status != 201:
            self._storage = ""  # another one may be there now
        require(answer, 201)
        self._wait_listed(path, size)
        self._forget_after_gap()
        self._ends.pop(name, None)
        self._sent.add(name)

    def drop(self, name: str) -> bool:
        """Delete the file, unless it is printed, and wait until it is not listed."""
        path = self._path(name)
        answer = self._request("DELETE", path)
        if answer.status == 409:  # printed, or in the hands of an upload
            if self._state().job == name:
                return False
            raise NoAnswer(f"{name} is in use, and not printed.")
        # 500 where the list still shows a file that is gone.
        if answer.status not in (404, 500):
            require(answer, 204)
        self._wait_listed(path, None)
        return True

    def past(self, name: str) -> AttemptState | None:
        """Return how the print ended, as it was seen. The host keeps no records.

        None: the driver has watched the host without a gap since the upload, and seen no print of
        the file.
        """
        if (seen := self._ends.get(name)) is not None:
            return seen
        return None if name in self._sent else AttemptState.UNCLEAR

    def _wait_listed(self, path: str, size: int | None) -> None:
        """Wait for the list of files: with a file of this size, or without it."""
        deadline = time.monotonic() + LIST_TIME
        while True:
            answer = self._request("GET", path)
            if size is None and answer.status == 404:
                return
            if size is not None and answer.status == 200:
                if answer.json().get("size") in (None, size):
                    return
                raise NoAnswer("The file did not arrive as it was sent.")
            if time.monotonic() > deadline:
                raise NoAnswer("The list of files does not show what was done.")
            time.sleep(LIST_INTERVAL)

    def _path(self, name: str) -> str:
        """Return the path of a file in the first storage that can be written: local or usb."""
        if not self._storage:
            answer = self._request("GET", "/api/v1/storage")
            require(answer, 200)
            rows = answer.json().get("storage_list")
            self._storage = next(
                (
                    _text(nested(row, "path")).strip("/")
                    for row in (rows if isinstance(rows, list) else ())
                    if nested(row, "available") is True and nested(row, "read_only") is not True
                ),
                "",
            )
        if not self._storage:
            raise Rejected("The printer has no storage: insert a USB drive.")
        return f"/api/v1/files/{quote(self._storage, safe='')}/{quote(name, safe='')}"

    # ---------------------------------------------------------------- commands

    def start(self, name: str) -> None:
        """Print the file.

        PrusaLink 0.8.1 answers with 409, and begins nothing, while it shows the print before as
        finished: for about ten seconds.
        """
        self._pending.sent("")
        path, deadline = self._path(name), time.monotonic() + START_TIME
        while True:
            answer = self._request("POST", path)
            if answer.status != 409 or time.monotonic() > deadline:
                break
            if self._state().doing not in (*_ENDS, MachineStatus.IDLE):
                break
            time.sleep(START_INTERVAL)
        require(answer, 204)

    def pause(self) -> None:
        self._command("PUT", "/pause")

    def resume(self) -> None:
        self._command("PUT", "/resume")

    def cancel(self) -> None:
        self._command("DELETE")

    def skip(self, part: ObjectLabel) -> ExclusionResult:
        """The API excludes no objects."""
        return ExclusionResult.CANNOT

    def camera(self) -> bytes | None:
        """The last picture of its default camera; the PrusaLink of a firmware has no cameras."""
        content = BytesIO()
        answer = self._client.ask(
            "GET", "/api/v1/cameras/snap", into=content, limit=MAX_READ, timeout=PICTURE_TIME
        )
        if answer.status in (204, 404):
            return None
        require(answer, 200)
        return checked(content.getvalue())

    def _command(self, method: str, action: str = "") -> None:
        """Send a command for the print that was seen last: another one has another number."""
        if not self._last.name or not self._last.number:
            raise NotSent("The printer shows no print.")
        path = f"/api/v1/job/{self._last.number}{action}"
        command = f"{method} {path}"
        if self._pending.is_waiting(command):
            return  # taken; the state follows once the printer gets to it
        require(self._request(method, path), 204)
        self._pending.sent(command)

    def _request(self, method: str, path: str) -> Answer:
        with self._watched:
            return self._client.ask(method, path)


class _Content:
    """Bytes of a file, which can be sent again after a challenge."""

    def __init__(self, file: Path):
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        with self._file.open("rb") as content:
            while chunk := content.read(CHUNK):
                yield chunk


def _text_of(printer: object, doing: MachineStatus) -> str:
    """Return the message of the printer, else its state."""
    message = _text(nested(printer, "status_printer", "message"))
    if message and message != "OK":
        return message
    return _text(nested(printer, "state")).lower() or doing.value


def _temperatures(printer: object) -> tuple[HeaterTemperature, ...]:
    rows = (
        (
            heater,
            number_within(nested(printer, f"temp_{heater}"), 2000, -300),
            number_within(nested(printer, f"target_{heater}"), 2000),
        )
        for heater in ("nozzle", "bed")
    )
    return tuple(HeaterTemperature(name, at, to) for name, at, to in rows if at is not None)


def _part(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _text(value: object) -> str:
    return value.strip()[:MAX_TEXT] if isinstance(value, str) else ""
