"""Moonraker driver (REST API) for printers with Klipper."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from agent.camera import MAX_PLACES, Camera
from agent.continuity import ContinuityTracker
from agent.http_client import MAX_SECONDS, Answer, HttpClient, nested, number_within, require
from agent.multipart import MultipartForm
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
from machines.states import AttemptState

UPLOAD_TIME = 600.0  # s
RESEND_AFTER = 30.0  # s: Klipper queues a command until the current line of the print is done
MAX_TEXT = 200  # characters of a host's text
MAX_HEATERS = 20
HISTORY_ROWS = 50

# State of Klipper (`webhooks.state`). The state of the print counts only while this is `ready`:
# after an emergency stop or a lost board `print_stats.state` says `paused`.
_KLIPPER = {
    "startup": MachineStatus.BUSY,
    "shutdown": MachineStatus.FAILED,
    "error": MachineStatus.FAILED,
}
# State of the print (`print_stats.state`).
_PRINT = {
    "standby": MachineStatus.IDLE,
    "printing": MachineStatus.PRINTING,
    "paused": MachineStatus.PAUSED,
    "complete": MachineStatus.DONE,
    "cancelled": MachineStatus.STOPPED,
    "error": MachineStatus.FAILED,
}
# Status of a row of the print history.
_HISTORY = {
    "completed": AttemptState.DONE,
    "cancelled": AttemptState.STOPPED,
    "error": AttemptState.FAILED,
    "klippy_shutdown": AttemptState.FAILED,
    "klippy_disconnect": AttemptState.FAILED,
}
_OBJECTS = (
    "webhooks",
    "print_stats",
    "virtual_sdcard",
    "display_status",
    "heaters",
    "gcode_move",
)
_SENSORS = ("filament_switch_sensor ", "filament_motion_sensor ")
MAX_SENSORS = 10


class Moonraker:
    """A printer with Klipper behind a Moonraker."""

    def __init__(self, client: HttpClient):
        self._client = client
        self._watched = ContinuityTracker()
        self._camera = Camera(client, self._webcams)
        self._klipper, self._job, self._process = "", "", 0  # of the last look
        self._heaters: tuple[str, ...] = ()
        self._sensors: tuple[str, ...] = ()
        self._sensors_of = -1  # process of Klipper whose sensors they are
        self._range: tuple[str, int, int] = ("", 0, 0)  # file, first and last byte that prints
        self._pending = PendingCommand(RESEND_AFTER)

    # ---------------------------------------------------------------- state

    def look(self) -> MachineState:
        """Query the objects of Klipper, and its process; without an answer it is offline."""
        try:
            return self._state()
        except (NotSent, NoAnswer, Rejected) as error:
            return self._watched.lost(str(error)[:MAX_TEXT])

    def _state(self) -> MachineState:
        names = (*_OBJECTS, *self._heaters, *self._sensors)
        answer = self._request("GET", f"/printer/objects/query?{'&'.join(map(quote, names))}")
        if answer.status in (404, 503):  # Moonraker answers, Klipper has not been or is not there
            self._restarted("", "", 0)
            raise NoAnswer("Moonraker answers, and is not connected to Klipper.")
        if answer.status in (401, 403):
            raise Rejected(f"It answers with {answer.status}: is the key right?")
        _require(answer)
        status = nested(answer.json(), "result", "status")
        klipper = _text(nested(status, "webhooks", "state"))
        job = _text(nested(status, "print_stats", "filename"))
        process = nested(self._result("/printer/info"), "process_id")
        self._restarted(klipper, job, process if isinstance(process, int) else 0)
        if klipper == "ready" and self._sensors_of != self._process:
            self._sensors = self._list_sensors()
            self._sensors_of = self._process
        self._heaters = _heaters(status)
        doing = _status(klipper, _text(nested(status, "print_stats", "state")))
        shown = None if doing in (MachineStatus.IDLE, MachineStatus.BUSY) else job or None
        progress = self._progress(status, doing, job)
        seen = self._watched.seen(doing, shown, progress, _text_of(status))
        return seen._replace(
            boot=f"{seen.boot}-{self._process}",
            filament=number_within(nested(status, "print_stats", "filament_used"), 1e8),
            temperatures=_temperatures(status, self._heaters),
            details=_details(status, progress, self._sensors),
        )

    def _list_sensors(self) -> tuple[str, ...]:
        """Return the names of Klipper's filament sensors."""
        rows = nested(self._result("/printer/objects/list"), "objects")
        names = [_text(row) for row in rows] if isinstance(rows, list) else []
        return tuple(name for name in names if name.startswith(_SENSORS))[:MAX_SENSORS]

    def _restarted(self, klipper: str, job: str, process: int) -> None:
        """Note the state of Klipper; begin a new `boot` where it may have been restarted.

        A restart within its process shows by a state before `ready`, by the end of a shutdown,
        or by the name of the last file, which only Klipper's memory has.
        """
        was_down = self._klipper == "shutdown" and klipper != "shutdown"
        forgot = bool(self._job) and not job
        if klipper not in ("ready", "shutdown") or was_down or forgot:
            self._watched.restarted()
        self._klipper, self._job, self._process = klipper, job, process

    def _progress(self, status: object, doing: MachineStatus, job: str) -> float | None:
        """Progress by M73, or by the bytes of the file that print; 1 at the end."""
        if doing is MachineStatus.DONE:
            return 1.0
        if not job or doing is MachineStatus.IDLE:
            return None
        of_file = number_within(nested(status, "virtual_sdcard", "progress"), 1)
        of_slicer = number_within(nested(status, "display_status", "progress"), 1)
        if of_slicer is not None and of_slicer != of_file:  # equal: there was no M73
            return of_slicer
        at = number_within(nested(status, "virtual_sdcard", "file_position"), 1e12)
        first, last = self._printed_range(job) if doing is MachineStatus.PRINTING else (0, 0)
        if at is not None and last > first:
            return min(max((at - first) / (last - first), 0.0), 1.0)
        return of_file

    def _printed_range(self, job: str) -> tuple[int, int]:
        """First and last byte of the file that print, from its metadata; 0, 0: unknown."""
        if self._range[0] != job:
            answer = self._metadata(job)
            metadata = nested(answer.json(), "result") if answer.status == 200 else None
            first, last = (
                int(number_within(nested(metadata, key), 1e12) or 0)
                for key in ("gcode_start_byte", "gcode_end_byte")
            )
            self._range = (job, first, last)
        return self._range[1:]

    # ---------------------------------------------------------------- files

    def put(self, file: Path, name: str) -> None:
        """Upload the file; Moonraker compares its checksum, and keeps no other one."""
        with file.open("rb") as content:
            checksum = hashlib.file_digest(content, "sha256").hexdigest()
        form = MultipartForm(file, name, {"root": "gcodes", "checksum": checksum})
        answer = self._request(
            "POST", "/server/files/upload", body=form, headers=form.headers, timeout=UPLOAD_TIME
        )
        if answer.status == 422:
            raise NoAnswer(f"{name} did not arrive as it was sent.")
        _require(answer, 201)
        _require(self._metadata(name))

    def drop(self, name: str) -> bool:
        """Delete the file, unless Klipper prints it: Moonraker may have missed that."""
        seen = self._state()
        if seen.job == name and seen.doing in (MachineStatus.PRINTING, MachineStatus.PAUSED):
            return False
        path = f"/server/files/gcodes/{quote(name, safe='')}"
        answer = self._request("DELETE", path)
        if answer.status == 403:  # in use; a wrong key is 401
            return False
        if answer.status == 400 and self._request("HEAD", path).status == 404:
            return True  # there was no such file
        _require(answer)
        return True

    def past(self, name: str) -> AttemptState | None:
        """Return how the print ended, by Moonraker's history.

        UNCLEAR: it began, and its end is not in the history; or there is no history.
        """
        answer = self._request("GET", f"/server/history/list?limit={HISTORY_ROWS}&order=desc")
        if answer.status == 404:
            return AttemptState.UNCLEAR
        _require(answer)
        rows = nested(answer.json(), "result", "jobs")
        for row in rows if isinstance(rows, list) else ():
            if nested(row, "filename") == name:
                return _HISTORY.get(_text(nested(row, "status")), AttemptState.UNCLEAR)
        return None

    # ---------------------------------------------------------------- commands

    def start(self, name: str) -> None:
        """Print the file."""
        self._pending.sent("")
        _require(self._post("/printer/print/start", {"filename": name}))

    def pause(self) -> None:
        self._command("/printer/print/pause")

    def resume(self) -> None:
        self._command("/printer/print/resume")

    def cancel(self) -> None:
        self._command("/printer/print/cancel")

    def skip(self, part: ObjectLabel) -> ExclusionResult:
        """Exclude an object, and see that Klipper lists it as excluded.

        Raises NoAnswer as long as Klipper has not read the labels of the file, or has not got to
        the command.
        """
        name = (part.label or part.name).upper()  # as Klipper lists it
        excludes, objects, excluded = self._objects()
        if name in excluded:
            return ExclusionResult.DONE
        if not excludes:
            return ExclusionResult.CANNOT
        if name not in objects:
            if objects or part.firmware != "klipper" or self._extrudes():
                return ExclusionResult.CANNOT
            raise NoAnswer("Klipper has not read the object labels of the file yet.")
        self._command("/printer/gcode/script", {"script": f"EXCLUDE_OBJECT NAME={name}"})
        if name not in self._objects()[2]:
            raise NoAnswer(f"Klipper does not list {name} as excluded yet.")
        return ExclusionResult.DONE

    def camera(self) -> bytes | None:
        """The snapshot of its first webcam that has one, or a picture of its MJPEG stream."""
        return self._camera.picture()

    def _webcams(self) -> list[str]:
        answer = self._client.ask("GET", "/server/webcams/list")
        _require(answer)
        rows = nested(answer.json(), "result", "webcams")
        return [
            _text(nested(row, "snapshot_url")) or _text(nested(row, "stream_url"))
            for row in (rows[:MAX_PLACES] if isinstance(rows, list) else ())
            if nested(row, "enabled") is not False
        ]

    def _objects(self) -> tuple[bool, set[str], set[str]]:
        """Return whether Klipper excludes objects; their names; the names of excluded ones."""
        status = nested(self._result("/printer/objects/query?exclude_object"), "status")
        section = nested(status, "exclude_object") or {}
        objects, excluded = nested(section, "objects"), nested(section, "excluded_objects")
        return (
            bool(section),
            {_text(nested(row, "name")) for row in objects} if isinstance(objects, list) else set(),
            {str(name) for name in excluded} if isinstance(excluded, list) else set(),
        )

    def _extrudes(self) -> bool:
        """Whether the print has extruded: the labels are before that in a file."""
        stats = nested(self._result("/printer/objects/query?print_stats"), "status", "print_stats")
        return bool(number_within(nested(stats, "print_duration"), 1e9))

    def _command(self, path: str, body: Mapping[str, object] | None = None) -> None:
        """Send a command. One that was not answered is not sent again at once: it would wait in
        Klipper's queue beside the first.
        """
        command = f"{path} {body}"
        if self._pending.is_waiting(command):
            raise NoAnswer("Klipper has not got to the command yet.")
        self._pending.sent(command)
        answer = self._post(path, body or {})
        self._pending.sent("")
        _require(answer)

    # ---------------------------------------------------------------- requests

    def _metadata(self, name: str) -> Answer:
        return self._request("GET", f"/server/files/metadata?{urlencode({'filename': name})}")

    def _result(self, path: str) -> Any:
        answer = self._request("GET", path)
        _require(answer)
        return answer.json().get("result")

    def _post(self, path: str, body: Mapping[str, object]) -> Answer:
        headers = {"Content-Type": "application/json"}
        return self._request("POST", path, body=json.dumps(body).encode(), headers=headers)

    def _request(self, method: str, path: str, **options: Any) -> Answer:
        with self._watched:
            return self._client.ask(method, path, **options)


def _require(answer: Answer, status: int = 200) -> None:
    """Raise as `require`, with Moonraker's message: the tracebacks beside it are left out."""
    require(answer, status, _message(answer) if answer.status != status else "")


def _message(answer: Answer) -> str:
    try:
        return _text(nested(answer.json(), "error", "message"))
    except NoAnswer:
        return ""


def _status(klipper: str, state: str) -> MachineStatus:
    """Status of the machine. An unknown one needs attention: it must not free a plate."""
    if klipper != "ready":
        return _KLIPPER.get(klipper, MachineStatus.ATTENTION)
    return _PRINT.get(state, MachineStatus.ATTENTION)


def _text_of(status: object) -> str:
    """Return the error of Klipper or the print, else the text on its display, else its state."""
    klipper = _text(nested(status, "webhooks", "state"))
    if klipper != "ready":
        return _text(nested(status, "webhooks", "state_message")) or klipper
    return (
        _text(nested(status, "print_stats", "message"))
        or _text(nested(status, "display_status", "message"))
        or _text(nested(status, "print_stats", "state"))
    )


def _heaters(status: object) -> tuple[str, ...]:
    """Names of Klipper's heaters: several extruders, the bed, a chamber."""
    names = nested(status, "heaters", "available_heaters")
    return tuple(_text(name) for name in names[:MAX_HEATERS]) if isinstance(names, list) else ()


def _temperatures(status: object, heaters: tuple[str, ...]) -> tuple[HeaterTemperature, ...]:
    rows = (
        (
            name,
            number_within(nested(status, name, "temperature"), 2000, -300),
            number_within(nested(status, name, "target"), 2000),
        )
        for name in heaters
    )
    return tuple(HeaterTemperature(name, at, to) for name, at, to in rows if at is not None)


def _details(status: object, progress: float | None, sensors: tuple[str, ...]) -> MachineDetails:
    """Return layers, time left by the time and progress so far, speed and filament sensors."""
    info = nested(status, "print_stats", "info")
    layer = number_within(nested(info, "current_layer"), 1e6)
    layers = number_within(nested(info, "total_layer"), 1e6)
    seconds = number_within(nested(status, "print_stats", "print_duration"), MAX_SECONDS)
    left = seconds * (1 - progress) / progress if seconds and progress and progress > 0.01 else None
    readings = [nested(status, name, "filament_detected") for name in sensors]
    filament = [value for value in readings if isinstance(value, bool)]
    return MachineDetails(
        None if layer is None else int(layer),
        None if layers is None else int(layers),
        number_within(left, MAX_SECONDS),
        number_within(nested(status, "gcode_move", "speed_factor"), 100),
        all(filament) if filament else None,
    )


def _text(value: object) -> str:
    return value.strip()[:MAX_TEXT] if isinstance(value, str) else ""
