"""200 workers claim from a queue in which 1,000,000 jobs of 10,000 accounts wait.

Each worker is the platform's own consumer, with its lease, its listener, its signs of life and its
upkeep of the queue, in one of two processes; a job is a sleep of 1 to 6 s, as long as it was
expected to take. 50 jobs a second are sent meanwhile, and one more by an account that was never
seen before: its wait is from before it is sent until it is claimed.

First nobody holds a snapshot,
then a real `pg_dump` does whose output is read slowly: for two minutes, with FULL=1 for ten. A
claim's time is that of its statements with their way to the server and back; beside it stands what
a worker waits for an empty statement in a transaction of its own, which is the machine's share.
"""

import contextlib
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import uuid4

from benchmarks.kit import FULL, Figure, django_with_database, report

WORKERS, PROCESSES = 200, 2
JOBS = int(os.environ.get("JOBS", "1000000"))
ACCOUNTS = max(1, JOBS // 100)
MIN_JOB, MAX_JOB = 1.0, 6.0  # s, of a job
ARRIVAL_RATE, NEWCOMERS = 50.0, 1.0  # a second
WARM, CALM, HELD = 40.0, 60.0, 600.0 if FULL else 120.0  # s
QUEUE = "meshes"
CONNECTIONS = "900"

# Of each account, jobs one after another, the first of them somewhere in its turn.
FILL = """
    INSERT INTO dramatiq.queue
        (message_id, queue_name, state, message, account, cost, turn, subject)
    SELECT id, 'meshes', 'queued', jsonb_build_object('queue_name', 'meshes', 'actor_name',
        'analyse_model', 'args', jsonb_build_array(id), 'kwargs', '{}'::jsonb, 'options',
        jsonb_build_object('account', account, 'weight', 1, 'cost', cost), 'message_id', id,
        'message_timestamp', 1), account, cost,
        100 + sum(cost) OVER (PARTITION BY account ORDER BY n)
            - first_value(cost * random()) OVER (PARTITION BY account ORDER BY n), id::text
    FROM (SELECT n, gen_random_uuid() AS id, %(shortest)s + %(spread)s * random() AS cost,
            ('00000000-0000-7000-8000-' || lpad((random() * %(accounts)s)::int::text, 12, '0'))
                ::uuid AS account
        FROM generate_series(1, %(jobs)s) AS n) AS jobs
"""


@dataclass
class Seen:
    """What the workers saw: (when, s) of claims, of empty statements, of newcomers' waits."""

    claims: list[tuple[float, float]] = field(default_factory=list)
    empty: list[tuple[float, float]] = field(default_factory=list)
    waits: list[tuple[float, float]] = field(default_factory=list)


def main() -> None:
    from core.postgres.server_config import SETTINGS

    SETTINGS["max_connections"] = CONNECTIONS
    with django_with_database():
        begun = time.monotonic()
        _fill()
        print(f"Filled after {time.monotonic() - begun:.0f} s.", flush=True)
        with _hands() as seen:
            time.sleep(WARM)
            calm = time.time()
            time.sleep(CALM)
            with _slow_dump():
                held = time.time()
                time.sleep(HELD)
                end = time.time()
    figures = [Figure("load of the machine at the end, 15 min", "", os.getloadavg()[2])]
    figures += _figures("", seen, calm, held)
    name = f"beside a pg_dump of {HELD / 60:g} min: "
    figures += _figures(name, seen, held, end)
    figures += _figures(f"{name}its last quarter: ", seen, end - HELD / 4, end)
    report("queue_claims", figures)


def _figures(name: str, seen: Seen, start: float, end: float) -> list[Figure]:
    claims = [1000 * took for at, took in seen.claims if start <= at < end]
    empty = [1000 * took for at, took in seen.empty if start <= at < end]
    waits = [1000 * took for at, took in seen.waits if start <= at < end]
    cuts, none, late = (quantiles(found, n=100) for found in (claims, empty, waits))
    return [
        Figure(f"{name}claims", "1/s", len(claims) / (end - start), goal=">= 50"),
        Figure(f"{name}a claim, p50", "ms", cuts[49], none[49]),
        Figure(f"{name}a claim, p95", "ms", cuts[94], none[94], "<= 50"),
        Figure(f"{name}a newcomer's wait, p50", "ms", late[49]),
        Figure(f"{name}a newcomer's wait, p95", "ms", late[94], goal="<= 200"),
    ]


def _fill() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SET work_mem = '512MB'")
        own = {"shortest": MIN_JOB, "spread": MAX_JOB - MIN_JOB}
        cursor.execute(FILL, {**own, "accounts": ACCOUNTS, "jobs": JOBS})
        cursor.execute("VACUUM ANALYZE dramatiq.queue")
    connection.close()


@contextmanager
def _hands() -> Iterator[Seen]:
    """The workers and the senders, until the end; what is given holds then what they saw."""
    fork = multiprocessing.get_context("fork")
    pipes = [fork.Pipe() for _ in range(PROCESSES)]
    children = [
        fork.Process(target=_process, args=(WORKERS // PROCESSES, inside)) for _, inside in pipes
    ]
    for child in children:
        child.start()
    found = Seen()

    try:
        yield found
        for outside, _ in pipes:
            outside.send("end")
        for outside, _ in pipes:
            seen = outside.recv()
            found.claims += seen.claims
            found.empty += seen.empty
            found.waits += seen.waits
    finally:
        for child in children:
            child.kill()
            child.join()


def _process(workers: int, told: Connection) -> None:
    """So many workers, and their share of what is sent."""
    seen, ending = Seen(), threading.Event()
    share = workers / WORKERS
    todo: list[Any] = [lambda: _work(seen, ending)] * workers
    todo += [lambda: _send(ARRIVAL_RATE * share, ending, new=False)]
    todo += [lambda: _send(NEWCOMERS * share, ending, new=True)]
    for do in todo:
        threading.Thread(target=do, daemon=True).start()
    told.recv()
    ending.set()
    told.send(seen)
    os._exit(0)


def _work(seen: Seen, ending: threading.Event) -> None:
    """A worker: the platform's consumer, with all that belongs to it."""
    from dramatiq_postgres.utils import transaction

    from core.queue.broker import create_broker

    time.sleep(random.random() * WARM / 2)  # not all at once
    broker: Any = create_broker()
    broker.notifier.take()
    hand = broker.consume(QUEUE, prefetch=1)
    claim = hand.claim

    def timed(limit: int) -> None:
        begun = time.perf_counter()
        claim(limit)
        if hand.buffer:
            seen.claims.append((time.time(), time.perf_counter() - begun))

    hand.claim = timed
    while not ending.is_set():
        begun = time.perf_counter()
        with transaction(hand.get_consume_conn()) as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchall()
        seen.empty.append((time.time(), time.perf_counter() - begun))
        message = next(hand)
        if message is None:
            continue
        if "new" in message.options:
            seen.waits.append((time.time(), time.time() - message.options["new"]))
        time.sleep(message.options["cost"])
        hand.ack(message)


def _send(rate: float, ending: threading.Event, *, new: bool) -> None:
    """Send so many a second, of accounts that wait already or of ones that nobody knows."""
    import dramatiq

    from core.queue.broker import create_broker

    broker: Any = create_broker()
    time.sleep(WARM / 2)
    due = time.monotonic()
    while not ending.is_set():
        due += random.expovariate(rate)
        time.sleep(max(0.0, due - time.monotonic()))
        number = random.randrange(ACCOUNTS)
        account = str(uuid4()) if new else f"00000000-0000-7000-8000-{number:012}"
        options = {"account": account, "weight": 1.0, "cost": random.uniform(MIN_JOB, 3.0)}
        options |= {"new": time.time()} if new else {}
        broker.enqueue(
            dramatiq.Message(
                queue_name=QUEUE,
                actor_name="analyse_model",
                args=(str(uuid4()),),
                kwargs={},
                options=options,
            )
        )


@contextmanager
def _slow_dump() -> Iterator[None]:
    """A pg_dump of the database whose output is read so slowly that it lasts."""
    from django.db import connection

    from core.postgres.embedded import EmbeddedPostgres
    from core.postgres.server_config import packages, server_in

    url = EmbeddedPostgres(Path(os.environ["DATA_DIR"])).url()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_table_size('dramatiq.queue')")
        rate = cursor.fetchone()[0] / HELD / 4
    connection.close()
    program = str(server_in(packages()) / "bin" / "pg_dump")
    with subprocess.Popen([program, f"--dbname={url}"], stdout=subprocess.PIPE) as dump:

        def read() -> None:
            with contextlib.suppress(ValueError):  # closed at the end
                while dump.stdout and dump.stdout.read(1 << 16):
                    time.sleep((1 << 16) / rate)

        threading.Thread(target=read, daemon=True).start()
        try:
            yield
            if dump.poll() is not None:
                sys.exit("The dump ended before its time.")
        finally:
            dump.kill()


if __name__ == "__main__":
    main()
