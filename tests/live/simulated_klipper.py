"""A Klipper host without a machine, as a program: `python simulated_klipper.py SOCKET FOLDER`.

It answers on Klipper's Unix socket, as Moonraker expects, and prints files of the folder: G4 waits,
M73 is the progress, E the filament, and EXCLUDE_OBJECT works as in Klipper. `FAIL` is a line with
an error, M118 is printed.
"""

import asyncio
import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

END = b"\x03"
INTERVAL = 0.25  # s between two updates of a subscription
ENDPOINTS = (
    "info", "emergency_stop", "list_endpoints", "register_remote_method", "objects/list",
    "objects/query", "objects/subscribe", "gcode/help", "gcode/script",
    "gcode/subscribe_output", "pause_resume/pause",
    "pause_resume/resume", "pause_resume/cancel",
)  # fmt: skip
HEATERS = ["extruder", "extruder1", "heater_bed"]
ACTIONS = {
    "pause_resume/pause": "PAUSE",
    "pause_resume/resume": "RESUME",
    "pause_resume/cancel": "CANCEL_PRINT",
}


class GcodeError(Exception):
    """A command that cannot be carried out."""


class Klipper:
    """State of the host, its print, and its clients."""

    def __init__(self, folder: Path):
        self.folder, self.gcode = folder, asyncio.Lock()
        self.job: asyncio.Task[None] | None = None
        self.clients: set[asyncio.StreamWriter] = set()
        self.begin()

    def begin(self) -> None:
        """Start without a memory, as after a restart of the firmware."""
        self.state, self.message = "ready", "Printer is ready"
        self.stats: dict[str, Any] = {}
        self.reset("")

    def reset(self, name: str) -> None:
        self.stats = {
            "filename": name, "total_duration": 0.0, "print_duration": 0.0, "filament_used": 0.0,
            "state": "standby", "message": "", "info": {},
        }  # fmt: skip
        self.position, self.size, self.m73 = 0, 0, None
        self.objects: list[dict[str, str]] = []
        self.excluded: list[str] = []

    def status(self) -> dict[str, dict[str, Any]]:
        progress = self.position / self.size if self.size else 0.0
        heater = {"temperature": 24.5, "target": 0.0, "power": 0.0}
        return {
            "webhooks": {"state": self.state, "state_message": self.message},
            "configfile": {"config": {"virtual_sdcard": {"path": str(self.folder)}}},
            "print_stats": self.stats,
            "virtual_sdcard": {
                "progress": progress,
                "file_position": self.position,
                "is_active": self.prints,
            },
            "display_status": {
                "progress": progress if self.m73 is None else self.m73,
                "message": None,
            },
            "pause_resume": {"is_paused": self.stats["state"] == "paused"},
            "exclude_object": {"objects": self.objects, "excluded_objects": self.excluded},
            # Without sensors Moonraker 0.11.0 keeps no history: its cache of the subscription is
            # then the object that it compares with.
            "heaters": {"available_heaters": HEATERS, "available_sensors": HEATERS},
            "extruder": heater,
            "extruder1": heater,
            "heater_bed": heater,
        }

    @property
    def prints(self) -> bool:
        return self.job is not None and not self.job.done()

    # ------------------------------------------------------------ gcode

    async def script(self, lines: str) -> None:
        """Carry commands out between two lines of the print."""
        async with self.gcode:
            for line in lines.splitlines():
                await self.command(line.strip())

    async def command(self, line: str) -> None:
        if self.state != "ready":
            raise GcodeError(self.message)
        words = dict(re.findall(r'(\w+)="?([^" ]*)"?', line))
        match line.partition(" ")[0]:
            case "SDCARD_PRINT_FILE":
                self.print_file(words["FILENAME"])
            case "PAUSE" if self.prints:
                self.stop("paused")
            case "RESUME" if self.stats["state"] == "paused":
                self.resume()
            case "CANCEL_PRINT" if self.stats["state"] in ("printing", "paused"):
                self.stop("cancelled")
                self.position = self.size = 0
            case "EXCLUDE_OBJECT_DEFINE":
                self.objects.append({"name": words["NAME"].upper()})
            case "EXCLUDE_OBJECT" if words["NAME"].upper() not in self.excluded:
                self.excluded.append(words["NAME"].upper())
            case "G4":
                await asyncio.sleep(_number("P", line) / 1000)
            case "M118":
                sys.stdout.write(f"{line.removeprefix('M118 ')}\n")
                sys.stdout.flush()
            case "M73":
                self.m73 = _number("P", line) / 100
            case "FAIL":
                raise GcodeError("Move out of range: 400.000 0.000 0.000 [0.000]")
            case _ if extrusion := re.search(r"E([\d.]+)", line):
                self.stats["filament_used"] = float(extrusion[1])
                self.stats["print_duration"] += 0.1

    def print_file(self, name: str) -> None:
        if self.prints:
            raise GcodeError("SD busy")
        path = self.folder / name
        if not path.is_file():
            raise GcodeError("Unable to open file")
        self.reset(name)
        self.content = path.read_bytes()  # an open file outlives its deletion
        self.size = len(self.content)
        self.resume()

    def resume(self) -> None:
        self.stats["state"] = "printing"
        self.job = asyncio.create_task(self.work())

    def stop(self, state: str) -> None:
        if self.job:
            self.job.cancel()
        self.stats["state"] = state

    async def work(self) -> None:
        while self.position < self.size:
            end = self.content.find(b"\n", self.position)
            line = self.content[self.position : end if end >= 0 else self.size]
            try:
                async with self.gcode:
                    await self.command(line.decode())
            except GcodeError as error:
                self.stats |= {"state": "error", "message": str(error)}
                return
            self.position = min(self.position + len(line) + 1, self.size)
        self.stats["state"] = "complete"

    def shut_down(self, message: str) -> None:
        self.state, self.message = "shutdown", message
        if self.prints:
            self.stop("paused")  # what Klipper's statistics say then

    # ------------------------------------------------------------ socket

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks: set[asyncio.Task[None]] = set()
        self.clients.add(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                request = json.loads((await reader.readuntil(END))[:-1])
                tasks.add(asyncio.create_task(self.answer(request, writer, tasks)))
        self.clients.discard(writer)
        for task in tasks:
            task.cancel()

    async def answer(
        self, request: dict[str, Any], writer: asyncio.StreamWriter, tasks: set[asyncio.Task[None]]
    ) -> None:
        try:
            reply = {"result": await self.result(request, writer, tasks)}
        except GcodeError as error:
            reply = {"error": {"error": "WebRequestError", "message": str(error)}}
        if "id" in request:
            self.send(writer, {"id": request["id"], **reply})

    async def result(
        self, request: dict[str, Any], writer: asyncio.StreamWriter, tasks: set[asyncio.Task[None]]
    ) -> dict[str, Any]:
        method, params = request["method"], request.get("params", {})
        match method:
            case "info":
                return {
                    "state": self.state, "state_message": self.message, "hostname": "simulated",
                    "klipper_path": "/opt/klipper", "python_path": sys.executable,
                    "process_id": os.getpid(), "user_id": os.getuid(), "group_id": os.getgid(),
                    "log_file": "", "config_file": "", "software_version": "v0.13.0",
                    "cpu_info": "simulated",
                }  # fmt: skip
            case "list_endpoints":
                return {"endpoints": list(ENDPOINTS)}
            case "objects/list":
                return {"objects": list(self.status())}
            case "objects/query":
                return self.query(params["objects"])
            case "objects/subscribe":
                template = params["response_template"]
                tasks.add(asyncio.create_task(self.publish(params["objects"], template, writer)))
                return self.query(params["objects"])
            case "emergency_stop":
                self.shut_down("Shutdown due to webhooks request")
            case "gcode/script" if params["script"] in ("RESTART", "FIRMWARE_RESTART"):
                self.begin()
                for one in tuple(self.clients):  # Klipper's socket is made anew
                    one.close()
            case "gcode/script":
                await self.script(params["script"])
            case _ if method in ACTIONS:
                await self.script(ACTIONS[method])
        return {}

    def query(self, objects: dict[str, list[str] | None]) -> dict[str, Any]:
        status = self.status()
        return {
            "eventtime": asyncio.get_running_loop().time(),
            "status": {
                name: {
                    field: value
                    for field, value in status.get(name, {}).items()
                    if fields is None or field in fields
                }
                for name, fields in objects.items()
            },
        }

    async def publish(
        self, objects: dict[str, Any], template: dict[str, Any], writer: asyncio.StreamWriter
    ) -> None:
        """Send what has changed, as a subscription does."""
        before: dict[str, Any] = json.loads(json.dumps(self.query(objects)["status"]))
        while True:
            await asyncio.sleep(INTERVAL)
            now = self.query(objects)
            status: dict[str, Any] = json.loads(json.dumps(now["status"]))
            changed = {
                name: changes
                for name, fields in status.items()
                if (
                    changes := {
                        key: fields[key] for key in fields if fields[key] != before[name].get(key)
                    }
                )
            }
            before = status
            if changed:
                params = {"eventtime": now["eventtime"], "status": changed}
                self.send(writer, {**template, "params": params})

    def send(self, writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
        with suppress(ConnectionError):
            writer.write(json.dumps(message).encode() + END)


def _number(letter: str, line: str) -> float:
    """The value of a parameter of a command; 0 where it has none."""
    match = re.search(rf" {letter}([\d.]+)", line)
    return float(match[1]) if match else 0.0


async def main(address: Path, folder: Path) -> None:
    address.unlink(missing_ok=True)
    server = await asyncio.start_unix_server(Klipper(folder).serve, address)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
