"""HTTP transport: keep-alive, deadlines, idempotent retries."""

import json
import random
import socket
import ssl
import threading
import time
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass
from uuid import uuid4

from manufacturing.errors import Errors, Unreachable, rejection

DEADLINE = 60.0  # seconds for a call, with all its tries
TRIES = 5
PAUSE = 0.1  # seconds before the next try, doubling
AGAIN = (408, 429, 502, 503, 504)
PIECE = 1 << 16
LOST = (OSError, HTTPException)


@dataclass(frozen=True)
class HttpResponse:
    """What was answered; `tries` counts how often it was asked."""

    status: int
    headers: Message
    body: bytes
    tries: int = 1

    def json(self) -> Any:
        """Its body; None where there is none."""
        return json.loads(self.body) if self.body else None

    @property
    def errors(self) -> Errors:
        """Errors of a refusal; empty for the page of a proxy."""
        try:
            parsed = self.json()
        except ValueError:
            return ()
        errors = parsed.get("errors", ()) if isinstance(parsed, dict) else ()
        return errors if isinstance(errors, list) else ()

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may soon succeed."""
        in_progress = (error.get("code") == "idempotency-in-progress" for error in self.errors)
        return self.status in AGAIN or (self.status == 409 and any(in_progress))


OnResponse = Callable[[str, str, bytes | None, HttpResponse], None]  # method, URL, body, response


class Transport:
    """Sends requests to one installation.

    base  : its address, of the bare domain
    token : `uuid:secret`, sent to the hosts of the installation alone
    on_response : called with each response, refusals too
    """

    on_response: OnResponse | None = None

    def __init__(self, base: str, token: str) -> None:
        self.base = urlsplit(base)
        self._token = token
        self._tls = ssl.create_default_context()
        self._idle: dict[tuple[str, str], list[HTTPConnection]] = defaultdict(list)
        self._lock = threading.Lock()

    def url(self, service: str, path: str) -> str:
        """The address of a path on a service's host; of the bare domain without a service."""
        host = f"{service}.{self.base.netloc}" if service else self.base.netloc
        return f"{self.base.scheme}://{host}/{path.lstrip('/')}"

    def request(
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        deadline: float = DEADLINE,
    ) -> HttpResponse:
        """Send a request, retried until it is answered: raises Refused or Unreachable."""
        self.require_own(url)
        sent = dict(headers or {})
        if method == "POST":
            sent.setdefault("Idempotency-Key", str(uuid4()))
        end = time.monotonic() + deadline
        for number in range(1, TRIES + 1):
            final = number == TRIES
            pause = PAUSE * 2**number * random.uniform(0.5, 1)  # noqa: S311
            try:
                answer = self.once(method, url, body, sent, end, number)
            except ssl.SSLCertVerificationError as error:
                raise Unreachable(f"{url}: {error}") from error
            except LOST as error:
                if final or time.monotonic() + pause >= end:
                    raise Unreachable(f"{method} {url}: {str(error) or repr(error)}") from error
            else:
                pause = max(pause, wanted_pause(answer.headers))
                late = final or time.monotonic() + pause >= end
                if late or not answer.is_retryable:
                    if self.on_response:
                        self.on_response(method, url, body, answer)
                    return checked(answer, gone_is_fine=method == "DELETE" and number > 1)
            time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def stream(
        self, url: str, headers: Mapping[str, str] | None = None, *, idle_timeout: float = DEADLINE
    ) -> Iterator[HTTPResponse]:
        """One GET whose body is read as it comes; idle_timeout: seconds without data."""
        place = urlsplit(url)
        connection = self._connect(place, idle_timeout)
        try:
            connection.request("GET", target(place), headers=self._headers(place, headers or {}))
            response = connection.getresponse()
            if response.status >= 400:
                checked(HttpResponse(response.status, response.headers, response.read()))
            yield response
        finally:
            connection.close()

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            for connections in self._idle.values():
                while connections:
                    connections.pop().close()

    def once(
        self,
        method: str,
        url: str,
        body: bytes | None,
        headers: Mapping[str, str],
        end: float,
        number: int = 1,
    ) -> HttpResponse:
        """One try until a moment of the monotonic clock, whatever it is answered."""
        place = urlsplit(url)
        connection = self._taken(place, remaining(end))
        try:
            lost = None
            try:
                connection.request(method, target(place), body, self._headers(place, headers))
            except ConnectionError as error:  # answered, it may be, before all of it was read
                if connection.sock is None:
                    raise
                lost = error
            try:
                response = connection.getresponse()
            except LOST as error:
                raise lost or error from None
            answer = HttpResponse(response.status, response.headers, read(response, end), number)
        except BaseException:
            connection.close()
            raise
        if lost or response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle[place.scheme, place.netloc].append(connection)
        return answer

    def _taken(self, place: SplitResult, seconds: float) -> HTTPConnection:
        with self._lock:
            idle = self._idle[place.scheme, place.netloc]
            connection = idle.pop() if idle else None
        if connection is None:
            return self._connect(place, seconds)
        if connection.sock:
            connection.sock.settimeout(seconds)
        return connection

    def _connect(self, place: SplitResult, seconds: float) -> HTTPConnection:
        if place.scheme not in ("http", "https"):
            raise ValueError(f"{place.geturl()} is no URL of http or https.")
        host = place.hostname or ""
        if place.scheme == "http":
            return Plain(address(host), place.port, timeout=seconds)
        proxy = getproxies().get("https")
        if proxy and not proxy_bypass(host):
            through = urlsplit(proxy)
            connection = Tunnelled(
                through.hostname or "", through.port, timeout=seconds, context=self._tls
            )
            connection.set_tunnel(host, place.port or 443, proxy_credentials(through))
            return connection
        return Encrypted(host, place.port, timeout=seconds, context=self._tls)

    def require_own(self, url: str) -> None:
        """Raise ValueError unless the URL is one of the installation."""
        if not self._is_own(urlsplit(url)):
            raise ValueError(
                f"{url} is not an address of {self.base.geturl()}: name a URI of this platform."
            )

    def _is_own(self, place: SplitResult) -> bool:
        host, base = place.hostname or "", self.base.hostname or ""
        below = host == base or host.endswith("." + base)
        return below and (place.scheme, place.port) == (self.base.scheme, self.base.port)

    def _headers(self, place: SplitResult, headers: Mapping[str, str]) -> dict[str, str]:
        fields = {"Host": place.netloc, "Accept": "*/*", **headers}
        is_files_host = (place.hostname or "").startswith("files.")
        if self._token and self._is_own(place) and not is_files_host:
            fields["Authorization"] = "Basic " + b64encode(self._token.encode()).decode()
        return fields


class Lines:
    """The lines of an answer's head, of which the last one is remembered."""

    def __init__(self, file: Any) -> None:
        self._file, self.last = file, b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def readline(self, limit: int = -1) -> bytes:
        self.last = self._file.readline(limit)
        return self.last


class Whole(HTTPResponse):
    """An answer whose head has come to its end: http.client takes one that broke off for whole."""

    def begin(self) -> None:
        file, lines = self.fp, Lines(self.fp)
        self.fp = lines  # type: ignore[assignment]
        super().begin()
        self.fp = file
        if lines.last.strip(b"\r\n") or not lines.last:
            raise ConnectionError("the head of the answer broke off")


class Plain(HTTPConnection):
    """No encryption."""

    response_class = Whole


class Tunnelled(HTTPSConnection):
    """TLS through a proxy."""

    response_class = Whole


class Encrypted(HTTPSConnection):
    """TLS to a host whose name may be one that the resolver does not know."""

    response_class = Whole

    def connect(self) -> None:
        plain = socket.create_connection((address(self.host), self.port), self.timeout)
        context: ssl.SSLContext = self._context  # type: ignore[attr-defined]
        self.sock = context.wrap_socket(plain, server_hostname=self.host)


def address(host: str) -> str:
    """Where to connect: not every resolver knows the names below localhost."""
    return "127.0.0.1" if host == "localhost" or host.endswith(".localhost") else host


def proxy_credentials(proxy: SplitResult) -> dict[str, str]:
    """The header for a proxy that wants a password."""
    if not proxy.username:
        return {}
    credentials = f"{proxy.username}:{proxy.password or ''}".encode()
    return {"Proxy-Authorization": "Basic " + b64encode(credentials).decode()}


def target(place: SplitResult) -> str:
    """What the first line of a request asks for."""
    return (place.path or "/") + (f"?{place.query}" if place.query else "")


def remaining(end: float) -> float:
    """Seconds until the deadline."""
    seconds = end - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("no answer came in time")
    return seconds


def read(response: HTTPResponse, end: float) -> bytes:
    """All of a body, within the deadline however slowly it drips."""
    pieces = []
    while piece := response.read1(PIECE):
        remaining(end)
        pieces.append(piece)
    broken = response.length
    response.close()  # read1 does not, at the end of a body of known length
    if broken:  # http.client is silent about a body that broke off
        raise ConnectionError("the answer broke off")
    return b"".join(pieces)


def checked(answer: HttpResponse, *, gone_is_fine: bool = False) -> HttpResponse:
    """The answer, unless it is a refusal."""
    if answer.status < 400 or (gone_is_fine and answer.status == 404):
        return answer
    raise rejection(answer.status, answer.errors, answer.headers.get("Request-ID", ""))


def wanted_pause(headers: Message) -> float:
    """Seconds that `Retry-After` asks for."""
    value = headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else 0.0
