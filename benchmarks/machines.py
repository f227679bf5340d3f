"""One agent with 200 machines: what it costs, and how soon it tells that a print has ended.

The machines are simulated OctoPrints that print, each on a port of its own; the platform is
simulated, too, and asks for exchanges as ours does. The agent is the real one, in a process of its
own. Its processor time is of one core.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

import psutil

from benchmarks.kit import FULL, ROOT, Figure, report

MACHINES = 200
WARM, MEASURED = 10.0, 60.0 if FULL else 30.0  # s
ENDS = 60  # machines whose print ends while it is measured


class Simulated:
    """A platform and its machines, in one loop."""

    def __init__(self) -> None:
        self.ended: dict[int, float] = {}
        self.told: dict[int, float] = {}
        self.looks = self.exchanges = 0
        self.wakeup = asyncio.Event()

    async def start(self) -> tuple[int, list[int]]:
        """Its ports: the platform's, and those of the machines."""
        platform = await asyncio.start_server(self._platform, "127.0.0.1", 0)
        machines = [
            await asyncio.start_server(
                lambda reader, writer, at=at: self._machine(reader, writer, at), "127.0.0.1", 0
            )
            for at in range(MACHINES)
        ]
        self._servers = [platform, *machines]
        port, *ports = [server.sockets[0].getsockname()[1] for server in self._servers]
        return port, ports

    async def _machine(self, reader: Any, writer: Any, at: int) -> None:
        await _request(reader)
        self.looks += 1
        over = at in self.ended
        told = {
            "state": "Operational" if over else "Printing",
            "job": {"file": {"name": _name(at)}},
            "progress": {"completion": 100.0 if over else 42.0},
        }
        _answer(writer, told)

    async def _platform(self, reader: Any, writer: Any) -> None:
        path, body = await _request(reader)
        if path == "/agent/bell/":
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\n")
            await self.wakeup.wait()
            writer.close()
            return
        self.exchanges += 1
        for told in json.loads(body)["reports"]:
            if told["status"] == "done":
                self.told.setdefault(int(told["name"].split("-")[1][:-6]), time.monotonic())
        open_ones = [
            {"name": _name(at), "printer": _uri(at), "status": "printing", "boot": "b",
             "wanted": None}
            for at in range(MACHINES)
            if at not in self.told
        ]  # fmt: skip
        _answer(writer, {"attempts": open_ones, "next_seconds": 10})


async def _request(reader: Any) -> tuple[str, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return head.split()[1].decode(), await reader.readexactly(length)


def _answer(writer: Any, told: dict[str, Any]) -> None:
    body = json.dumps(told).encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    writer.close()


def _name(at: int) -> str:
    return f"run-{at}.gcode"


def _uri(at: int) -> str:
    return f"http://erp.here/printer/{at}/"


async def measure(folder: Path) -> list[Figure]:
    simulated = Simulated()
    port, ports = await simulated.start()
    machines = [
        {"printer": _uri(at), "driver": "octoprint", "address": f"http://127.0.0.1:{one}",
         "key": "k"}
        for at, one in enumerate(ports)
    ]  # fmt: skip
    kept = {"address": f"http://127.0.0.1:{port}", "token": "t", "machines": machines}
    (folder / "agent.json").write_text(json.dumps(kept | {"networks": ["127.0.0.0/8"]}))
    agent = subprocess.Popen(
        [sys.executable, "-m", "agent", "--folder", str(folder), "run"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "platform")},
        stderr=subprocess.DEVNULL,
    )
    try:
        return await _watch(simulated, psutil.Process(agent.pid))
    finally:
        agent.kill()
        agent.wait()
        simulated.wakeup.set()
        await asyncio.sleep(0)


async def _watch(simulated: Simulated, agent: psutil.Process) -> list[Figure]:
    await asyncio.sleep(WARM)
    used, began, looks = sum(agent.cpu_times()[:2]), time.monotonic(), simulated.looks
    for at in range(ENDS):
        simulated.ended[at] = time.monotonic()
        await asyncio.sleep(MEASURED / ENDS)
    took = time.monotonic() - began
    share = (sum(agent.cpu_times()[:2]) - used) / took
    looked = (simulated.looks - looks) / took
    memory = agent.memory_info().rss / 1e6
    while simulated.told.keys() < simulated.ended.keys():
        await asyncio.sleep(0.1)
    late = [simulated.told[at] - when for at, when in simulated.ended.items()]
    return [
        Figure(f"{MACHINES} machines: processor", "% of a core", 100 * share, goal="<= 15"),
        Figure(f"{MACHINES} machines: memory", "MB", memory, goal="<= 80"),
        Figure("looks", "1/s", looked),
        Figure("end of a print to the platform, p50", "s", quantiles(late, n=20)[9]),
        Figure("end of a print to the platform, p95", "s", quantiles(late, n=20)[18], goal="<= 5"),
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report("machines", asyncio.run(measure(Path(folder))))


if __name__ == "__main__":
    main()
