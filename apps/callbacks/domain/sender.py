"""Callback sender: one asyncio process with leader election.

Crash only: whatever fails, the process ends and is started again. What was in flight is then
sent once more, with the same webhook-id. No transaction is open while a request waits.
"""

import asyncio
import logging
import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import aiohttp
import orjson
import psycopg
from django.conf import settings
from django.db import close_old_connections
from django.utils.module_loading import import_string
from psycopg.rows import class_row

from apps.callbacks.domain import statements
from apps.callbacks.domain.messages import Message, write_message
from apps.callbacks.domain.sink_requests import KEEP, arrived
from apps.callbacks.models.delivery import CHANNEL
from apps.callbacks.models.sender_clock import SENDER_LOCK, sender_name
from core.outbound import http, url_policy
from core.outbound.webhook_signatures import derived_secret
from core.postgres import connections
from core.process.open_files import raise_open_files
from core.queue import lease

logger = logging.getLogger(__name__)

# Seconds between two heartbeats of the active sender over a network, and without an answer until
# it ends: before the server gives its lock to another (core.queue.lease).
WORD, TIMEOUT = 1.0, 3.0
MAX_IN_FLIGHT = 2000
SPARE_FILES = 200  # open files that are not requests
# A connection waits so long for the next request to its host, s: shorter than servers close one.
# Of hosts that are asked once, a few thousand wait at a time.
KEPT_FOR, KEPT_FILES = 1.0, 8000
BATCH = 500  # results written at a time
POLL_INTERVAL = 0.2  # seconds after which one that waits looks whether it is the active one

Connection = psycopg.AsyncConnection[Any]


@dataclass(frozen=True)
class Due:
    """A due delivery, as selected by CLAIM."""

    uuid: UUID
    lane: UUID
    origin: int
    seq: int
    body: str
    tries: int
    url: str
    method: str
    owner: UUID  # who receives it
    bureau: UUID | None  # whose events they are, where not their own
    location: UUID | None
    salts: list[bytes]  # of the secrets that sign
    suspect: bool  # its origin was silent of late
    started: datetime  # by the database's clock


@dataclass(frozen=True)
class SendResult:
    """What came of a request: its status or what prevented it."""

    code: str
    error: str = ""
    delivered: bool = False
    reached: bool = True
    head: str = ""


@dataclass(frozen=True)
class Result:
    """What came of an attempt, as RECORD takes it."""

    due: Due
    outcome: SendResult
    ms: int


def run() -> None:
    """Send until something fails: always ends with an exception."""
    asyncio.run(_send(once=False))


def end_at_once() -> None:
    """End the process, with all requests that are under way: another may be active soon.

    In order it would take the server's word for the end of each statement, which does not come.
    """
    logger.error("The server did not answer for %g s: this sender ends", TIMEOUT)
    os._exit(1)


def run_once() -> int:
    """One attempt of each delivery that is due, in order where events wait for each other.

    Returns the number of attempts. Waits while another sender is active.
    """
    return asyncio.run(_send(once=True))


async def _send(*, once: bool) -> int:
    most, keep = _room()
    async with await _connect(**lease.session_options()) as leading, await _connect() as claiming:
        await _lead(leading)
        await leading.execute(f"LISTEN {CHANNEL}")
        async with (
            await _connect() as recording,
            http.open_session(keep=keep) as session,
            asyncio.TaskGroup() as tasks,
        ):
            sender = Sender(claiming, recording, session, tasks, most)
            helpers = [
                tasks.create_task(sender.listen(leading)),
                tasks.create_task(sender.record()),
            ]
            attempts = await sender.claim(once=once)
            for helper in helpers:
                helper.cancel()
            return attempts


class Sender:
    """Three loops: `claim` starts attempts, `record` writes what came of them, `listen` wakes."""

    def __init__(
        self,
        claiming: Connection,
        recording: Connection,
        session: aiohttp.ClientSession,
        tasks: asyncio.TaskGroup,
        most: int,
    ):
        self._claiming = claiming
        self._recording = recording
        self._session = session
        self._tasks = tasks
        self._most = most
        self._in_flight: dict[UUID, Due] = {}  # by lane: never two at once
        self._results: asyncio.Queue[Result] = asyncio.Queue()
        self._wake = asyncio.Event()
        self._next_tick = self._heard = time.monotonic()
        self._leased = bool(lease.session_options())
        self._asking = ThreadPoolExecutor(1)  # Django's connection is a thread's

    async def listen(self, connection: Connection) -> None:
        """Start claiming when an event is committed; ends with the leader's connection.

        Over a network it also pings the server, since a dead connection may stay open without an
        error.
        """
        while not connection.closed:
            async for _ in connection.notifies(timeout=WORD if self._leased else None):
                self._wake.set()
            if self._leased:
                asked = time.monotonic()
                word = asyncio.ensure_future(connection.execute("SELECT 1"))
                if not (await asyncio.wait({word}, timeout=TIMEOUT - WORD))[0]:
                    end_at_once()
                await word
                self._heard = asked
        raise ConnectionError("The connection that holds the leader's lock was closed.")

    def _require_lead(self) -> None:
        """Raises ConnectionError where another may be active: this process stood still."""
        if self._leased and time.monotonic() - self._heard > TIMEOUT:
            raise ConnectionError("The server has not been heard: another sender may be active.")

    async def claim(self, *, once: bool) -> int:
        """Start an attempt of all that is due; with `once`, one of each, and return how many."""
        attempts: set[UUID] = set()
        while True:
            self._wake.clear()
            if not once:
                await self._tick()
            idle = not self._in_flight
            started = await self._start_due(leave=attempts)
            if started:
                attempts |= started if once else set()
                continue  # lanes of the same origin may have been hidden by each other's events
            if once and idle:
                return len(attempts)
            try:
                await asyncio.wait_for(self._wake.wait(), min(0.5, settings.CALLBACK_INTERVAL / 5))
            except TimeoutError:
                pass  # a repeat may be due

    async def record(self) -> None:
        """Write results, as many at a time as have gathered."""
        while True:
            batch = [await self._results.get()]
            while not self._results.empty() and len(batch) < BATCH:
                batch.append(self._results.get_nowait())
            await self._write(batch)
            for result in batch:
                del self._in_flight[result.due.lane]
            self._wake.set()

    async def _start_due(self, *, leave: set[UUID]) -> set[UUID]:
        self._require_lead()
        busy = Counter(due.origin for due in self._in_flight.values())
        cursor = self._claiming.cursor(row_factory=class_row(Due))
        await cursor.execute(
            statements.CLAIM,
            {
                **statements.CAPS,
                "origins": list(busy.keys()),
                "counts": list(busy.values()),
                "lanes": list(self._in_flight),
                "room": self._most - len(self._in_flight),
            },
        )
        # Silent origins share half of the room, however many they are.
        silent = sum(due.suspect for due in self._in_flight.values())
        found = await cursor.fetchall()
        unread = await self._unread(found)
        started = set(unread)
        for due in found:
            if due.uuid in leave or due.uuid in unread:
                continue
            if due.suspect:
                if silent >= self._most // 2:
                    continue
                silent += 1
            self._in_flight[due.lane] = due
            self._tasks.create_task(self._attempt(due))
            started.add(due.uuid)
        return started

    async def _unread(self, found: list[Due]) -> set[UUID]:
        """Cancel a bureau's deliveries that their receiver may no longer read; return keys."""
        asked = {(due.owner, due.bureau) for due in found if due.bureau is not None}
        if not asked:
            return set()
        loop = asyncio.get_running_loop()
        read = await loop.run_in_executor(self._asking, _read, asked)
        unread = {due.uuid for due in found if (due.owner, due.bureau) in asked - read}
        if unread:
            await self._claiming.execute(statements.CANCEL, {"uuid": sorted(unread)})
        return unread

    async def _attempt(self, due: Due) -> None:
        self._require_lead()
        began = time.monotonic()
        try:
            outcome = await self._request(due)
        except Exception as error:  # one strange receiver must not end the sender
            logger.exception("Delivery %s failed in a way that was not foreseen", due.uuid)
            outcome = SendResult("broken", repr(error))
        milliseconds = round((time.monotonic() - began) * 1000)
        self._results.put_nowait(Result(due, outcome, milliseconds))

    async def _request(self, due: Due) -> SendResult:
        try:
            message = write_message(
                method=due.method,
                url=due.url,
                body=due.body,
                webhook_id=due.uuid,
                secrets=[derived_secret(salt) for salt in due.salts],
                seq=due.seq,
                attempt=due.tries + 1,
                timestamp=int(due.started.timestamp()),  # which is kept: pages show it again
            )
            token = url_policy.sink_token(message.url)
            if token is not None:
                return await self._sink(token, message)
            answer = await http.send(
                self._session,
                message.method,
                message.url,
                headers=message.headers,
                body=message.body,
            )
        except http.Unreachable as error:
            return SendResult(error.reason, str(error), reached=False)
        except url_policy.ForbiddenUrl as error:
            return SendResult("blocked", str(error), reached=False)
        except TimeoutError:
            return SendResult("timeout", "No answer in time.")
        except (aiohttp.ClientError, OSError) as error:
            return SendResult("broken", str(error) or type(error).__name__)
        head = answer.head.decode(errors="replace")
        return SendResult(str(answer.status), delivered=200 <= answer.status < 300, head=head)

    async def _sink(self, token: str, message: Message) -> SendResult:
        """Put the request into one of our own sinks, as if it had come over the network."""
        url = urlsplit(message.url)
        values = arrived(
            token=token,
            method=message.method,
            query=url.query,
            headers={"host": url.netloc, **message.headers}.items(),
            body=message.body or b"",
        )
        cursor = await self._claiming.execute(KEEP, values)
        found = cursor.rowcount == 1
        return SendResult("200" if found else "404", delivered=found)

    async def _write(self, batch: list[Result]) -> None:
        results = [
            {
                "uuid": result.due.uuid,
                "origin": result.due.origin,
                "started": result.due.started,
                "outcome": result.outcome.code,
                "error": _plain(result.outcome.error)[:300],
                "delivered": result.outcome.delivered,
                "reached": result.outcome.reached,
                "ms": result.ms,
                "head": _plain(result.outcome.head),
            }
            for result in batch
        ]
        values = {**_lifetime(), "results": orjson.dumps(results).decode()}
        async with self._recording.transaction(), self._recording.pipeline():
            for statement in (
                statements.LOCK,
                statements.RECORD,
                statements.RECORD_OUTCOME,
                statements.RECORD_MISS,
                statements.RECORD_ANSWER,
            ):
                await self._recording.execute(statement, values)

    async def _tick(self) -> None:
        """Once an interval: count it, and end what waited a lifetime for an unreachable host."""
        now = time.monotonic()
        if now < self._next_tick:
            return
        self._next_tick = max(self._next_tick + settings.CALLBACK_INTERVAL, now)
        await self._claiming.execute(statements.TICK)
        await self._claiming.execute(statements.EXPIRE, _lifetime())


def _read(asked: set[tuple[UUID, UUID]]) -> set[tuple[UUID, UUID]]:
    """Return those of these users and bureaus that may read them."""
    reads_bureau = import_string(settings.CAN_READ_BUREAU_HOOK)
    close_old_connections()
    return {(person, bureau) for person, bureau in asked if reads_bureau(person, bureau)}


async def _connect(**settings: str) -> Connection:
    # A result that a power cut forgets costs one repeat with the same webhook-id.
    return await psycopg.AsyncConnection.connect(
        **connections.session_parameters(synchronous_commit="off", **settings),
        autocommit=True,
        application_name=sender_name(),
    )


async def _lead(connection: Connection) -> None:
    """Return once this process is the active sender, until its connection ends."""
    waiting = False
    while True:
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", [SENDER_LOCK])
        if await cursor.fetchone() == (True,):
            logger.info("This is the active sender")
            return
        if not waiting:
            logger.info("Another sender is active: waiting to take over")
            waiting = True
        await asyncio.sleep(POLL_INTERVAL)


def _room() -> tuple[int, float]:
    """Return how many requests this process may have open, and how long connections stay open.

    Raises the process's limit of open files; without room for idle connections none is reused.
    """
    files = raise_open_files(MAX_IN_FLIGHT + KEPT_FILES + SPARE_FILES) - SPARE_FILES
    has_room = files >= MAX_IN_FLIGHT + KEPT_FILES
    return max(min(files, MAX_IN_FLIGHT), 1), KEPT_FOR if has_room else 0.0


def _lifetime() -> dict[str, timedelta | int]:
    return {
        "interval": timedelta(seconds=settings.CALLBACK_INTERVAL),
        "lifetime": timedelta(seconds=settings.CALLBACK_LIFETIME),
        "steps": int(settings.CALLBACK_LIFETIME / settings.CALLBACK_INTERVAL),
    }


def _plain(text: str) -> str:
    """Text as PostgreSQL keeps it: without NUL."""
    return text.replace("\0", "")
