"""MQTT connection to a Bambu Lab printer: its merged report, and commands with their replies."""

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from agent.bambu_report import COMMANDS_OFF, BambuReport, error_code
from agent.certificates import CertificatePins, common_name, pinning_context
from agent.connection_test import CommandsOff, Host, NoHost
from agent.http_client import nested
from agent.mqtt import MqttConnection
from agent.print_memory import PrintMemory
from agent.sockets import Network, open_tls
from machines.drivers import NoAnswer, NotSent, Rejected, WrongKey

USER = "bblp"
CONNECT_TIME = 5.0  # s
REPORT_TIME = 3.0  # s to wait for the first full report
ANSWER_TIME = 20.0  # s until a command is answered; more than 15 have been observed
PUSHALL_EVERY = 300.0  # s between two requests for a full report: they slow P1 and A1 down
MAX_REPORT_AGE = 30.0  # s without a report
LOCK_TIME = 600.0  # s after a rejected command in which no print is started
RETRY_LOGIN_AFTER = 60.0  # s after a wrong access code
DEVELOPER_MODE = (
    "The printer rejects commands. Switch on LAN Only Mode and Developer Mode at its display "
    "(Settings, LAN Only), then enter the access code again: it changes with them."
)
_WRONG_CODE = "The printer does not accept the access code."


class BambuLink:
    """The one connection of a driver to a printer; it is opened again where it broke off.

    code   : access code; pins: certificates of the printer
    report : what the printer has reported through this connection
    memory : of its prints

    Its methods raise NotSent, NoAnswer and Rejected.
    """

    def __init__(
        self,
        address: tuple[str, int],
        code: str,
        networks: Sequence[Network] | None,
        pins: CertificatePins,
    ):
        self._address, self._code, self._networks, self._pins = address, code, networks, pins
        self._mqtt: MqttConnection | None = None
        self._serial = ""
        self.report, self.memory = BambuReport(), PrintMemory()
        self._reported_at = 0.0
        self._pushall_at, self._login_at, self._locked_until = 0.0, 0.0, 0.0
        self._number = secrets.randbelow(1_000_000)

    @property
    def is_silent(self) -> bool:
        """Whether no report has come for long, although the printer's broker may answer."""
        return time.monotonic() - self._reported_at > MAX_REPORT_AGE

    @property
    def rejects_commands(self) -> bool:
        """Whether the printer has rejected a command of late, or displays that it does."""
        return time.monotonic() < self._locked_until or self.report.rejects_commands

    def receive(self, wait: float = 0.0) -> list[Mapping[str, Any]]:
        """Merge the reports that have come; return the replies to commands.

        Waits at most `wait` seconds for the first message.
        """
        try:
            if self._mqtt is None:
                self._connect()
            return self._read(wait)
        except (NotSent, NoAnswer, Rejected):
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        if self._mqtt is not None:
            self._mqtt.close()
            self._mqtt = None

    def follow(self) -> None:
        """Keep up with the reports while something else takes time: the next look tells."""
        if self._mqtt is not None and time.monotonic() - self._reported_at > 1:
            try:
                self.receive()
            except (NotSent, NoAnswer, Rejected):
                pass

    def push_all(self) -> None:
        """Request a full report, unless that was done of late."""
        if self._mqtt is not None and time.monotonic() >= self._pushall_at:
            self._pushall_at = time.monotonic() + PUSHALL_EVERY
            self._publish("pushing", "pushall")

    def ask(
        self, section: str, command: str, seconds: float | None = None, **fields: object
    ) -> Mapping[str, Any]:
        """Return the reply to a command. Raises NoAnswer without one."""
        deadline = time.monotonic() + (seconds or ANSWER_TIME)
        number = self._publish(section, command, **fields)
        while (left := deadline - time.monotonic()) > 0:
            for reply in self.receive(left):
                if str(reply.get("sequence_id")) == number and reply.get("command") == command:
                    return reply
        raise NoAnswer(
            "The printer reports its state, and does not answer commands. Are LAN Only Mode and "
            "Developer Mode on (at its display: Settings, LAN Only)?"
        )

    def command(
        self, section: str, command: str, seconds: float | None = None, **fields: object
    ) -> None:
        """Have the printer do something. Raises Rejected, and CommandsOff without developer mode.

        A rejected command comes back as it was, with `err_code`.
        """
        reply = self.ask(section, command, seconds, **fields)
        code = reply.get("err_code")
        if code == COMMANDS_OFF:
            self._locked_until = time.monotonic() + LOCK_TIME
            raise CommandsOff(DEVELOPER_MODE)
        if isinstance(code, int) and code:
            raise Rejected(f"The printer rejects the command: error {error_code(code)}.")
        if str(reply.get("result", "success")).lower() not in ("success", ""):
            raise Rejected(f"The printer rejects the command: {str(reply.get('reason'))[:100]}.")
        self._locked_until = 0.0

    # ---------------------------------------------------------------- messages

    def _connect(self) -> None:
        if time.monotonic() < self._login_at:
            raise WrongKey(_WRONG_CODE)
        host, port = self._address
        deadline = time.monotonic() + CONNECT_TIME
        connection = open_tls(host, port, self._networks, deadline, pinning_context())
        try:
            serial = _serial_of(self._pins.check("mqtt", connection))
            self._mqtt = MqttConnection(connection, USER, self._code)
        except (NotSent, NoAnswer, Rejected) as error:
            connection.close()
            if isinstance(error, WrongKey):
                self._login_at = time.monotonic() + RETRY_LOGIN_AFTER
            raise
        self._serial, self.report, self._locked_until = serial, BambuReport(), 0.0
        self._reported_at = time.monotonic()
        self.memory.connected()
        self._mqtt.subscribe(f"device/{serial}/report")
        self.push_all()
        deadline = time.monotonic() + REPORT_TIME
        while not self.report.is_complete and (left := deadline - time.monotonic()) > 0:
            self._read(left)

    def _read(self, wait: float) -> list[Mapping[str, Any]]:
        replies: list[Mapping[str, Any]] = []
        for message in self._mqtt.receive(wait) if self._mqtt else ():
            try:
                sections = json.loads(message.payload)
            except (ValueError, RecursionError):
                continue
            for section in ("print", "info", "system"):
                row = nested(sections, section)
                if not isinstance(row, dict):
                    continue
                if section == "print" and row.get("command") == "push_status":
                    self._merge(row)
                else:
                    replies.append(row)
        return replies

    def _merge(self, row: Mapping[str, object]) -> None:
        self.report.merge(row)
        self._reported_at = time.monotonic()
        if self.report.is_complete:
            self.memory.saw(self.report.job, self.report.doing)

    def _publish(self, section: str, command: str, **fields: object) -> str:
        """Send a command; return its number."""
        if self._mqtt is None:
            raise NotSent("There is no connection to the printer.")
        self._number += 1
        number = str(self._number)
        body = {section: {"sequence_id": number, "command": command, **fields}}
        self._mqtt.publish(f"device/{self._serial}/request", json.dumps(body).encode())
        return number


def recognise(host: str, port: int, networks: Sequence[Network] | None, seconds: float) -> Host:
    """Return the printer that answers with its certificate, without its access code.

    Raises NotSent without a TLS server, and NoHost for another one.
    """
    connection = open_tls(host, port, networks, time.monotonic() + seconds, pinning_context())
    certificate = connection.getpeercert(binary_form=True) or b""
    connection.close()
    return Host("bambu", f"Bambu Lab {_serial_of(certificate)}")


def _serial_of(certificate: bytes) -> str:
    """Return the serial number of a printer. Raises NoHost where a certificate has none."""
    serial = common_name(certificate)
    if not (serial.isascii() and serial.isalnum() and 8 <= len(serial) <= 32):
        raise NoHost("What answers is no printer of Bambu Lab: its certificate names none.")
    return serial
