"""A Moonraker with a Klipper behind it, simulated: statuses and bodies are those of 0.11.0."""

import hashlib
import json
import socket
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

RANGE = {"gcode_start_byte": 100, "gcode_end_byte": 900}
HEATERS = {
    "extruder": {"temperature": 209.84, "target": 210.0},
    "extruder1": {"temperature": 24.1, "target": 0.0},
    "heater_bed": {"temperature": 60.02, "target": 60.0},
}


class SimulatedMoonraker:
    """Answers as Moonraker does; what befalls Klipper are its methods.

    `damaged`: uploads do not arrive as they were sent. `is_busy`: Klipper does not get to commands,
    and the connection breaks. `subscribed`: whether Moonraker learns what Klipper prints.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.history: list[dict[str, Any]] = []
        self.scripts: list[str] = []
        self.processes = 18169
        self.connected = self.subscribed = self.has_m73 = True
        self.damaged = self.is_busy = False
        self.key = "k" * 32
        self.extra: dict[str, Any] = {}  # objects of its printer.cfg
        self.boots()

    # ------------------------------------------------------------ what befalls it

    def boots(self, klippy: str = "ready", message: str = "Printer is ready") -> None:
        """Klipper starts, and knows of no print."""
        self.klippy, self.message = klippy, message
        self.stats: dict[str, Any] = {
            "filename": "",
            "print_duration": 0.0,
            "filament_used": 0.0,
            "state": "standby",
            "message": "",
        }
        self.position, self.m73 = 0, 0.0
        self.objects: list[str] = []
        self.excluded: list[str] = []

    def prints(self, name: str, position: int = 0) -> None:
        self.stats |= {"filename": name, "state": "printing", "message": ""}
        self.position, self.m73 = position, position / 1000
        if position:
            self.stats |= {"print_duration": 4.5, "filament_used": 125.5}
        if self.subscribed:
            self.history.insert(0, {"filename": name, "status": "in_progress"})

    def ends(self, state: str, message: str = "") -> None:
        self.stats |= {"state": state, "message": message}
        self.position = 1000 if state == "complete" else 0
        self._records({"complete": "completed"}.get(state, state))

    def shuts_down(self, message: str) -> None:
        """An emergency stop, or a lost board: the state of the print becomes `paused`."""
        self.klippy, self.message = "shutdown", message
        self.stats["state"] = "paused"
        self._records("klippy_shutdown")

    def dies(self) -> None:
        """Klipper is killed; what comes next is another process."""
        self.connected = False
        self._records("klippy_disconnect")
        self.processes += 1
        self.boots()

    def _records(self, status: str) -> None:
        if self.history and self.history[0]["status"] == "in_progress":
            self.history[0]["status"] = status

    # ------------------------------------------------------------ what it answers

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        url = urlsplit(handler.path)
        if handler.headers.get("X-Api-Key") != self.key:
            status, result = 401, "Unauthorized"
        elif self.is_busy and handler.command == "POST":
            return handler.connection.shutdown(socket.SHUT_RDWR)
        else:
            status, result = self.answer(handler.command, unquote(url.path), url.query, body)
        wrapped = {"result": result}
        if status >= 400:
            wrapped = {"error": {"code": status, "message": result, "traceback": "Traceback ..."}}
        elif status == 201:  # an upload is answered bare
            wrapped = result
        content = json.dumps(wrapped).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(content)

    def answer(self, method: str, path: str, query: str, body: bytes) -> tuple[int, Any]:
        if path.startswith("/printer/"):
            if not self.connected:
                return 503, "Klippy Host not connected"
            return self.of_klipper(path, query, json.loads(body or b"{}"))
        if path == "/server/files/upload":
            return self.uploaded(body)
        if path == "/server/info":
            return 200, {"klippy_state": self.klippy, "moonraker_version": "v0.11.0-2"}
        if path == "/api/version":  # without its component that imitates OctoPrint
            return 404, "Not Found"
        if path == "/server/history/list":
            return 200, {"count": len(self.history), "jobs": self.history}
        if path == "/server/files/metadata":
            name = parse_qs(query)["filename"][0]
            if name not in self.files:
                return 404, f"Metadata not available for <{name}>"
            return 200, {"filename": name, "size": len(self.files[name]), **RANGE}
        name = path.removeprefix("/server/files/gcodes/")
        if method == "HEAD":
            return (200, {}) if name in self.files else (404, "Not Found")
        if self.in_use(name):
            return 403, "Forbidden"
        return (200, {}) if self.files.pop(name, None) is not None else (400, "Bad Request")

    def of_klipper(self, path: str, query: str, sent: dict[str, Any]) -> tuple[int, Any]:
        match path:
            case "/printer/info":
                return 200, {"state": self.klippy, "process_id": self.processes}
            case "/printer/objects/list":
                return 200, {"objects": [*self.status()]}
            case "/printer/objects/query":
                status = self.status()
                names = [unquote(name) for name in query.split("&")]
                return 200, {
                    "eventtime": 1.0,
                    "status": {one: status.get(one, {}) for one in names},
                }
        if self.klippy != "ready":
            return 400, self.message
        if path == "/printer/print/start":
            return self.started(sent["filename"])
        match path:
            case "/printer/print/pause":
                self.stats["state"] = "paused"
            case "/printer/print/resume":
                self.stats["state"] = "printing"
            case "/printer/print/cancel" if self.stats["state"] in ("printing", "paused"):
                self.ends("cancelled")
            case "/printer/gcode/script":
                self.scripts.append(sent["script"])
                self.excluded.append(sent["script"].partition("NAME=")[2].upper())
        return 200, "ok"

    def status(self) -> dict[str, Any]:
        progress = self.position / 1000
        return {
            "webhooks": {"state": self.klippy, "state_message": self.message},
            "print_stats": self.stats,
            "virtual_sdcard": {"progress": progress, "file_position": self.position},
            "display_status": {
                "progress": self.m73 if self.has_m73 else progress,
                "message": None,
            },
            "heaters": {"available_heaters": list(HEATERS)},
            **self.extra,
            "exclude_object": {
                "objects": [{"name": name} for name in self.objects],
                "excluded_objects": self.excluded,
                "current_object": None,
            },
            **HEATERS,
        }

    def started(self, name: str) -> tuple[int, Any]:
        if self.stats["state"] in ("printing", "paused"):
            return 400, "SD busy"
        if name not in self.files:
            return 400, "Unable to open file"
        self.prints(name)
        return 200, "ok"

    def uploaded(self, body: bytes) -> tuple[int, Any]:
        boundary = body.partition(b"\r\n")[0]
        parts = dict(part.partition(b"\r\n\r\n")[::2] for part in body.split(boundary)[1:-1])
        fields = {head.split(b'name="')[1].split(b'"')[0]: (head, of) for head, of in parts.items()}
        content = fields[b"file"][1].removesuffix(b"\r\n")
        if self.damaged:
            content = content[:-1]
        name = fields[b"file"][0].split(b'filename="')[1].split(b'"')[0].decode()
        checksum = hashlib.sha256(content).hexdigest()
        expected = fields[b"checksum"][1].strip().decode()
        if checksum != expected:
            return 422, "Unprocessable Entity"
        if self.in_use(name):
            return 403, "Forbidden"
        self.files[name] = content
        return 201, {"item": {"path": name, "root": "gcodes"}, "print_started": False}

    def in_use(self, name: str) -> bool:
        """Whether Moonraker believes that it is printed: it is told by subscription."""
        seen = self.subscribed and self.klippy == "ready" and self.connected
        return (
            seen
            and self.stats["filename"] == name
            and self.stats["state"]
            in (
                "printing",
                "paused",
            )
        )
