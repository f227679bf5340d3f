"""Outbound HTTP client with SSRF protection: the address is checked when the socket is made."""

import asyncio
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from core.outbound.url_policy import allowed, parse, private_address_reason
from core.process.cancellation import cancellable

USER_AGENT = "manufacturing-platform/1"
TOTAL_TIMEOUT = 15.0  # seconds for one request, from the name to the last byte of the answer
CONNECT_TIMEOUT = 5.0  # seconds, TLS included
RESOLVE_TIMEOUT = 5.0  # seconds
GRACE = 10.0  # seconds until a download that must not be slow is measured
READ_LIMIT = 64 * 1024  # bytes of an answer's body; what follows is not waited for
HEAD_BYTES = 1024  # bytes of it that are returned, unless a caller needs more
# A name whose server is dead keeps its thread for half a minute: threads enough for many of them.
RESOLVER_THREADS = 128


class Writer(Protocol):
    """Receives the body of a download."""

    def write(self, data: bytes, /) -> Any: ...


class Unreachable(OSError):
    """No response; `reason` is dns, refused, connect-timeout, tls or blocked."""

    def __init__(self, reason: str, text: str):
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True)
class HttpResponse:
    """An HTTP answer: its status, and the beginning of its body."""

    status: int
    head: bytes


class TooLarge(ValueError):
    """The answer has more bytes than are taken."""


class _ForbiddenAddress(OSError):
    """The name led to an address that is not allowed."""


@dataclass
class _Try:
    """State of a request: whether it opened a socket of its own."""

    opened: bool = False


_try: ContextVar[_Try | None] = ContextVar("try", default=None)


def connector(
    resolver: AbstractResolver | None = None, *, own: bool = False, keep: float = 0
) -> aiohttp.TCPConnector:
    """Return a connector that checks each address when its socket is opened.

    There is no second look-up between check and connection, so DNS rebinding is impossible: a
    reused connection leads to the address that was checked.

    own  : for addresses of the installation's settings: any are allowed
    keep : seconds for which a connection is kept for the next request to the same host
    """
    return aiohttp.TCPConnector(
        resolver=resolver or ThreadResolver(),
        ttl_dns_cache=10,
        socket_factory=None if own else _open_socket,
        # Callers bound what is in flight: waiting here would eat into a request's time.
        limit=0,
        keepalive_timeout=keep or None,
        force_close=not keep,
    )


def open_session(
    resolver: AbstractResolver | None = None, *, own: bool = False, keep: float = 0
) -> aiohttp.ClientSession:
    """A session for `send`: no cookies, no proxy or password from the environment.

    own, keep : as of `connector`
    """
    return aiohttp.ClientSession(
        connector=connector(resolver, own=own, keep=keep),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        auto_decompress=False,
        skip_auto_headers=("Accept-Encoding", "Content-Type"),
    )


async def send(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes | None = None,
    timeout: float = TOTAL_TIMEOUT,
    own: bool = False,
    max_bytes: int = HEAD_BYTES,
) -> HttpResponse:
    """One request; redirects are not followed. `own` as of `connector`.

    max_bytes : bytes of the body that are returned

    Raises ForbiddenUrl, Unreachable, TimeoutError (connected, but no answer in `timeout`
    seconds) or aiohttp.ClientError (an answer that is not HTTP, or none).
    """
    target = parse(url, own=own)
    end = time.monotonic() + timeout
    with _failures_apart():
        while True:
            _try.set(tried := _Try())
            try:
                async with session.request(
                    method,
                    target,
                    data=body,
                    headers=headers,
                    allow_redirects=False,
                    timeout=_limits(max(end - time.monotonic(), 0.001)),
                ) as response:
                    return HttpResponse(response.status, await _read_head(response, max_bytes))
            except aiohttp.ClientConnectorError:
                raise
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                # A kept connection that was closed meanwhile: each such try uses one up.
                if tried.opened or own:
                    raise


def fetch(
    url: str, into: Writer, *, most: int, timeout: float = TOTAL_TIMEOUT, slowest: float = 0
) -> int:
    """GET `url` and write the body of a 200 to `into`; the answer's status.

    slowest : bytes a second that must have come, once GRACE is over

    For threads without an event loop. Raises what `send` does, and TooLarge beyond `most` bytes.
    """
    return asyncio.run(_fetch(url, into, most, timeout, slowest))


async def _fetch(url: str, into: Writer, most: int, timeout: float, slowest: float) -> int:
    target, read, begun = parse(url), 0, time.monotonic()
    headers = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": USER_AGENT}
    headers["Prefer"] = "return=representation"  # a redirect is not followed
    async with open_session() as session:
        with _failures_apart():
            async with session.get(
                target, headers=headers, allow_redirects=False, timeout=_limits(timeout)
            ) as response:
                if response.status != 200:
                    return response.status
                async for chunk in response.content.iter_any():
                    read += len(chunk)
                    if read > most:
                        raise TooLarge(f"The answer has more than {most} bytes.")
                    into.write(chunk)
                    took = time.monotonic() - begun
                    if took > GRACE and read < slowest * (took - GRACE):
                        raise TimeoutError(f"It sends less than {slowest:g} bytes a second.")
    return 200


def _limits(timeout: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=timeout, sock_connect=min(CONNECT_TIMEOUT, timeout))


@contextmanager
def _failures_apart() -> Iterator[None]:
    """Raise Unreachable for each way of not getting through to a server."""
    try:
        yield
    except aiohttp.ConnectionTimeoutError as error:
        raise Unreachable("connect-timeout", "The host takes no connection.") from error
    except aiohttp.ClientConnectorDNSError as error:
        raise Unreachable("dns", f"The host name is not found: {error.os_error}") from error
    except aiohttp.ClientSSLError as error:
        raise Unreachable("tls", str(error)) from error
    except aiohttp.ClientConnectorError as error:
        if isinstance(error.os_error, _ForbiddenAddress):
            raise Unreachable("blocked", str(error.os_error)) from error
        raise Unreachable("refused", str(error.os_error)) from error


def request(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes | None = None,
    timeout: float = TOTAL_TIMEOUT,
    own: bool = False,
    max_bytes: int = HEAD_BYTES,
) -> HttpResponse:
    """`send` for a thread that waits for the answer.

    Raises ForbiddenUrl, or Unreachable for whatever else goes wrong.
    """

    async def ask() -> HttpResponse:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        end = partial(loop.call_soon_threadsafe, task.cancel if task else loop.stop)
        with cancellable(end):
            async with open_session(own=own) as session:
                return await send(
                    session,
                    method,
                    url,
                    headers=headers,
                    body=body,
                    timeout=timeout,
                    own=own,
                    max_bytes=max_bytes,
                )

    try:
        return asyncio.run(ask())
    except TimeoutError as error:
        raise Unreachable("timeout", f"No answer within {timeout:g} s.") from error
    except aiohttp.ClientError as error:
        raise Unreachable("broken", f"The answer broke off or is not HTTP: {error}") from error


class ThreadResolver(AbstractResolver):
    """getaddrinfo in threads of its own, so that slow names delay only their own requests.

    lookup : replaces socket.getaddrinfo
    """

    def __init__(self, lookup: Callable = socket.getaddrinfo):
        self._lookup = lookup
        self._threads = ThreadPoolExecutor(RESOLVER_THREADS, thread_name_prefix="resolver")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the host's addresses; OSError if there are none within RESOLVE_TIMEOUT."""
        loop = asyncio.get_running_loop()
        lookup = loop.run_in_executor(
            self._threads, self._lookup, host, port, family, socket.SOCK_STREAM
        )
        try:
            found = await asyncio.wait_for(lookup, RESOLVE_TIMEOUT)
        except TimeoutError as error:
            raise OSError(f"no answer within {RESOLVE_TIMEOUT:.0f} s") from error
        return [
            ResolveResult(
                hostname=host,
                host=address[0],
                port=port,
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, address in found
        ]

    async def close(self) -> None:
        """Let the threads end when their look-ups do."""
        self._threads.shutdown(wait=False, cancel_futures=True)


async def _read_head(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    """Return the first bytes of the body. The status counts, however the body ends."""
    head, read = b"", 0
    try:
        async for chunk in response.content.iter_any():
            head = (head + chunk)[:max_bytes]
            read += len(chunk)
            if read >= READ_LIMIT:
                break
    except (aiohttp.ClientError, TimeoutError):
        pass
    return head


def _open_socket(address: tuple) -> socket.socket:
    family, kind, protocol, _, (host, *_) = address
    if tried := _try.get():
        tried.opened = True
    if not allowed(host):
        # One text for every address of a name: aiohttp keeps the class of equal errors only.
        raise _ForbiddenAddress(private_address_reason("of this host"))
    return socket.socket(family, kind, protocol)
