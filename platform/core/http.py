"""The one door outward: requests to URLs that clients gave us, checked as the socket is made."""

import asyncio
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Protocol

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from django.conf import settings
from yarl import URL

from core.cancelling import stoppable

USER_AGENT = "manufacturing-platform/1"
LONGEST_URL = 2048
TOTAL_TIMEOUT = 15.0  # seconds for one request, from the name to the last byte of the answer
CONNECT_TIMEOUT = 5.0  # seconds, TLS included
RESOLVE_TIMEOUT = 5.0  # seconds
GRACE = 10.0  # seconds until a download that must not be slow is measured
READ_LIMIT = 64 * 1024  # bytes of an answer's body; what follows is not waited for
KEPT_BYTES = 1024  # bytes of it that are kept
# A name whose server is dead keeps its thread for half a minute: threads enough for many of them.
RESOLVER_THREADS = 128

# Ports of the Fetch standard's list that speak something a request could be mistaken for, and
# those of databases and caches that answer anybody.
BAD_PORTS = frozenset(
    (0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101)
    + (102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389)
    + (427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636)
    + (989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665)
    + (6666, 6667, 6668, 6669, 6679, 6697, 10080)
    + (3306, 5432, 6379, 9200, 9300, 11211, 27017)
)
# The only IPv6 addresses that are handed out for the public internet.
_GLOBAL_V6 = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")
# Global by their number, for some versions of Python at least, and still no place of a client's:
# Azure's host, protocol assignments, the 6to4 relays, documentation.
_DENIED = tuple(
    ip_network(item) for item in ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "3fff::/20")
)


class Writer(Protocol):
    """Takes what is fetched."""

    def write(self, data: bytes, /) -> Any: ...


class ForbiddenUrl(ValueError):
    """A URL that we do not request; the text says why, and what would do."""


class Unreachable(OSError):
    """Nobody was there to answer; `reason` is dns, refused, connect-timeout, tls or blocked."""

    def __init__(self, reason: str, text: str):
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True)
class Answer:
    """An HTTP answer: its status, and the first KEPT_BYTES of its body."""

    status: int
    head: bytes


class TooLarge(ValueError):
    """The answer has more bytes than are taken."""


class _ForbiddenAddress(OSError):
    """The name led to an address that is not allowed."""


def check_url(url: str) -> None:
    """Raise ForbiddenUrl if `url`, given by a client, can never be requested.

    Host names are not looked up here: their addresses are checked when a socket is made.
    """
    if len(url) > LONGEST_URL:
        raise ForbiddenUrl(f"The URL is too long: use one of at most {LONGEST_URL} characters.")
    if sink_token(url) is None:
        _parse(url)


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, in one spelling."""
    parsed = _parse(url) if sink_token(url) is None else URL(url)
    host = (parsed.raw_host or "").rstrip(".").lower()
    return f"{parsed.scheme}://{f'[{host}]' if ':' in host else host}:{parsed.port}"


def sink_token(url: str) -> str | None:
    """What names the sink that `url` leads to; None for any other URL.

    Sinks are the only place of our own that clients may name. They keep what is for them without
    a request: `send` refuses their URLs like all others of ours.
    """
    found = re.fullmatch(re.escape(settings.SINK_URL) + r"([\w-]{43})/?(?:\?[!-~]*)?", url, re.A)
    return found[1] if found else None


def allowed(address: str) -> bool:
    """Whether a socket may be opened to this IP address.

    Public addresses may be reached, and what OUTBOUND_ALLOW names. An IPv4 address inside an
    IPv6 one (mapped, 6to4, NAT64) is judged as what it is.
    """
    ip = _unwrap(ip_address(address.partition("%")[0]))
    if any(ip in network for network in settings.OUTBOUND_ALLOW):
        return True
    if ip.version == 6 and ip not in _GLOBAL_V6:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _DENIED)


def connector(
    resolver: AbstractResolver | None = None, *, own: bool = False
) -> aiohttp.TCPConnector:
    """A connector whose sockets are refused as they are made, for each address that is tried.

    No second look-up lies between check and connection, so DNS rebinding finds no window.
    `own` is for addresses of our own settings: any may be reached.
    """
    return aiohttp.TCPConnector(
        resolver=resolver or ThreadResolver(),
        ttl_dns_cache=10,
        socket_factory=None if own else _open_socket,
        # Callers bound what is in flight: waiting here would eat into a request's time.
        limit=0,
        # A kept connection may be closed under a request, which then has to wait for its repeat.
        force_close=True,
    )


def open_session(
    resolver: AbstractResolver | None = None, *, own: bool = False
) -> aiohttp.ClientSession:
    """A session for `send`: no cookies, no proxy or password from the environment."""
    return aiohttp.ClientSession(
        connector=connector(resolver, own=own),
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
) -> Answer:
    """One request; redirects are not followed. `own` as of `connector`.

    Raises ForbiddenUrl, Unreachable, TimeoutError (connected, but no answer in `timeout`
    seconds) or aiohttp.ClientError (an answer that is not HTTP, or none).
    """
    target = _parse(url, own=own)
    with _failures_apart():
        async with session.request(
            method,
            target,
            data=body,
            headers=headers,
            allow_redirects=False,
            timeout=_limits(timeout),
        ) as response:
            return Answer(response.status, await _read_head(response))


def fetch(
    url: str, into: Writer, *, most: int, timeout: float = TOTAL_TIMEOUT, slowest: float = 0
) -> int:
    """GET `url` and write the body of a 200 to `into`; the answer's status.

    slowest : bytes a second that must have come, once GRACE is over

    For threads without an event loop. Raises what `send` does, and TooLarge beyond `most` bytes.
    """
    return asyncio.run(_fetch(url, into, most, timeout, slowest))


async def _fetch(url: str, into: Writer, most: int, timeout: float, slowest: float) -> int:
    target, read, begun = _parse(url), 0, time.monotonic()
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
) -> Answer:
    """`send` for a thread that waits for the answer.

    Raises ForbiddenUrl, or Unreachable for whatever else goes wrong.
    """

    async def ask() -> Answer:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        end = partial(loop.call_soon_threadsafe, task.cancel if task else loop.stop)
        with stoppable(end):
            async with open_session(own=own) as session:
                return await send(
                    session, method, url, headers=headers, body=body, timeout=timeout, own=own
                )

    try:
        return asyncio.run(ask())
    except TimeoutError as error:
        raise Unreachable("timeout", f"No answer within {timeout:g} s.") from error
    except aiohttp.ClientError as error:
        raise Unreachable("broken", f"The answer broke off or is not HTTP: {error}") from error


class ThreadResolver(AbstractResolver):
    """getaddrinfo in threads of its own, so that dead names hold up nobody else.

    lookup : stands for socket.getaddrinfo
    """

    def __init__(self, lookup: Callable = socket.getaddrinfo):
        self._lookup = lookup
        self._threads = ThreadPoolExecutor(RESOLVER_THREADS, thread_name_prefix="resolver")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The host's addresses; OSError if there are none within RESOLVE_TIMEOUT."""
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


def _parse(url: str, *, own: bool = False) -> URL:
    """`url`, byte for byte as it will be requested."""
    if "\\" in url or not url.isprintable() or any(character.isspace() for character in url):
        raise ForbiddenUrl(
            "The URL contains a space, a control character or a backslash: percent-encode it."
        )
    try:
        parsed = URL(url, encoded=url.isascii())
        host, port = parsed.raw_host or "", parsed.port
    except ValueError as error:
        raise ForbiddenUrl(f"This is not a URL: {error}") from error
    if parsed.scheme not in ("http", "https"):
        raise ForbiddenUrl("The URL must begin with http:// or https://.")
    if not host or "%" in host:
        raise ForbiddenUrl("The URL has no valid host: write http://host.example/path.")
    if parsed.raw_user is not None or parsed.raw_password is not None:
        raise ForbiddenUrl(
            "The URL holds a user name or password: put a secret into its path or query instead."
        )
    if port in BAD_PORTS:
        raise ForbiddenUrl(f"Port {port} belongs to another protocol: use 80, 443 or one above.")
    if not own:
        _check_host(host.rstrip(".").lower())
    return parsed


async def _read_head(response: aiohttp.ClientResponse) -> bytes:
    """The first KEPT_BYTES of the body. The status stands, however the body ends."""
    head, read = b"", 0
    try:
        async for chunk in response.content.iter_any():
            head = (head + chunk)[:KEPT_BYTES]
            read += len(chunk)
            if read >= READ_LIMIT:
                break
    except (aiohttp.ClientError, TimeoutError):
        pass
    return head


def _open_socket(address: tuple) -> socket.socket:
    family, kind, protocol, _, (host, *_) = address
    if not allowed(host):
        # One text for every address of a name: aiohttp keeps the class of equal errors only.
        raise _ForbiddenAddress(_private("of this host"))
    return socket.socket(family, kind, protocol)


def _check_host(host: str) -> None:
    parent = settings.PARENT_HOST
    if host == parent or host.endswith(f".{parent}"):
        raise ForbiddenUrl(
            f"The host {host} is this platform itself: give the URL of a server of your own."
        )
    try:
        address = str(ip_address(host))
    except ValueError:
        try:
            # Spellings that the system's resolver takes for an address: 127.1, 0x7f000001 ...
            address = socket.inet_ntoa(socket.inet_aton(host))
        except OSError:
            return
    if not allowed(address):
        raise ForbiddenUrl(_private(address))


def _private(which: str) -> str:
    return (
        f"The address {which} is not a public one: use a public host, or have the operator "
        "name its network in the setting OUTBOUND_ALLOW."
    )


def _unwrap(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 one stands for, if it does."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip
