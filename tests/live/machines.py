"""A real OctoPrint with its virtual printer, a real agent, and the line between it and us."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import requests

from agent.http_client import HttpClient
from tests.live.processes import ROOT, free_ports
from tests.waiting import wait_for

KEY = "0123456789ABCDEF0123456789ABCDEF"
CONFIG = f"""
accessControl: {{salt: abcdefabcdefabcdefabcdefabcdef12}}
api: {{key: {KEY}}}
server: {{firstRun: false, onlineCheck: {{enabled: false}}, pluginBlacklist: {{enabled: false}}}}
plugins:
  virtual_printer: {{enabled: true}}
  tracking: {{enabled: false}}
  _disabled: [softwareupdate, announcements, pluginmanager, discovery]
serial: {{port: VIRTUAL, autoconnect: true, log: true}}
"""


class Process:
    """A program that is killed without a word."""

    def __init__(self, log: Path):
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def _start(self, *command: str, **environment: str) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                env={**os.environ, **environment},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def process(self) -> psutil.Process:
        """The program, which runs."""
        assert self._process is not None
        return psutil.Process(self._process.pid)

    def kill(self) -> None:
        """kill -9, and all that it started."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def output(self) -> str:
        """What it has printed."""
        return self._log.read_text(errors="replace")


class OctoPrint(Process):
    """The real program, as a process: never imported."""

    kind, key = "octoprint", KEY

    def __init__(self, folder: Path):
        super().__init__(folder / "said.log")
        self.folder = folder
        (self.port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        (folder / "config.yaml").write_text(CONFIG)

    def start(self) -> None:
        """Return once its printer is ready."""
        program = str(ROOT / ".cache" / "octoprint" / "bin" / "octoprint")
        where = ("--host", "127.0.0.1", "--port", str(self.port), "--basedir", str(self.folder))
        self._start(program, "serve", "--iknowwhatimdoing", *where)
        wait_for(self.is_free)

    def is_free(self) -> bool:
        """Whether it could begin a print."""
        return self.state() == "Operational"

    def state(self) -> str | None:
        """What it says that it does; None while it does not answer."""
        try:
            answer = requests.get(f"{self.url}/api/job", headers={"X-Api-Key": KEY}, timeout=5)
            return answer.json()["state"] if answer.status_code == 200 else None
        except requests.RequestException:
            return None

    def begun(self) -> int:
        """How many prints were ever begun."""
        log = self.folder / "logs" / "octoprint.log"
        return len(re.findall(r'from "Operational" to "Starting"', log.read_text(errors="replace")))

    def completed(self) -> int:
        """How many prints were ever printed to their last line."""
        log = self.folder / "logs" / "octoprint.log"
        return len(re.findall(r' to "Finishing"', log.read_text(errors="replace")))

    def ask(self, path: str, **sent: Any) -> None:
        """What a person does on its page."""
        answer = requests.post(f"{self.url}{path}", headers={"X-Api-Key": KEY}, timeout=30, **sent)
        assert answer.ok, answer.text

    def heard(self) -> str:
        """What came to the printer."""
        return (self.folder / "logs" / "serial.log").read_text(errors="replace")

    @property
    def connection(self) -> HttpClient:
        """As the agent's driver has it."""
        return HttpClient(self.url, {"X-Api-Key": KEY})

    @property
    def files(self) -> list[str]:
        """What could be printed."""
        return [path.name for path in (self.folder / "uploads").glob("*.gcode")]


class Agent(Process):
    """The agent, as a shop starts it: without Django."""

    def __init__(self, folder: Path):
        super().__init__(folder.parent / "agent.log")
        self.folder = folder

    def change(self, old: str, new: str) -> None:
        """Write something else into what it keeps; it must not run."""
        file = self.folder / "agent.json"
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))

    def ask(self, *arguments: str, key: str = KEY) -> str:
        """A command that ends by itself; what it says.

        key : of a machine that is added
        """
        done = subprocess.run(
            self._command(*arguments),
            env={**self._environment, "AGENT_KEY": key},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        self._start(*self._command("run"), **self._environment)

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "agent", "--folder", str(self.folder), *arguments]

    @property
    def _environment(self) -> dict[str, str]:
        return {"PYTHONPATH": str(ROOT / "platform"), "PATH": os.environ["PATH"]}


class Line:
    """The way from the agent to the platform, which can be cut."""

    def __init__(self, port: int):
        self._to = port
        self._whole = threading.Event()
        self._whole.set()
        self._open: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Nothing comes through any more, nor what is under way."""
        self._whole.clear()
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._whole.set()

    def close(self) -> None:
        self._server.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._server.accept()
                there = self._reached()
                if there is None:
                    here.close()
                    continue
                self._open += [here, there]
                for pair in ((here, there), (there, here)):
                    threading.Thread(target=_pass_on, args=pair, daemon=True).start()

    def _reached(self) -> socket.socket | None:
        """The platform, where the line is whole and it lives."""
        with suppress(OSError):
            if self._whole.is_set():
                return socket.create_connection(("127.0.0.1", self._to))
        return None


def _pass_on(source: Any, sink: Any) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    for one in (source, sink):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
