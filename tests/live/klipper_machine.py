"""A real Moonraker, and the simulated Klipper behind it, as processes."""

import json
import sys
from pathlib import Path

import requests

from agent.http_client import HttpClient
from agent.moonraker import Moonraker
from machines.drivers import NoAnswer
from tests.live.machines import Process
from tests.live.processes import ROOT, free_ports
from tests.waiting import wait_for

CONFIG = """
[server]
host: 127.0.0.1
port: {port}
klippy_uds_address: {socket}
[machine]
provider: none
validate_service: False
[authorization]
trusted_clients: 127.0.0.1
"""
BEGUN = "begun"  # what the simulated Klipper prints for M118
TIMEOUT = 10.0  # s


class KlipperProcess(Process):
    """The simulated Klipper."""

    def __init__(self, folder: Path, gcodes: Path):
        super().__init__(folder / "klipper.log")
        self.socket, self._gcodes = folder / "klippy.sock", gcodes

    def start(self) -> None:
        program = ROOT / "tests" / "live" / "simulated_klipper.py"
        self._start(sys.executable, str(program), str(self.socket), str(self._gcodes))


class MoonrakerProcess(Process):
    """The real program: never imported."""

    def __init__(self, folder: Path, socket: Path):
        super().__init__(folder / "moonraker.log")
        self.folder = folder
        (self.port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        (folder / "config").mkdir(exist_ok=True)
        config = CONFIG.format(port=self.port, socket=socket)
        (folder / "config" / "moonraker.conf").write_text(config)

    def start(self) -> None:
        """Return once it answers."""
        program = str(ROOT / ".cache" / "moonraker" / "bin" / "moonraker")
        self._start(program, "-d", str(self.folder))
        wait_for(self.answers)

    def answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/server/info", timeout=TIMEOUT).ok
        except requests.RequestException:
            return False

    def post(self, path: str) -> None:
        """What a person does on its page."""
        answer = requests.post(f"{self.url}{path}", timeout=TIMEOUT)
        assert answer.ok, answer.text

    def has_unfinished_row(self) -> bool:
        """Whether a print of its history has no end yet."""
        answer = requests.get(f"{self.url}/server/history/list?limit=100", timeout=TIMEOUT)
        jobs = json.loads(answer.content)["result"]["jobs"]
        return any(job["status"] == "in_progress" for job in jobs)

    def key(self) -> str:
        """The key that its settings show."""
        answer = requests.get(f"{self.url}/access/api_key", timeout=TIMEOUT)
        return str(json.loads(answer.content)["result"])


class KlipperMachine:
    """Both processes, and the driver that speaks with them."""

    kind = "moonraker"

    def __init__(self, folder: Path):
        self.gcodes = folder / "gcodes"
        self.gcodes.mkdir()
        self.klipper = KlipperProcess(folder, self.gcodes)
        self.moonraker = MoonrakerProcess(folder, self.klipper.socket)
        self.url = self.moonraker.url
        self._start()
        self.key = self.moonraker.key()
        self.driver = self.driver_with(self.key)
        wait_for(self.is_free)

    def start(self) -> None:
        """Start both again: Klipper has forgotten its print."""
        self._start()
        wait_for(self.is_free)

    def _start(self) -> None:
        self.klipper.start()
        self.moonraker.start()

    def driver_with(self, key: str) -> Moonraker:
        return Moonraker(HttpClient(self.moonraker.url, {"X-Api-Key": key}))

    def state(self) -> str:
        return self.driver.look().doing.value

    def is_free(self) -> bool:
        """Whether it could begin a print."""
        try:
            return self.state() in ("idle", "done", "stopped")
        except NoAnswer:
            return False

    def begun(self) -> int:
        """How many prints Klipper has ever begun."""
        return self.klipper.output().count(BEGUN)

    @property
    def files(self) -> list[str]:
        return [path.name for path in self.gcodes.glob("*.gcode")]

    def kill(self) -> None:
        self.klipper.kill()
        self.moonraker.kill()
