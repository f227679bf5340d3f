"""A real PrusaLink, and the simulated MK3S behind it, as processes."""

import hashlib
import json
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import requests

from agent.digest import DigestLogin
from agent.http_client import HttpClient
from agent.prusalink import PrusaLink
from machines.drivers import NoAnswer
from tests.live.machines import Process
from tests.live.processes import ROOT, free_ports
from tests.waiting import wait_for

USER, PASSWORD, KEY = "maker", "Secret-123", "abcdefgh12345678"
CONFIG = """
[daemon]
data_dir = {folder}
[http]
address = 127.0.0.1
port = {port}
[printer]
port = {terminal}
[cameras]
auto_detect = False
"""
SETTINGS = """
[printer]
type = MK3S
[service::local]
enable = 1
username = {user}
digest = {digest}
api_key = {key}
"""
BEGUN = "begun"  # what the simulated printer prints for M118
TIMEOUT = 10.0  # s
LOOK = 0.5  # s between two looks, as an agent has them: a longer gap would be a restart unseen
UNCONFIRMED = re.compile(r"Timed out waiting for confirmation of Instruction 'M60[123]'")
ATTEMPTS = 3


class Deadlocked(Exception):
    """PrusaLink 0.8 reads nothing from the printer any more, and answers no request.

    Two of its threads wait for each other, where a print is cancelled while the number of the job
    is read: one has `conditions.cond_lock`, the other `StateManager.state_lock`.
    """


class SerialPrinter(Process):
    """The simulated MK3S."""

    def __init__(self, folder: Path):
        super().__init__(folder / "printer.log")
        self.terminal = folder / "tty"

    def start(self) -> None:
        """Return once its terminal is there."""
        program = ROOT / "tests" / "live" / "simulated_mk3s.py"
        self._start(sys.executable, str(program), str(self.terminal))
        wait_for(self.terminal.exists)

    def kill(self) -> None:
        """As if its cable were pulled."""
        super().kill()
        self.terminal.unlink(missing_ok=True)

    def reset(self) -> None:
        """Restart it within its process."""
        self.process.send_signal(signal.SIGUSR1)

    def halt(self) -> None:
        """Let it halt with a fatal error."""
        self.process.send_signal(signal.SIGUSR2)


class PrusaLinkProcess(Process):
    """The real program: never imported."""

    def __init__(self, folder: Path, terminal: Path):
        super().__init__(folder / "prusalink.log")
        (self.port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        self._config = folder / "prusalink.ini"
        self._config.write_text(CONFIG.format(folder=folder, port=self.port, terminal=terminal))
        account = f"{USER}:Administrator:{PASSWORD}".encode()
        digest = hashlib.md5(account, usedforsecurity=False).hexdigest()
        self._settings = folder / "prusa_printer_settings.ini"
        self._power_panic = folder / "power_panic"
        self._content = SETTINGS.format(user=USER, digest=digest, key=KEY)
        self._begin = 0  # of what this start has printed

    def start(self) -> None:
        """Return once it answers; it takes some seconds more to know the printer.

        It writes its settings, and the state of a print, in place: a kill may have left half of
        them, and with half a state it does not start.
        """
        self._settings.write_text(self._content)
        if self._power_panic.exists() and not _is_json(self._power_panic):
            self._power_panic.unlink()
        self._begin = len(self.output()) if self._log.exists() else 0
        program = str(ROOT / ".cache" / "prusalink" / "bin" / "prusalink")
        self._start(program, "-f", "-c", str(self._config), "start")
        wait_for(self.answers)

    def is_deadlocked(self) -> bool:
        """Whether the simulated printer, which confirms all commands, was not heard."""
        return UNCONFIRMED.search(self.output()[self._begin :]) is not None

    def answers(self) -> bool:
        try:
            requests.get(f"{self.url}/api/version", timeout=TIMEOUT)
        except requests.RequestException:
            return False
        return True


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text())
    except ValueError:
        return False
    return True


class PrusaMachine:
    """Both processes, and the driver that speaks with them.

    PrusaLink refuses files below the system's temporary directory.
    """

    kind, key = "prusalink", KEY

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="run-", dir=ROOT / ".cache" / "prusalink"))
        self.printer = SerialPrinter(self.folder)
        self.prusalink = PrusaLinkProcess(self.folder, self.printer.terminal)
        self.url = self.prusalink.url
        self.printer.start()
        self.prusalink.start()
        self.driver = self.driver_with(DigestLogin(USER, PASSWORD))
        self.reach("idle")

    def start(self) -> None:
        """Start PrusaLink again, which has forgotten its print; the printer has not."""
        self.prusalink.start()
        wait_for(self.is_free, pause=LOOK)

    def kill(self) -> None:
        self.prusalink.kill()

    def is_free(self) -> bool:
        """Whether it could begin a print; a PrusaLink that has deadlocked is restarted first."""
        if self.prusalink.is_deadlocked():
            self.prusalink.kill()
            self.prusalink.start()
        try:
            return self.state() in ("idle", "done", "stopped")
        except NoAnswer:
            return False

    def begun(self) -> int:
        """How many prints have ever come to the printer."""
        return self.printer.output().count(BEGUN)

    def driver_with(self, login: DigestLogin | str) -> PrusaLink:
        """A driver with this key, or this user."""
        if isinstance(login, str):
            return PrusaLink(HttpClient(self.prusalink.url, {"X-Api-Key": login}))
        return PrusaLink(HttpClient(self.prusalink.url, {}, login=login))

    def state(self) -> str:
        return self.driver.look().doing.value

    def reach(self, *states: str) -> None:
        """Wait for one of these states. Raises Deadlocked."""
        wait_for(lambda: self.state() in states or self.prusalink.is_deadlocked(), pause=LOOK)
        if self.prusalink.is_deadlocked():
            raise Deadlocked

    def restart(self) -> None:
        """Restart both programs, without a print."""
        self.prusalink.kill()
        self.printer.kill()
        self.printer.start()
        self.prusalink.start()
        self.reach("idle")

    def repeat(self, scenario: Callable[[], None]) -> None:
        """Run a scenario, again where PrusaLink has deadlocked. Raises Deadlocked."""
        for attempt in range(ATTEMPTS):
            try:
                scenario()
                return
            except Deadlocked:
                if attempt == ATTEMPTS - 1:
                    raise
            self.restart()

    @property
    def files(self) -> list[str]:
        return [path.name for path in (self.folder / "PrusaLink gcodes").glob("*.gcode")]

    def close(self) -> None:
        self.prusalink.kill()
        self.printer.kill()
        shutil.rmtree(self.folder)
