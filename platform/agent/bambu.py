"""Driver of Bambu Lab printers in LAN mode with developer mode: MQTT for state, FTPS for files.

Not tried with a printer yet: it follows what others have published of the protocol (OpenBambuAPI).
"""

import time
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from agent import bambu_camera, bambu_stream
from agent.bambu_camera import NoPictureServer
from agent.bambu_link import DEVELOPER_MODE, USER, BambuLink
from agent.bambu_report import EXTERNAL
from agent.certificates import CertificatePins
from agent.connection_test import CommandsOff, Host
from agent.ftps import FtpsSession
from agent.gcode_package import PLATE, GcodeSettings, read_settings, write_package
from agent.http_client import nested
from agent.pending_command import PendingCommand
from agent.sockets import Network
from machines.controller import READY
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

VERSION_TIME = 3.0  # s
RESEND_AFTER = 15.0  # s until a command whose state has not followed is sent again
SETTLE_TIME = 60.0  # s in which a start without an answer may still be carried out
MAX_TEXT = 200
_IN_USE = (
    MachineStatus.PRINTING,
    MachineStatus.PAUSED,
    MachineStatus.BUSY,
    MachineStatus.STOPPING,
    MachineStatus.ATTENTION,
)


class BambuPorts(NamedTuple):
    """Ports of a printer."""

    mqtt: int = 8883
    ftps: int = 990
    camera: int = bambu_camera.PORT
    stream: int = bambu_stream.PORT


class Bambu:
    """A printer of Bambu Lab.

    code : access code; pins: its certificates, which are trusted at the first connection
    """

    def __init__(
        self,
        host: str,
        code: str,
        networks: Sequence[Network] | None = None,
        pins: CertificatePins | None = None,
        ports: BambuPorts | None = None,
    ):
        self._host, self._code, self._networks = host, code, networks
        self._ports = ports or BambuPorts()
        self._camera, self._stream = (host, self._ports.camera), (host, self._ports.stream)
        self._has_stream = False  # whether the camera has sent a frame of a video
        self.pins = pins or CertificatePins()
        self._link = BambuLink((host, self._ports.mqtt), code, networks, self.pins)
        self._files: dict[str, GcodeSettings] = {}
        self._unanswered: tuple[str, float] = ("", 0.0)  # a start, until when it may happen
        self._pending = PendingCommand(RESEND_AFTER)
        self._version = ""

    # ---------------------------------------------------------------- state

    def look(self) -> MachineState:
        """Read the reports that have come; without a connection it is offline."""
        link = self._link
        try:
            link.receive()
        except (NotSent, NoAnswer, Rejected) as error:
            return self._offline(str(error))
        report = link.report
        if not report.is_complete:
            return self._offline("The printer is connected, and has not sent a full report yet.")
        if link.is_silent:
            link.push_all()
            return self._offline("The printer has sent no report for 30 seconds.")
        doing, text = report.doing, report.text
        if doing in READY and self._may_start:
            doing, text = MachineStatus.BUSY, "The printer has not answered the start of a print."
        elif doing in READY and link.rejects_commands:
            doing, text = MachineStatus.ATTENTION, DEVELOPER_MODE
        return MachineState(
            doing,
            report.job or None,
            link.memory.boot,
            time.monotonic(),
            text[:MAX_TEXT],
            1.0 if doing is MachineStatus.DONE else report.progress,
            temperatures=report.temperatures,
            details=report.details,
            trays=report.trays,
        )

    @property
    def _may_start(self) -> bool:
        """Whether a start that was not answered may still be carried out."""
        name, until = self._unanswered
        return time.monotonic() < until and self._link.memory.past(name) is None

    def _offline(self, text: str) -> MachineState:
        return MachineState(MachineStatus.OFFLINE, at=time.monotonic(), text=text[:MAX_TEXT])

    def identify(self) -> Host:
        """Return the version of the firmware, after its servers and a command were tried once.

        The command sets the chamber light to what it is. Raises CommandsOff, WrongKey and NoHost.
        """
        self._link.receive()
        if not self._version:
            with self._ftps():
                pass
            self._pin_camera()
            self._try_command()
            try:
                reply = self._link.ask("info", "get_version", VERSION_TIME)
            except NoAnswer:
                reply = {}
            self._version = _version_of(reply) or "Bambu Lab"
        return Host("bambu", self._version)

    def _pin_camera(self) -> None:
        """Pin the certificate of the camera, of pictures or else of a video, if there is one."""
        try:
            bambu_camera.connect(self._camera, self._networks, self.pins).close()
        except NoPictureServer:
            with suppress(NotSent):
                bambu_stream.connect(self._stream, self._networks, self.pins).close()
        except NotSent:
            pass

    def close(self) -> None:
        """Close the connection."""
        self._link.close()

    def _try_command(self) -> None:
        """Raise CommandsOff where a command is rejected; it may be left without an answer."""
        if (mode := self._link.report.light) is None:
            return
        times = {"led_on_time": 500, "led_off_time": 500, "loop_times": 0, "interval_time": 0}
        light = {"led_node": "chamber_light", "led_mode": mode, **times}
        try:
            self._link.command("system", "ledctrl", VERSION_TIME, **light)
        except CommandsOff:
            raise
        except (Rejected, NoAnswer):
            pass

    # ---------------------------------------------------------------- files

    def put(self, file: Path, name: str) -> None:
        """Upload a file as the only plate of a package; it must be for this maker's printers."""
        if self._is_in_use(name):
            raise Rejected(f"{name} is being printed.")
        settings = read_settings(file)
        if settings.printer and not settings.printer.lower().startswith(("bambu", "bbl")):
            raise Rejected(
                f"The file was sliced for {settings.printer[:60]!r}. A Bambu Lab printer needs the "
                "start code of its own preset: slice it for this printer."
            )
        if settings.material:
            self._tray(settings)
        package = file.with_name(f"{file.name}.3mf")
        try:
            write_package(file, package, settings)
            with self._ftps() as session:
                session.store(package, _path(name), self._link.follow)
        finally:
            package.unlink(missing_ok=True)
        self._files = {name: settings}
        self._link.memory.uploaded(name)

    def drop(self, name: str) -> bool:
        """Delete a file, unless the printer shows its print."""
        if self._is_in_use(name):
            return False
        with self._ftps() as session:
            session.remove(_path(name))
        return True

    def past(self, name: str) -> AttemptState | None:
        """Return how a print ended, as it was seen: the printer keeps no records."""
        return self._link.memory.past(name)

    def _ftps(self) -> FtpsSession:
        login = (USER, self._code)
        return FtpsSession(self._host, self._ports.ftps, login, self._networks, self.pins)

    def _is_in_use(self, name: str) -> bool:
        self._link.receive()
        report = self._link.report
        if not report.is_complete:
            raise NoAnswer("The printer has not sent a full report yet.")
        return report.job == name and report.doing in _IN_USE

    # ---------------------------------------------------------------- commands

    def start(self, name: str) -> None:
        """Print the file, from the tray that has its material."""
        self._link.receive()
        tray = self._tray(self._files.get(name, GcodeSettings()))
        uses_changer = tray != EXTERNAL
        self._pending.sent("")
        self._unanswered = (name, time.monotonic() + SETTLE_TIME)
        try:
            self._link.command(
                "print",
                "project_file",
                param=PLATE,
                project_id="0",
                profile_id="0",
                task_id="0",
                subtask_id=str(zlib.crc32(name.encode())),
                subtask_name=name,
                file="",
                url=f"ftp:///{_path(name)}",
                md5="",
                timelapse=False,
                bed_type="auto",
                bed_levelling=True,
                flow_cali=False,
                vibration_cali=False,
                layer_inspect=False,
                use_ams=uses_changer,
                ams_mapping=[tray] if uses_changer else [],
            )
        except (NotSent, Rejected):
            self._unanswered = ("", 0.0)
            raise

    def _tray(self, settings: GcodeSettings) -> int:
        tray = self._link.report.tray_for(settings.material, settings.color)
        if tray is None:
            loaded = ", ".join(f"{row.slot} {row.material}" for row in self._link.report.trays)
            raise Rejected(
                f"No tray or several trays fit {settings.material or 'the file'} ({loaded}): load "
                "the one to print from."
            )
        return tray

    def pause(self) -> None:
        self._command("pause")

    def resume(self) -> None:
        self._command("resume")

    def cancel(self) -> None:
        self._command("stop")

    def skip(self, part: ObjectLabel) -> ExclusionResult:
        """The printer excludes objects by labels that this G-code does not have."""
        return ExclusionResult.CANNOT

    def camera(self) -> bytes | None:
        """The next picture of the camera of an A1 or P1, or a frame of the video of an X1."""
        login = self._code, self._networks, self.pins
        if not self._has_stream:
            try:
                return bambu_camera.take_picture(self._camera, *login)
            except NoPictureServer:
                if not bambu_stream.is_available():
                    raise
        frame = bambu_stream.take_frame(self._stream, *login)
        self._has_stream = True
        return frame

    def _command(self, command: str) -> None:
        """Send a command for the print that was seen last."""
        job = self._link.report.job
        self._link.receive()
        if not job or self._link.report.job != job:
            raise NotSent("The printer shows another print now.")
        if self._pending.is_waiting(f"{command} {job}"):
            return  # taken; its state follows
        self._link.command("print", command, param="")
        self._pending.sent(f"{command} {job}")


def _path(name: str) -> str:
    return f"cache/{name}.3mf"


def _version_of(reply: Mapping[str, Any]) -> str:
    """Return name and version of a printer, of the module `ota`."""
    modules = reply.get("module")
    for row in modules if isinstance(modules, list) else ():
        if nested(row, "name") == "ota" and isinstance(version := nested(row, "sw_ver"), str):
            product = nested(row, "product_name")
            name = product if isinstance(product, str) and product else "Bambu Lab"
            text = "".join(each for each in f"{name} {version}" if each.isprintable())
            return text[:60].strip()
    return ""
