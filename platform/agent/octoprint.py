"""OctoPrint driver (REST API)."""

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from agent.continuity import ContinuityTracker
from agent.http_client import CHUNK, PATIENCE, Answer, HttpClient
from machines.drivers import (
    ExclusionResult,
    MachineState,
    MachineStatus,
    NoAnswer,
    NotSent,
    ObjectLabel,
    Rejected,
)
from machines.states import AttemptState

UPLOAD_TIME = 600.0  # s
LONGEST = 200  # characters of what a host says

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

    def __init__(self, door: HttpClient):
        self._door = door
        self._watched = ContinuityTracker()

    def look(self) -> MachineState:
        """One question; whoever does not answer it is offline."""
        try:
            answer = self._ask("GET", "/api/job")
            if answer.status != 200:
                return self._watched.lost(f"It answers with {answer.status}: is the key right?")
            return self._seen(answer.json())
        except (NotSent, NoAnswer) as error:
            return self._watched.lost(str(error))

    def _seen(self, told: Mapping[str, object]) -> MachineState:
        text = str(told.get("error") or told.get("state") or "")[:LONGEST]
        job = _inside(told, "job", "file", "name")
        percent = _inside(told, "progress", "completion")
        known = isinstance(percent, int | float) and 0 <= percent <= 100
        progress = percent / 100 if known else None
        doing = _doing(str(told.get("state") or ""), progress if job else None)
        shown = None if doing is MachineStatus.IDLE or not isinstance(job, str) else job[:LONGEST]
        return self._watched.seen(doing, shown, progress, text)

    def put(self, file: Path, name: str) -> None:
        """Upload it, and see that it is there as it was sent."""
        edge = secrets.token_hex(16)
        head = (
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode()
        tail = f"\r\n--{edge}--\r\n".encode()
        size = len(head) + file.stat().st_size + len(tail)
        headers = {
            "Content-Type": f"multipart/form-data; boundary={edge}",
            "Content-Length": str(size),
        }
        answer = self._ask(
            "POST",
            "/api/files/local",
            body=_parts(head, file, tail),
            headers=headers,
            patience=UPLOAD_TIME,
        )
        _require(answer, 201)
        with file.open("rb") as content:
            wanted = hashlib.file_digest(content, "sha1").hexdigest()  # the one that it tells
        listed = self._ask("GET", _path(name))
        _require(listed, 200)
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
        _require(answer, 200)
        success = _inside(answer.json(), "prints", "last", "success")
        return None if success is None else AttemptState.DONE if success else AttemptState.STOPPED

    def drop(self, name: str) -> bool:
        """Delete it; one that is printed, or about to be, is kept."""
        answer = self._ask("DELETE", _path(name))
        if answer.status == 409:
            return False
        if answer.status != 404:
            _require(answer, 204)
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
        by_name = part.firmware == "klipper"
        line = f"EXCLUDE_OBJECT NAME={part.name}" if by_name else f"M486 P{part.number}"
        self._command("/api/printer/command", {"commands": [line]})
        return ExclusionResult.ASKED

    def _command(self, path: str, body: Mapping[str, object]) -> None:
        headers = {"Content-Type": "application/json"}
        answer = self._ask("POST", path, body=json.dumps(body).encode(), headers=headers)
        _require(answer, 204)

    def _ask(self, method: str, path: str, *, patience: float = PATIENCE, **options: Any) -> Answer:
        with self._watched:
            return self._door.ask(method, path, patience=patience, **options)


def _doing(state: str, progress: float | None) -> MachineStatus:
    """Ours for what it says. What nobody knows is `attention`: new firmware frees no plate."""
    said = state.lower()
    if said.startswith("operational"):
        return MachineStatus.DONE if progress is not None and progress >= 1 else MachineStatus.IDLE
    return next(
        (doing for word, doing in _WORDS.items() if said.startswith(word)), MachineStatus.ATTENTION
    )


def _require(answer: Answer, status: int) -> None:
    """Raise Refused for a word of refusal, and Lost for what says nothing."""
    if answer.status == status:
        return
    if 300 <= answer.status < 500:
        raise Rejected(f"It answers with {answer.status}.")
    raise NoAnswer(f"It answers with {answer.status}.")


def _path(name: str) -> str:
    return f"/api/files/local/{quote(name, safe='')}"


def _inside(told: Any, *names: str) -> Any:
    """What lies in objects within objects; None where one of them is none."""
    for name in names:
        told = told.get(name) if isinstance(told, dict) else None
    return told


def _parts(head: bytes, file: Path, tail: bytes) -> Iterator[bytes]:
    yield head
    with file.open("rb") as content:
        while chunk := content.read(CHUNK):
            yield chunk
    yield tail
