"""The programs of a shop: an OctoPrint, a Moonraker before a simulated Klipper, and their agent."""

import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.live.klipper_machine import KlipperMachine
from tests.live.machines import KEY, Agent, OctoPrint
from tests.live.processes import ROOT


class Host(NamedTuple):
    """A host of a printer, and its key."""

    url: str
    key: str


class Programs:
    """Both hosts, which run, and the agent, which runs once it is paired."""

    def __init__(self, folder: Path):
        for name in ("octoprint", "moonraker"):
            subprocess.run([ROOT / "bin" / f"install-{name}"], check=True)
            (folder / name).mkdir()
        self.octoprint = OctoPrint(folder / "octoprint")
        self.octoprint.start()
        self.klipper = KlipperMachine(folder / "moonraker")
        self.agent = Agent(folder / "agent")
        self.hosts = [
            Host(self.octoprint.url, KEY),
            Host(self.klipper.moonraker.url, self.klipper.key),
        ]

    def pair(self, *command: str) -> None:
        """Run the command of the console's page, and start the agent.

        This computer stands in for the shop's network: it is listed among the agent's networks.
        """
        self.agent.ask(*command)
        self.agent.change("{", '{"networks": ["127.0.0.0/8"],')
        self.agent.start()

    def kill(self) -> None:
        self.agent.kill()
        self.octoprint.kill()
        self.klipper.kill()
