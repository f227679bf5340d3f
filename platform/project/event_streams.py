"""Event streams (server-sent events, NDJSON) outside Django's threads, woken by LISTEN/NOTIFY.

A stream is one request of Django's view after another, each from where the last one ended: so it
is authenticated, refused and resumed as any request is. In between it sleeps until the database
rings, and then for a moment, so that many events make one piece.
"""

import asyncio
import logging
import signal
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
import psycopg
from a2wsgi import WSGIMiddleware
from django.conf import settings

from apps.callbacks import interface as callbacks
from core.errors import RateLimited, ServiceError, Unavailable
from core.postgres import connections
from core.queue import progress
from project.wsgi import application

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

logger = logging.getLogger(__name__)

MAX_STREAMS, MAX_OF_ACCOUNT, MAX_OF_ADDRESS = 500, 10, 100  # streams at once
CHUNK = 64 * 1024  # bytes handed to the server at a time
# Seconds: between two signs of life, which is also how long an ended session still hears;
# between two pieces; for a client that does not read; until the database is tried again.
BEAT, REST, TIMEOUT, PAUSE = 15.0, 0.1, 10.0, 1.0

_wsgi: Any = application
# What a view tells this module, and a client never hears.
_OURS = {
    b"content-length",  # a stream has none
    b"events-at",
    b"events-of",
    b"heard-by",
    b"last-event-id",
    b"progress-of",
}
_reads: Any = WSGIMiddleware(_wsgi, workers=4)  # its own: streams wait for each other alone
# What streams, and the host whose view makes its pieces.
_views = {
    "/events": f"callbacks.{settings.PARENT_HOST}",
    "/agent/bell": f"erp.{settings.PARENT_HOST}",
}
_hosts = {settings.PARENT_HOST} | {
    f"{name}.{settings.PARENT_HOST}"
    for name in ("data", *settings.SERVICES, *settings.HOST_ALIASES)
}


class NoMoreStreams(Unavailable):
    """The server has as many streams as it can have, of all accounts together."""

    code = "too-many-streams"

    def __init__(self) -> None:
        super().__init__(
            "The server has as many streams as it can have: try again in a minute.",
            headers={"Retry-After": "60"},
        )


@dataclass
class StreamChunk:
    """Django's answer to one read."""

    code: int = 500
    headers: list[tuple[bytes, bytes]] | None = None
    body: bytes = b""

    def header(self, name: bytes) -> bytes:
        return dict(self.headers or []).get(name, b"")


class StreamWakeUp(asyncio.Event):
    """Set whenever there may be news; it holds the notifications of progress until that is sent.

    kinds    : of which kinds that is heard; ALL of every one
    location : where, of a bureau's machines; empty everywhere
    """

    def __init__(self) -> None:
        super().__init__()
        self.kinds: set[str] = set()
        self.location = ""
        self._progress: dict[str, Any] = {}  # the last line by URI

    def hear(self, notification: dict[str, Any]) -> None:
        """Keep a line of `core.queue.progress` until it is sent, if it is for this stream."""
        line = notification["line"]
        wanted = self.kinds & {callbacks.ALL, line["type"].partition(".")[0]}
        if wanted and self.location in ("", notification["location"]):
            self._progress[line["uri"]] = line
            self.set()

    def progress(self, *, server_sent: bool) -> bytes:
        """What was heard since the last time, one line for each resource."""
        lines = [orjson.dumps(line) for line in self._progress.values()]
        self._progress.clear()
        written = b"event: progress\ndata: %s\n\n" if server_sent else b"%s\n"
        return b"".join(written % line for line in lines)


class StreamRegistry:
    """The streams that are open, and the one connection that rings for all of them."""

    def __init__(self) -> None:
        self._wakeups: dict[str, set[StreamWakeUp]] = defaultdict(set)
        self._accounts: Counter[str] = Counter()
        self._addresses: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None
        self.ending = False

    @contextmanager
    def wakeup(self, of: str, account: str, address: str) -> Iterator[StreamWakeUp]:
        """An event that is set whenever there may be news of whom `of` is the key.

        account, address : who listens, and from where
        """
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen())
            self._end_with_process()
        wakeup = StreamWakeUp()
        wakeup.set()  # what happened since the first piece was read rang for nobody
        self._wakeups[of].add(wakeup)
        self._accounts[account] += 1
        self._addresses[address] += 1
        try:
            yield wakeup
        finally:
            self._addresses -= Counter({address: 1})
            self._accounts -= Counter({account: 1})
            self._wakeups[of].discard(wakeup)
            if not self._wakeups[of]:
                del self._wakeups[of]

    @property
    def count(self) -> int:
        """How many streams are open."""
        return sum(map(len, list(self._wakeups.values())))

    def count_of(self, account: str) -> int:
        """How many of them are of `account`."""
        return self._accounts[account]

    def count_from(self, address: str) -> int:
        """How many of them go to `address`."""
        return self._addresses[address]

    def _ring(self, wakeups: set[StreamWakeUp]) -> None:
        for wakeup in wakeups:
            wakeup.set()

    def _ring_all(self) -> None:
        for wakeups in self._wakeups.values():
            self._ring(wakeups)

    async def _listen(self) -> None:
        """Ring the bells of whoever had an event, as long as this process lives."""
        while True:
            with suppress(psycopg.OperationalError):
                async with await _connect() as connection:
                    await connection.execute(f"LISTEN {callbacks.EVENT_CHANNEL}")
                    await connection.execute(f"LISTEN {progress.CHANNEL}")
                    self._ring_all()  # nobody heard what happened before
                    async for notice in connection.notifies():
                        if notice.channel == progress.CHANNEL:
                            self._tell_progress(orjson.loads(notice.payload))
                        else:
                            self._ring(self._wakeups.get(notice.payload, set()))
            logger.warning("Event stream listener lost its connection, reconnecting")
            await asyncio.sleep(PAUSE)

    def _tell_progress(self, notification: dict[str, Any]) -> None:
        for wakeup in {
            wakeup for key in notification["of"] for wakeup in self._wakeups.get(key, ())
        }:
            wakeup.hear(notification)

    def _end_with_process(self) -> None:
        """Have an orderly end of this process, which waits for every answer, end the streams.

        granian handles the signal through the event loop, which hears of it whatever the handler.
        """
        loop = asyncio.get_running_loop()

        def end(number: int, frame: object) -> None:
            self.ending = True
            loop.call_soon_threadsafe(self._ring_all)

        signal.signal(signal.SIGTERM, end)


listener = StreamRegistry()


def is_stream(scope: Scope, host: str) -> bool:
    """Whether the request is for a stream: of events on any host of ours, of an agent on its."""
    path = scope["path"].rstrip("/")
    known = host in _hosts if path == "/events" else host == _views.get(path)
    return scope["method"] == "GET" and known


async def stream(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of the streams."""
    body: bytes = (await receive())["body"]  # the shield has it whole
    piece = await _read(scope, body)
    if piece.code != 200:
        return await _pass_on(piece, send)
    of, account = piece.header(b"events-of").decode(), piece.header(b"heard-by").decode()
    if listener.count_of(account) >= MAX_OF_ACCOUNT:
        rejection = RateLimited(
            f"An account has at most {MAX_OF_ACCOUNT} streams at once: end one of yours.",
            limit="streams",
            most=MAX_OF_ACCOUNT,
            used=listener.count_of(account),
            wait=60,
        )
        return await _refuse(send, rejection)
    address = scope["neighbourhood"]
    if listener.count_from(address) >= MAX_OF_ADDRESS:
        rejection = RateLimited(
            f"From one address there are at most {MAX_OF_ADDRESS} streams at once: end some.",
            limit="streams",
            most=MAX_OF_ADDRESS,
            used=listener.count_from(address),
            wait=60,
        )
        return await _refuse(send, rejection)
    if listener.count >= MAX_STREAMS:
        return await _refuse(send, NoMoreStreams())

    gone = asyncio.create_task(_disconnect(receive))
    try:
        with listener.wakeup(of, account, address) as wakeup:
            wakeup.kinds = set(piece.header(b"progress-of").decode().split(",")) - {""}
            wakeup.location = piece.header(b"events-at").decode()
            await _follow(partial(_read, scope, body), piece, wakeup, gone, send)
    except TimeoutError:
        pass  # it does not read: an answer without an end has its connection cut
    finally:
        gone.cancel()


async def _follow(
    read_on: Callable[[bytes], Awaitable[StreamChunk]],
    piece: StreamChunk,
    wakeup: StreamWakeUp,
    gone: asyncio.Task[None],
    send: Send,
) -> None:
    """Send pieces until the client leaves, may no longer read, or the process ends."""
    headers = [pair for pair in piece.headers or [] if pair[0] not in _OURS]
    server_sent = b"event-stream" in piece.header(b"content-type")
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    position = b""
    while True:
        if piece.code == 200:
            position = piece.header(b"last-event-id")
        elif piece.code < 500:
            end = b"event: end\ndata: %s\n\n" if server_sent else b"%s\n"
            await _send(send, end % piece.body)
            return await _send(send, b"", more=False)
        news = wakeup.progress(server_sent=server_sent)  # before the event that ends the work
        news += piece.body if piece.code == 200 else b""
        await _send(send, news or (b":\n\n" if server_sent else b"\n"))
        if not news:
            ring = asyncio.create_task(wakeup.wait())
            await asyncio.wait({ring, gone}, timeout=BEAT, return_when=asyncio.FIRST_COMPLETED)
            ring.cancel()
        await asyncio.wait({gone}, timeout=REST)
        if gone.done():
            return
        if listener.ending:
            return await _send(send, b"", more=False)
        wakeup.clear()
        piece = await read_on(position)


async def _send(send: Send, body: bytes, *, more: bool = True) -> None:
    """Hand over a piece; raises TimeoutError when the client does not take it.

    The server holds some messages for a slow client, however large: so each is small.
    """
    for start in range(0, max(len(body), 1), CHUNK):
        part = body[start : start + CHUNK]
        async with asyncio.timeout(TIMEOUT):
            await send({"type": "http.response.body", "body": part, "more_body": more})


async def _read(scope: Scope, body: bytes, position: bytes = b"") -> StreamChunk:
    """What Django answers to this request, now on from `position`."""
    own = {b"host"} | ({b"last-event-id"} if position else set())
    headers = [pair for pair in scope["headers"] if pair[0] not in own]
    headers.append((b"host", _views[scope["path"].rstrip("/")].encode()))
    if position:
        headers.append((b"last-event-id", position))
    piece = StreamChunk()

    async def whole() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def take(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            piece.code, piece.headers = message["status"], message["headers"]
        else:
            piece.body += message.get("body", b"")

    await _reads({**scope, "headers": headers}, whole, take)
    return piece


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _pass_on(piece: StreamChunk, send: Send) -> None:
    start = {"type": "http.response.start", "status": piece.code, "headers": piece.headers}
    await send(start)
    await send({"type": "http.response.body", "body": piece.body})


async def _refuse(send: Send, error: ServiceError) -> None:
    own = [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
    headers = [(b"content-type", b"application/json"), *own]
    await _pass_on(
        StreamChunk(error.status, headers, orjson.dumps({"errors": error.entries()})), send
    )


async def _connect() -> psycopg.AsyncConnection[Any]:
    return await psycopg.AsyncConnection.connect(
        **connections.session_parameters(), autocommit=True, application_name="event_streams"
    )
