"""Connection by SDCP 3.0 (Smart Device Control Protocol) of Elegoo: JSON over a WebSocket.

Without authentication: every program that reaches the printer controls it.
"""

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from agent.http_client import nested
from agent.sockets import Network, open_socket
from machines.drivers import NoAnswer, NotSent, Rejected

MAX_MESSAGE = 1 << 18  # bytes
MAX_MESSAGES = 200  # that are read at once
MAX_ID = 64  # characters
CONNECT_TIME, ANSWER_TIME = 3.0, 5.0  # s
SHORT = 0.02  # s to wait for what has come already
FROM_PC = 0  # a program in the local network
STATUS, ATTRIBUTES = 0, 1


class CommandRejected(Rejected):
    """The printer rejects a command.

    code : `Ack` of its answer, whose meaning depends on the command
    """

    def __init__(self, command: int, code: object):
        super().__init__(f"The printer rejects the command {command}: code {str(code)[:20]}.")
        self.code = code if isinstance(code, int) else -1


class SdcpLink:
    """The one connection of a driver to a printer; it is opened again where it broke off.

    report, attributes : status and attributes that the printer sent last
    connections : how many there have been

    Its methods raise NotSent, NoAnswer and Rejected.
    """

    def __init__(self, address: tuple[str, int], networks: Sequence[Network] | None):
        self._address, self._networks = address, networks
        self._socket: ClientConnection | None = None
        self._open = ExitStack()  # of the connection
        self.connections = 0
        self.report: Mapping[str, Any] = {}
        self.attributes: Mapping[str, Any] = {}
        self._board = ""  # its id, which requests name

    @property
    def is_open(self) -> bool:
        return self._socket is not None

    @property
    def peer(self) -> str:
        """The IP address of the printer; empty without a connection."""
        try:
            return str(self._socket.remote_address[0]) if self._socket else ""
        except OSError:
            return ""

    def ask(self, command: int, **data: object) -> Mapping[str, Any]:
        """Return the answer to a command. Raises CommandRejected for another code than 0."""
        try:
            if self._socket is None:
                self._connect()
            answer = self._ask(command, data)
        except NoAnswer:
            self.close()
            raise
        code = answer.get("Ack", 0)
        if code != 0:
            raise CommandRejected(command, code)
        return answer

    def refresh(self) -> Mapping[str, Any]:
        """Return the status after a request for it: that may come behind the answer."""
        self.report = {}
        self.ask(STATUS)
        deadline = time.monotonic() + ANSWER_TIME
        while not self.report:
            if (left := deadline - time.monotonic()) <= 0:
                self.close()
                raise NoAnswer("The printer sends no status.")
            try:
                self._receive(left)
            except NoAnswer:
                self.close()
                raise
        return self.report

    def close(self) -> None:
        self._open.close()
        self._socket = None

    def _connect(self) -> None:
        host, port = self._address
        made = open_socket(host, port, self._networks, time.monotonic() + CONNECT_TIME)
        made.bound(None, CONNECT_TIME)
        named = f"[{host}]" if ":" in host else host
        try:
            connection = connect(
                f"ws://{named}:{port}/websocket",
                sock=made,
                open_timeout=CONNECT_TIME,
                close_timeout=1,
                ping_interval=None,  # the protocol has a heartbeat of its own
                max_size=MAX_MESSAGE,
                compression=None,
                proxy=None,
                user_agent_header=None,
            )
            self._socket = self._open.enter_context(connection)
        except (OSError, WebSocketException) as error:
            made.close()
            raise NoAnswer(f"What answers speaks no SDCP: {str(error)[:100]}.") from error
        self.connections += 1
        self.report, self._board = {}, ""
        self._ask(ATTRIBUTES, {})

    def _ask(self, command: int, data: Mapping[str, object]) -> Mapping[str, Any]:
        number = secrets.token_hex(16)
        request = {
            "Id": "",
            "Data": {
                "Cmd": command,
                "Data": data,
                "RequestID": number,
                "MainboardID": self._board,
                "TimeStamp": int(time.time()),
                "From": FROM_PC,
            },
            "Topic": f"sdcp/request/{self._board}",
        }
        if self._socket is None:
            raise NotSent("There is no connection to the printer.")
        try:
            self._socket.send(json.dumps(request))
        except (OSError, WebSocketException) as error:
            raise NoAnswer(f"The connection broke off: {str(error)[:100]}.") from error
        deadline = time.monotonic() + ANSWER_TIME
        while (left := deadline - time.monotonic()) > 0:
            for answer in self._receive(left):
                if answer.get("RequestID") == number and isinstance(answer.get("Data"), dict):
                    return dict(answer["Data"])
        raise NoAnswer(f"The printer does not answer the command {command}.")

    def _receive(self, wait: float) -> list[Mapping[str, Any]]:
        """Take over what has come; return the answers. Waits for the first message."""
        answers: list[Mapping[str, Any]] = []
        if self._socket is None:
            raise NotSent("There is no connection to the printer.")
        for _ in range(MAX_MESSAGES):
            try:
                message = json.loads(self._socket.recv(timeout=wait))
            except TimeoutError:
                break
            except (ValueError, RecursionError):  # `pong`
                continue
            except (OSError, WebSocketException) as error:
                raise NoAnswer(f"The connection broke off: {str(error)[:100]}.") from error
            wait = SHORT
            if isinstance(board := nested(message, "MainboardID"), str):
                self._board = board[:MAX_ID]
            if isinstance(status := nested(message, "Status"), dict):
                self.report = status
            if isinstance(attributes := nested(message, "Attributes"), dict):
                self.attributes = attributes
            if isinstance(answer := nested(message, "Data"), dict):
                answers.append(answer)
        return answers
