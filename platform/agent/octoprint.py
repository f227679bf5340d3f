"""OctoPrint driver (REST API)."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from agent.camera import Camera
from agent.continuity import ContinuityTracker
from agent.http_client import (
    MAX_SECONDS,
    Answer,
    HttpClient,
    nested,
    number_within,
    require,
)
from agent.multipart import MultipartForm
from machines.drivers import (
    ExclusionResult,
    HeaterTemperature,
    MachineDetails,
    MachineState,
    MachineStatus,
    NoAnswer,
    NotSent,
    ObjectLabel,
)
from machines.states import AttemptState

UPLOAD_TIME = 600.0  # s
MAX_TEXT = 200  # characters of what a host says
DETAILS_TIME = 1.0  # s
MAX_HEATERS, MAX_HEATER_NAME = 20, 60

# What it says that it does, in lower case; longer words follow behind some of them.
_WORDS = {
    "printing": MachineStatus.PRINTING,
    "starting": MachineStatus.PRINTING,
    "finishing": MachineStatus.PRINTING,
    "resuming": MachineStatus.PRINTING,
    "pausing": MachineStatus.PAUSED,
    "paused": MachineStatus.PAUSED,
    "cancelling": MachineStatus.STOPPING,
    "offline after error": MachineStatus.FAILED,
    "error": MachineStatus.FAILED,
    "offline": MachineStatus.OFFLINE,
    "closed": MachineStatus.OFFLINE,
    "opening": MachineStatus.BUSY,
    "detecting": MachineStatus.BUSY,
    "connecting": MachineStatus.BUSY,
    "transferring": MachineStatus.BUSY,
}


class OctoPrint:
    """A machine behind an OctoPrint."""

    def __init__(self, http: HttpClient):
        self._http = http
        self._watched = ContinuityTracker()
        self._camera = Camera(http, self._webcams)

    def look(self) -> MachineState:
        """One question; whoever does not answer it is offline."""
        try:
            answer = self._ask("GET", "/api/job")
            if answer.status != 200:
                return self._watched.lost(f"It answers with {answer.status}: is the key right?")
            return self._seen(answer.json())
        except (NotSent, NoAnswer) as error:
            return self._watched.lost(str(error))

    def _seen(self, status: Mapping[str, object]) -> MachineState:
        text = str(status.get("error") or status.get("state") or "")[:MAX_TEXT]
        job = nested(status, "job", "file", "name")
        times = nested(status, "progress")
        percent = nested(times, "completion")
        known = isinstance(percent, int | float) and 0 <= percent <= 100
        progress = percent / 100 if known else None
        doing = _doing(str(status.get("state") or ""), progress if job else None)
        shown = None if doing is MachineStatus.IDLE or not isinstance(job, str) else job[:MAX_TEXT]
        left = number_within(nested(times, "printTimeLeft"), MAX_SECONDS)
        seen = self._watched.seen(doing, shown, progress, text)
        is_there = doing not in (MachineStatus.OFFLINE, MachineStatus.BUSY, MachineStatus.FAILED)
        return seen._replace(
            temperatures=self._temperatures() if is_there else (),
            details=MachineDetails(seconds_left=left),
        )

    def _temperatures(self) -> tuple[HeaterTemperature, ...]:
        """Ask for the temperatures; none where they do not come at once, or the key lacks a right.

        This must take less than the watch may have gaps.
        """
        path = "/api/printer?exclude=sd,state"
        try:
            answer = self._ask("GET", path, timeout=DETAILS_TIME)
            rows = answer.json().get("temperature") if answer.status == 200 else None
        except (NotSent, NoAnswer):
            return ()
        heaters = list(rows.items())[:MAX_HEATERS] if isinstance(rows, dict) else []
        temperatures = (
            (
                heater[:MAX_HEATER_NAME],
                number_within(nested(row, "actual"), 2000, -300),
                number_within(nested(row, "target"), 2000),
            )
            for heater, row in heaters
        )
        return tuple(
            HeaterTemperature(name, actual, target)
            for name, actual, target in temperatures
            if name and actual is not None
        )

    def put(self, file: Path, name: str) -> None:
        """Upload it, and see that it is there as it was sent."""
        form = MultipartForm(file, name)
        answer = self._ask(
            "POST",
            "/api/files/local",
            body=form,
            headers=form.headers,
            timeout=UPLOAD_TIME,
        )
        require(answer, 201)
        with file.open("rb") as content:
            wanted = hashlib.file_digest(content, "sha1").hexdigest()  # the one that it tells
        listed = self._ask("GET", _path(name))
        require(listed, 200)
        if listed.json().get("hash") not in (None, wanted):
            raise NoAnswer(f"{name} did not arrive as it was sent.")

    def start(self, name: str) -> None:
        """Print it. Without an answer nobody knows."""
        self._command(_path(name), {"command": "select", "print": True})

    def past(self, name: str) -> AttemptState | None:
        """How its last print ended; a person's stop and a failure are one to its records."""
        answer = self._ask("GET", _path(name))
        if answer.status == 404:
            return None
        require(answer, 200)
        success = nested(answer.json(), "prints", "last", "success")
        return None if success is None else AttemptState.DONE if success else AttemptState.STOPPED

    def drop(self, name: str) -> bool:
        """Delete it; one that is printed, or about to be, is kept."""
        answer = self._ask("DELETE", _path(name))
        if answer.status == 409:
            return False
        if answer.status != 404:
            require(answer, 204)
        return True

    def pause(self) -> None:
        # Without the action it would toggle, and a second one resume.
        self._command("/api/job", {"command": "pause", "action": "pause"})

    def resume(self) -> None:
        self._command("/api/job", {"command": "pause", "action": "resume"})

    def cancel(self) -> None:
        self._command("/api/job", {"command": "cancel"})

    def skip(self, part: ObjectLabel) -> ExclusionResult:
        """By the firmware's own command, of which OctoPrint knows nothing."""
        self._command("/api/printer/command", {"commands": [part.command]})
        return ExclusionResult.ASKED

    def camera(self) -> bytes | None:
        """The snapshot of its webcam, or the one beside its stream, or a picture of that."""
        return self._camera.picture()

    def _webcams(self) -> list[str]:
        answer = self._http.ask("GET", "/api/settings")
        require(answer, 200)
        webcam = nested(answer.json(), "webcam")
        if nested(webcam, "webcamEnabled") is False:
            return []
        snapshot, stream = (str(nested(webcam, key) or "") for key in ("snapshotUrl", "streamUrl"))
        beside = "action=stream" in stream
        still = stream.replace("action=stream", "action=snapshot") if beside else ""
        return [snapshot, still, stream]

    def _command(self, path: str, body: Mapping[str, object]) -> None:
        headers = {"Content-Type": "application/json"}
        answer = self._ask("POST", path, body=json.dumps(body).encode(), headers=headers)
        require(answer, 204)

    def _ask(self, method: str, path: str, **options: Any) -> Answer:
        with self._watched:
            return self._http.ask(method, path, **options)


def _doing(state: str, progress: float | None) -> MachineStatus:
    """Ours for what it says. What nobody knows is `attention`: new firmware frees no plate."""
    said = state.lower()
    if said.startswith("operational"):
        return MachineStatus.DONE if progress is not None and progress >= 1 else MachineStatus.IDLE
    return next(
        (doing for word, doing in _WORDS.items() if said.startswith(word)), MachineStatus.ATTENTION
    )


def _path(name: str) -> str:
    return f"/api/files/local/{quote(name, safe='')}"
