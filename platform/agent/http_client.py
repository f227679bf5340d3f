"""HTTP client for untrusted hosts on the shop's network: deadlines, size limits, no redirects."""

import http.client
import json
import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import isfinite
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from agent.digest import DigestLogin
from agent.sockets import TIMEOUT, Network, open_socket, secure
from machines.drivers import NoAnswer, NotSent, Rejected

LARGEST = 1 << 20  # bytes of an answer
CHUNK = 1 << 16
MAX_SECONDS = 1e7  # until the end of a print
MAX_LINE_LENGTH = 1024  # bytes


class ByteSink(Protocol):
    """Where a body is written."""

    def write(self, data: bytes, /) -> int:
        """Write a piece."""
        ...


class Answer(NamedTuple):
    """What came: its status, and its body unless that was written elsewhere.

    challenge : the `WWW-Authenticate` header
    """

    status: int
    body: bytes = b""
    challenge: str = ""

    def json(self) -> dict[str, Any]:
        """The object in it. Raises Lost where there is none."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise NoAnswer("The answer is no JSON object.")
        return found


def require(answer: Answer, status: int, message: str = "") -> None:
    """Raise Rejected for another status below 500, and NoAnswer for one that decides nothing."""
    if answer.status == status:
        return
    text = f"It answers with {answer.status}{': ' if message else '.'}{message}"
    raise Rejected(text) if 300 <= answer.status < 500 else NoAnswer(text)


def nested(value: object, *names: str) -> Any:
    """Return the value in objects within objects; None where one of them is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def number_within(value: object, high: float, low: float = 0.0) -> float | None:
    """Return the value, if it is a number in these bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return value if low <= value <= high else None


class HttpClient:
    """Requests to one host, a connection each.

    networks : which addresses may be reached; None: any
    login    : answers digest challenges: such a request is sent twice, its body must be iterable
               twice
    timeout  : s for a request that names none of its own
    """

    def __init__(
        self,
        address: str,
        headers: dict[str, str],
        networks: Sequence[Network] | None = None,
        login: DigestLogin | None = None,
        timeout: float = TIMEOUT,
    ):
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{address} is no address: write http://host or https://host.")
        self.address = address.rstrip("/")
        self._secure, self._host = parts.scheme == "https", parts.hostname
        self._port = parts.port or (443 if self._secure else 80)
        self._named = parts.netloc.rpartition("@")[2]
        self._headers, self._networks, self._login = headers, networks, login
        self._timeout = timeout

    def beside(self, address: str) -> "HttpClient":
        """Return a client of another server in the same networks, without this one's key."""
        try:
            return HttpClient(address, {}, self._networks)
        except ValueError as error:
            raise Rejected(str(error)) from error

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes | Iterable[bytes] | None = None,
        headers: dict[str, str] | None = None,
        timeout: float | None = None,
        into: ByteSink | None = None,
        limit: int = LARGEST,
    ) -> Answer:
        """One request; redirects are answers like any other.

        into : takes the body of a 200, which may have `limit` bytes

        Raises Fault where nothing was sent, and Lost where nobody knows what became of it.
        """
        send = partial(self._send, method, path, body, headers or {}, into, limit)
        answer = send(time.monotonic() + (timeout or self._timeout))
        if answer.status == 401 and self._login and self._login.learn(answer.challenge):
            answer = send(time.monotonic() + (timeout or self._timeout))
        return answer

    def _send(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None,
        headers: dict[str, str],
        into: ByteSink | None,
        limit: int,
        deadline: float,
    ) -> Answer:
        connection = http.client.HTTPConnection(self._host, self._port)
        connection.sock = self._open(deadline)
        own = {"Host": self._named, "Connection": "close", **self._headers, **headers}
        if self._login and (answered := self._login.header(method, path)):
            own["Authorization"] = answered
        try:
            connection.request(method, path, body=body, headers=own)
            answer = connection.getresponse()
            keep = into if answer.status == 200 else None
            content = _read(answer, keep, limit if keep else LARGEST)
            return Answer(answer.status, content, answer.getheader("WWW-Authenticate", ""))
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"No whole answer came: {error or type(error).__name__}.") from error
        finally:
            connection.close()

    def lines(self, path: str, *, idle_timeout: float) -> Iterator[bytes]:
        """The lines of a stream, until it ends, or is silent for so many seconds.

        Raises as `ask`, and Refused where there is no stream.
        """
        connection = http.client.HTTPConnection(self._host, self._port)
        connection.sock = self._open(None, idle_timeout)
        try:
            connection.request("GET", path, headers={"Host": self._named, **self._headers})
            answer = connection.getresponse()
            if answer.status != 200:
                raise Rejected(f"The stream is answered with {answer.status}.")
            while line := answer.readline(MAX_LINE_LENGTH):
                yield line
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"The stream broke off: {error or type(error).__name__}.") from error
        finally:
            connection.close()

    @contextmanager
    def response(self, path: str, timeout: float) -> Iterator[http.client.HTTPResponse]:
        """Give the response to a GET, whose body the caller reads within `timeout` seconds.

        Raises as `ask`. The connection is closed at the end, also in the middle of a body.
        """
        connection = http.client.HTTPConnection(self._host, self._port)
        connection.sock = self._open(time.monotonic() + timeout)
        headers = {"Host": self._named, "Connection": "close", **self._headers}
        try:
            connection.request("GET", path, headers=headers)
            with connection.getresponse() as answer:
                yield answer
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"No whole answer came: {error or type(error).__name__}.") from error
        finally:
            connection.close()

    def _open(self, deadline: float | None, idle_timeout: float = TIMEOUT) -> socket.socket:
        """A connection to the host. Raises NotSent."""
        made = open_socket(self._host, self._port, self._networks, deadline, idle_timeout)
        if not self._secure:
            return made
        try:
            return secure(made, ssl.create_default_context(), self._host)
        except OSError as error:
            raise NotSent(f"{self._host} takes no connection: {error}.") from error


def _read(answer: http.client.HTTPResponse, into: ByteSink | None, limit: int) -> bytes:
    """The body, or none where it went elsewhere. Raises Lost beyond `limit` bytes."""
    kept, read = bytearray(), 0
    while chunk := answer.read1(CHUNK):
        read += len(chunk)
        if read > limit:
            raise NoAnswer(f"The answer has more than {limit} bytes.")
        if into is None:
            kept += chunk
        else:
            into.write(chunk)
    return bytes(kept)
