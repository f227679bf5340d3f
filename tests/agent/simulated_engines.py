"""A platform that has jobs for slicers, and programs that behave as slicers do, or should not."""

import hashlib
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from textwrap import dedent
from threading import Lock

import pytest

from agent.engine_jobs import EngineWorker
from agent.engine_sandbox import BUBBLEWRAP, EngineSandbox
from agent.engines import Engine, jobs_folder, store_engine
from agent.platform_client import PlatformClient
from agent.state import StateDir
from tests.agent.conftest import Host

JOB_ID = "0195c7a2-0000-7000-8000-000000000001"
FILES = {"cube.stl": b"solid cube", "config.ini": b"layer_height = 0.2\n"}
PYTHON = "/usr/bin/env python3"  # of the system: that of the tests may lie in a home
# Bubblewrap is a package of the slow tests.
BUBBLEWRAPPED = pytest.param(BUBBLEWRAP, marks=pytest.mark.slow)
GCODE = b"G28\nG1 X10 E1\n"
WRITES = f"open('out.gcode', 'wb').write({GCODE!r})\n"
PRESET_FILES = {
    "cube.3mf": b"PK",
    **{name: b"{}" for name in ("machine.json", "process.json", "filament.json")},
}
VERSIONS = {
    "prusaslicer": "PrusaSlicer-2.9.2 based on Slic3r",
    "orcaslicer": "OrcaSlicer-2.3.0:",
    "bambustudio": "BambuStudio-02.01.01.52:",
    "curaengine": "Cura_SteamEngine version 5.0.0",
}
NAMES = {"orcaslicer": "OrcaSlicer.AppImage", "curaengine": "CuraEngine"}


class SimulatedEnginePlatform:
    """Answers an agent's requests, and has the files of one job.

    responses : statuses of the next requests to a path, instead of 200
    """

    def __init__(self) -> None:
        self.address = ""
        self.jobs: list[object] = []
        self.files: dict[str, bytes] = {}
        self.reports: list[dict[str, object]] = []
        self.exchanges: list[dict[str, object]] = []
        self.gcode: bytes | None = None
        self.is_wanted = True
        self.responses: dict[str, list[int]] = {}
        self.headers: dict[str, str] = {}
        self._lock = Lock()

    def job(self, program: str = "prusaslicer", files=None, **changed: object) -> dict[str, object]:
        """A job of these files; it is taken next."""
        files = FILES if files is None else files
        self.files = {f"/files/{name}": content for name, content in files.items()}
        row = {
            "id": JOB_ID,
            "program": program,
            "model": next(iter(files)),
            "files": [self.file(name, content) for name, content in files.items()],
            "upload": f"{self.address}/upload/1?signature=x",
            "time_limit": 60,
            "output_limit": 10 << 20,
        } | changed
        self.jobs.append(row)
        return row

    def file(self, name: str, content: bytes, **changed: object) -> dict[str, object]:
        """A file of a job."""
        return {
            "name": name,
            "content": f"{self.address}/files/{name}?signature=x",
            "sha256": hashlib.sha256(content).hexdigest(),
            "size": len(content),
        } | changed

    @property
    def last(self) -> dict[str, object]:
        """The last report of a job."""
        return self.reports[-1]

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        path = handler.path.partition("?")[0]
        with self._lock:
            waiting = self.responses.get(path)
            status = waiting.pop(0) if waiting else 200
            content = self._answer(handler, path, body) if status == 200 else b"{}"
        handler.send_response(status if content is not None else 404)
        handler.send_header("Content-Length", str(len(content or b"")))
        handler.end_headers()
        handler.wfile.write(content or b"")

    def _answer(self, handler: BaseHTTPRequestHandler, path: str, body: bytes) -> bytes | None:
        if path.startswith("/files/"):
            return self.files.get(path)
        if path == "/upload/1":
            self.gcode, self.headers = body, dict(handler.headers)
            return b""
        if path == "/agent/exchange/":
            self.exchanges.append(json.loads(body))
            answer = {"attempts": [], "next_seconds": 0.1, "engine_jobs": len(self.jobs)}
            return json.dumps(answer).encode()
        if path == "/agent/take-engine-job/":
            return json.dumps({"job": self.jobs.pop(0) if self.jobs else None}).encode()
        if path == f"/agent/engine-job/{JOB_ID}/":
            self.reports.append(json.loads(body))
            return json.dumps({"wanted": self.is_wanted}).encode()
        return None


class EngineShop:
    """An agent with one slicer, and the platform that it works for."""

    def __init__(self, path: Path, platform: SimulatedEnginePlatform, isolation: str):
        self.folder, self.platform = StateDir(path / "agent"), platform
        self.folder.change(token="secret")
        self.programs = path / "programs"
        self.programs.mkdir()
        self.jobs = jobs_folder(self.folder)
        self.sandbox = EngineSandbox(isolation, self.jobs)
        self.client = PlatformClient(platform.address, "secret")
        self.worker = self._worker()

    def _worker(self) -> EngineWorker:
        return EngineWorker(
            self.folder, self.client, sandbox=self.sandbox, pause=0.01, report_seconds=0.05
        )

    def restarted(self) -> EngineWorker:
        """The worker of an agent that was started anew."""
        self.worker = self._worker()
        self.worker.prepare()
        return self.worker

    def program(self, text: str, kind: str = "prusaslicer") -> Path:
        """A program that states the version of a kind, or runs these lines of Python."""
        path = self.programs / NAMES.get(kind, kind)
        states = f"if 'help' in sys.argv[-1]: sys.exit({VERSIONS[kind]!r})"
        path.write_text(f"#!{PYTHON}\nimport os, sys, time\n{states}\n{dedent(text)}")
        path.chmod(0o755)
        return path

    def add(self, text: str, kind: str = "prusaslicer") -> None:
        """Store a program as the slicer of a kind, and prepare the worker."""
        store_engine(self.folder, Engine(kind, str(self.program(text, kind)), ""))
        self.worker.prepare()

    def slice(self) -> dict[str, object]:
        """Run the job that waits; return its last report."""
        assert self.worker.turn()
        return self.platform.last


def connected_shop(path: Path, host: Callable[..., Host], isolation: str) -> EngineShop:
    """An agent, and its platform at an address."""
    platform = SimulatedEnginePlatform()
    platform.address = host(platform).address
    return EngineShop(path, platform, isolation)
