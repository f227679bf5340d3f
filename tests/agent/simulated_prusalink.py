"""A PrusaLink with a printer behind it, simulated: statuses and bodies are those of 0.8.1.

With `is_firmware` it differs as the firmware of MK4, XL and MINI does: storage `usb`, a digest
without `qop`, short file names beside the long ones, and the print is named after its end.
"""

import hashlib
import json
import re
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote

USER, PASSWORD, KEY = "maker", "Secret-123", "k" * 16
TEMPERATURES = {
    "temp_nozzle": 209.84, "target_nozzle": 210.0, "temp_bed": 60.02, "target_bed": 60.0,
}  # fmt: skip
FORBIDDEN = re.compile(r"[#äöü?*:]")


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


class SimulatedPrusaLink:
    """Answers as PrusaLink does; what befalls the printer are its methods.

    `lag`: for so many requests the list of files is that of before. `obeys`: whether a command
    that was taken is carried out. `starting`: what a start does instead of 204.
    """

    def __init__(self, *, is_firmware: bool = False) -> None:
        self.speed, self.time_remaining = 100, 0
        self.is_firmware = is_firmware
        self.files: dict[str, bytes] = {}
        self.listed: dict[str, int] = {}
        self.lag = self.behind = 0
        self.numbers = 7
        self.obeys, self.starting = True, 204
        self.refusals = 0  # starts that are refused while a print is shown as finished
        self.has_storage = True
        self.nonce, self.logins = "n" * 8, 0
        self.boots()

    # ------------------------------------------------------------ what befalls it

    def boots(self, state: str = "IDLE") -> None:
        """PrusaLink starts, and knows of no print."""
        self.state, self.message = state, "OK"
        self.job: str | None = None
        self.progress = 0.0

    def prints(self, name: str, progress: float = 0.0) -> None:
        self.numbers += 1
        self.job, self.state, self.progress = name, "PRINTING", progress

    def ends(self, state: str, message: str = "OK") -> None:
        """FINISHED, STOPPED or ERROR: a Pi names no job then."""
        self.state, self.message = state, message
        if not self.is_firmware or state == "ERROR":
            self.job = None

    # ------------------------------------------------------------ what it answers

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        status = self.login_error(handler)
        result: Any = None
        if status is None:
            status, result = self.answer(handler, unquote(handler.path), body)
        content = b"" if result is None else json.dumps(result).encode()
        handler.send_response(status)
        if status == 401:
            handler.send_header("WWW-Authenticate", self.challenge())
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def challenge(self) -> str:
        if self.is_firmware:
            return f'Digest realm="Printer API", nonce="{self.nonce}", stale="false"'
        return (
            f'Digest realm="Administrator",qop="auth",algorithm="MD5-sess",nonce="{self.nonce}",'
            'opaque="49960de5"'
        )

    def login_error(self, handler: BaseHTTPRequestHandler) -> int | None:
        """401 or 403 unless the request has the key or the user's digest."""
        if (key := handler.headers.get("X-Api-Key")) is not None:
            return None if key == KEY else 403
        header = handler.headers.get("Authorization", "")
        fields = {
            key: quoted or bare
            for key, quoted, bare in re.findall(r'(\w+)=(?:"(.*?)"|(\w+))', header)
        }
        account = md5(f"{USER}:{'Printer API' if self.is_firmware else 'Administrator'}:{PASSWORD}")
        request = md5(f"{handler.command}:{handler.path}")
        between = ""
        if not self.is_firmware:
            account = md5(f"{account}:{self.nonce}:{fields.get('cnonce')}")
            between = f":{fields.get('nc')}:{fields.get('cnonce')}:auth"
        expected = md5(f"{account}:{self.nonce}{between}:{request}")
        self.logins += 1
        ours = fields.get("nonce") == self.nonce and fields.get("uri") == handler.path
        return None if ours and fields.get("response") == expected else 401

    def answer(self, handler: BaseHTTPRequestHandler, path: str, body: bytes) -> tuple[int, Any]:
        match path.removeprefix("/api/v1/").split("/"):
            case _ if self.state == "STARTING":
                return 503, None
            case ["", "api", "version"]:
                version = "PrusaLink" if self.is_firmware else "PrusaLink 0.8.1"
                return 200, {"text": version, "server": "2.1.2"}
            case ["status"]:
                return 200, self.status()
            case ["job"]:
                return (200, self.shown_job()) if self.job else (204, None)
            case ["job", number, *action]:
                return self.commanded(int(number), action[0] if action else "stop"), None
            case ["storage"]:
                return 200, {"storage_list": self.storages()}
            case ["files", storage, name]:
                if storage != self.storage:
                    return 404, None
                return self.of_file(handler, name, body)
        return 404, None

    @property
    def storage(self) -> str:
        return "usb" if self.is_firmware else "local"

    def storages(self) -> list[dict[str, Any]]:
        own = {"path": f"/{self.storage}", "available": self.has_storage, "read_only": False}
        card = {"path": "/sdcard", "available": True, "read_only": True}
        return [card, own]

    def status(self) -> dict[str, Any]:
        printer = {
            "state": self.state,
            "status_printer": {"ok": self.message == "OK", "message": self.message},
            **TEMPERATURES,
            "speed": self.speed,
        }
        job = {"id": self.numbers, "progress": self.progress, "time_remaining": self.time_remaining}
        return {"printer": printer, **({"job": job} if self.job else {})}

    def shown_job(self) -> dict[str, Any]:
        return {
            "file": self.names(self.job or ""),
            "id": self.numbers,
            "state": self.state,
            "progress": self.progress,
        }

    def names(self, name: str) -> dict[str, str]:
        short = f"{name[:6].upper()}~1.GCO" if self.is_firmware else name
        return {"name": short, "display_name": name}

    def of_file(self, handler: BaseHTTPRequestHandler, name: str, body: bytes) -> tuple[int, Any]:
        match handler.command:
            case "GET":
                size = self.listing().get(name)
                return (404, None) if size is None else (200, {**self.names(name), "size": size})
            case "PUT":
                return self.uploaded(handler, name, body), None
            case "POST":
                return self.started(name), None
        if self.job == name and self.state in ("PRINTING", "PAUSED", "ATTENTION"):
            return 409, None
        if self.files.pop(name, None) is None:
            return (500, None) if name in self.listed else (404, None)
        self.behind = self.lag
        return 204, None

    def listing(self) -> dict[str, int]:
        """The list of files, which is behind for a while."""
        if self.behind:
            self.behind -= 1
        else:
            self.listed = {name: len(content) for name, content in self.files.items()}
        return self.listed

    def uploaded(self, handler: BaseHTTPRequestHandler, name: str, body: bytes) -> int:
        assert handler.headers["Content-Type"] == "text/x.gcode"
        assert handler.headers["Print-After-Upload"] == "?0"
        if FORBIDDEN.search(name):
            return 400
        if name in self.files and handler.headers["Overwrite"] != "?1":
            return 409
        self.files[name] = body
        self.behind = self.lag
        return 201

    def started(self, name: str) -> int:
        if self.state in ("PRINTING", "PAUSED"):
            return 409
        if name not in self.listing():
            return 404
        if self.state == "FINISHED" and self.refusals:
            self.refusals -= 1
            return 409
        if self.starting != 500 or self.obeys:
            self.prints(name)
        return self.starting

    def commanded(self, number: int, action: str) -> int:
        if number != self.numbers or not self.job:
            return 404
        before, after = {
            "pause": (("PRINTING",), "PAUSED"),
            "resume": (("PAUSED",), "PRINTING"),
            "stop": (("PRINTING", "PAUSED"), "STOPPED"),
        }[action]
        if self.state not in before:
            return 409
        if self.obeys:
            self.ends(after) if action == "stop" else setattr(self, "state", after)
        return 204
