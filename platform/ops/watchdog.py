"""Watchdog: kills supervised programs that are alive but do not serve.

The database is watched by its own process (`core.postgres.hang_detection`). supervisord restarts
programs that end by themselves, and those killed here.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from django.conf import settings
from django.db import Error, connection

from apps.callbacks import interface as callbacks
from core.process.pulse import has_pulse
from core.queue.broker import slot_id
from core.queue.probes import late_queues
from core.uris import base_url
from ops.programs import Program, program_of
from ops.readiness import web_address

logger = logging.getLogger(__name__)

HANG_TIMEOUT = 20.0  # seconds of silence; only those count in which we were awake ourselves
START = 300.0  # seconds that a program may take until it serves
POLL_INTERVAL = 3.0  # seconds between two looks, and after which an answer is late
# Seconds since a worker's sign of life, and since the sender asked the database for what is due.
HEARTBEAT, CLAIM = 10.0, 5.0

_ALIVE = """
    SELECT worker_id::text, EXISTS (
        SELECT 1 FROM dramatiq.queue q WHERE q.worker_id = w.worker_id AND state = 'consumed'
            AND queue_name NOT LIKE '%%.DQ')
    FROM dramatiq.worker w WHERE heartbeat_at > now() - make_interval(secs => %s)
"""
_SENDS = """
    SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = %s
        AND query_start > now() - make_interval(secs => %s))
"""


@dataclass
class Facts:
    """What the database knows of those who serve; with no `at` it did not answer.

    alive : the workers that gave a sign of life, and whether each is at work
    late  : the queues whose canary waits for somebody to hear it
    """

    at: float | None = None
    alive: dict[str, bool] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)
    sends: bool = True

    def serves(self, program: Program) -> bool:
        """Whether a worker's slot, or the sender, does what it is there for."""
        if program.name == "sender":
            return self.sends
        at_work = self.alive.get(str(slot_id(program.name)))
        return at_work is not None and (at_work or program.queue not in self.late)


def read_facts() -> Facts:
    """Ask the database; one that does not answer blames nobody but itself."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(_ALIVE, [HEARTBEAT])
            alive = dict(cursor.fetchall())
            cursor.execute(_SENDS, [callbacks.sender_name(), CLAIM])
            (sends,) = cursor.fetchone()
            return Facts(time.monotonic(), alive, late_queues(seconds=CLAIM), sends)
    except Error:
        connection.close()
        return Facts()


class AsyncCheck:
    """Asks what may never return, in a thread of its own, again and again."""

    def __init__(self, ask: Callable[[], bool | None]):
        self._ask, self._at = ask, time.monotonic()
        self._answer: bool | None = None
        threading.Thread(target=self._go_on, daemon=True).start()

    def answer(self) -> bool | None:
        """Whether it serves; None where nobody can say. False while an answer is late."""
        return self._answer if time.monotonic() - self._at < 2 * POLL_INTERVAL else False

    def _go_on(self) -> None:
        while True:
            try:
                self._answer = self._ask()
            except Exception:  # a fault of the watchdog's own blames nobody
                logger.exception("Watchdog check failed.")
                self._answer = None
            self._at = time.monotonic()
            time.sleep(POLL_INTERVAL)


@dataclass
class ProgramHealth:
    """A program, and for how long it has been silent."""

    program: Program
    asks: Callable[[], bool | None]
    process: psutil.Process | None = None
    served: bool = False
    silent: float = 0.0

    @property
    def serves(self) -> bool:
        """Whether it has served and is not silent; who cannot be asked still serves."""
        return self.served and not self.silent

    def look(self, process: psutil.Process | None, passed: float) -> bool:
        """Whether it is to be killed; `passed` are the seconds since the last look."""
        if process != self.process:
            self.process, self.served, self.silent = process, False, 0.0
        answer = self.asks() if process else None
        if answer:
            self.served = True
        self.silent = self.silent + passed if answer is False else 0.0
        return self.silent > (HANG_TIMEOUT if self.served else START)


class Watch:
    """Looks at the programs that the supervisor above this process runs.

    health : the file that lists those which do not serve, for the container's health check
    """

    def __init__(self, programs: Iterable[Program], health: Path):
        programs = list(programs)
        self._facts, self._health = Facts(), health
        self._watched = [ProgramHealth(p, ask) for p in programs if (ask := self._question(p))]
        self._has_database = any(program.name == "database" for program in programs)

    def run(self) -> None:
        """Look until this process is stopped."""
        AsyncCheck(self._refresh)
        last = time.monotonic()
        while True:
            time.sleep(POLL_INTERVAL)
            now = time.monotonic()
            self.look(min(now - last, 2 * POLL_INTERVAL))
            last = now
            write_health(self._health, self.not_serving())

    def look(self, passed: float) -> None:
        """Look at each once, and kill what has been silent for too long."""
        running = _running()
        for watched in self._watched:
            process = running.get(watched.program.name)
            if watched.look(process, passed) and process:
                words = "%s has not served for %.0f s: killing it."
                logger.error(words, watched.program.name, watched.silent)
                kill_tree(process)

    def not_serving(self) -> list[str]:
        """Return the names of the programs that did not serve at the last look, or not yet."""
        names = [each.program.name for each in self._watched if not each.serves]
        if self._has_database and not self._facts_are_fresh():
            names.append("database")
        return names

    def _question(self, program: Program) -> Callable[[], bool | None] | None:
        """How `program` is asked; None where it is watched elsewhere."""
        if program.name == "web":
            host = base_url("").partition("://")[2]
            return AsyncCheck(lambda: web_serves(host)).answer
        if program.name == "providers":
            own = urlsplit(settings.PROVIDERS_URL)
            return AsyncCheck(lambda: answers(own.hostname or "", own.port or 80)).answer
        if program.name == "sender" or program.queue:
            return lambda: self._serves(program)
        return None

    def _serves(self, program: Program) -> bool | None:
        return self._facts.serves(program) if self._facts_are_fresh() else None

    def _facts_are_fresh(self) -> bool:
        at = self._facts.at
        return at is not None and time.monotonic() - at <= 2 * POLL_INTERVAL

    def _refresh(self) -> None:
        self._facts = read_facts()


def health_file(parts: Iterable[str]) -> Path:
    """Return where the watchdog of these parts writes what bin/check-health reads.

    Machines may share DATA_DIR, so it lies in the folder of this one's name.
    """
    run = settings.DATA_DIR / "run" / os.uname().nodename
    return run / f"{'-'.join(parts)}.health"


def write_health(path: Path, not_serving: Iterable[str]) -> None:
    """Write the names of the programs that do not serve; an empty file says that all do."""
    new = path.with_suffix(".new")
    try:
        new.write_text(", ".join(not_serving))
        new.replace(path)
    except OSError as error:  # a full disk must not end the watchdog
        logger.warning("health file not written path=%s reason=%s", path, error.strerror)


def web_serves(host: str) -> bool | None:
    """Return whether the web process answers; None where it has no place for a connection."""
    return answers(*web_address(), host) or (None if has_pulse() else False)


def answers(address: str, port: int, host: str = "") -> bool:
    """Whether `/health/` is answered there at all, but for a fault of the server's."""
    server = HTTPConnection(address, port, timeout=HANG_TIMEOUT / 2)
    try:
        server.request("GET", "/health/", headers={"Host": host} if host else {})
        answer = server.getresponse()
        answer.read()
        return answer.status < 500
    except (OSError, HTTPException):
        return False
    finally:
        server.close()


def _running() -> dict[str, psutil.Process]:
    """The supervisor's programs that run, by their names."""
    found = {}
    for process in psutil.Process(os.getppid()).children():
        with suppress(psutil.Error):
            if name := program_of(process):
                found[name] = process
    return found


def kill_tree(process: psutil.Process) -> None:
    """Kill a process and all that it has started, stopped or not."""
    with suppress(psutil.NoSuchProcess):
        for one in [process, *process.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                one.kill()
