"""Turns in the queue beside the same queue in the order of arrival.

100,000 jobs of 1,000 accounts wait in both (FULL=1: 1,000,000). The peer is the package's own queue
with its own statements, in a schema beside ours. Sessions do not wait for the disk, so that the
statements are seen and not the disk. Under a held snapshot, as a backup holds one, the rate of the
last 4,000 of 20,000 jobs is set against that of the first 4,000.
"""

import threading
import time
from collections.abc import Callable
from statistics import median
from uuid import UUID, uuid4

from benchmarks.kit import FULL, Figure, django_with_database, in_turn, report

WAITING, ACCOUNTS = 1_000_000 if FULL else 100_000, 1_000
ROUNDS, CALLS = 15, 40
BLOCKS, BLOCK, HANDS = 5, 4_000, 4
ALONE, JOB, SLOTS = 200, 0.1, 2  # jobs of one account, s each, and who does them
ALONE_ROUNDS = 5
QUEUE = "meshes"

FILL = """
    INSERT INTO {table} (message_id, queue_name, state, message{columns})
    SELECT gen_random_uuid(), 'meshes', 'queued',
        '{{"queue_name": "meshes", "actor_name": "analyse_model", "args": ["x"], "kwargs": {{}}}}'
        {values}
    FROM generate_series(0, {count} - 1) AS n
"""
OURS = FILL.format(
    table="dramatiq.queue",
    columns=", account, cost, turn",
    values=f", ('00000000-0000-7000-8000-' || lpad((n %% {ACCOUNTS})::text, 12, '0'))::uuid, 1,"
    f" 1 + n / {ACCOUNTS}",
    count="%s",
)
PEERS = FILL.format(table="arrival.queue", columns="", values="", count="%s")


class Hand:
    """One connection that sends, claims and ends."""

    def __init__(self) -> None:
        import psycopg
        from dramatiq_postgres.django.apps import connection_kwargs

        self.connection = psycopg.connect(**connection_kwargs(), autocommit=True)
        self.connection.execute("SET synchronous_commit = off")
        self.worker = str(uuid4())

    def send(self, account: UUID) -> None:
        """Put a job into the queue."""
        raise NotImplementedError

    def work(self) -> bool:
        """Claim a job and end it; whether there was one."""
        claimed = self.claim()
        if claimed:
            self.end(claimed)
        return bool(claimed)

    def claim(self) -> str:
        raise NotImplementedError

    def end(self, key: str) -> None:
        raise NotImplementedError


class Turns(Hand):
    """The platform's statements."""

    def __init__(self) -> None:
        super().__init__()
        self.floor, self.below = (0.0, 0), 0.0

    def send(self, account: UUID) -> None:
        from psycopg.types.json import Jsonb

        from core.queue import fair_queueing

        key = str(uuid4())
        row = {"queue": QUEUE, "id": key, "message": Jsonb({"args": ["x"]}), "delay": 0}
        row |= {"account": str(account), "cost": 1.0, "step": 1.0, "subject": None}
        self.connection.execute(fair_queueing.ENQUEUE, row)

    def claim(self) -> str:
        from core.queue.consumer import LOOK_BELOW, QUEUE_START

        now = time.monotonic()
        if now - self.below < LOOK_BELOW and (key := self._claim(self.floor)):
            return key
        self.below = now
        return self._claim(QUEUE_START)

    def _claim(self, floor: tuple[float, int]) -> str:
        from core.queue import fair_queueing

        # Also the key, which the platform reads in the message.
        statement = fair_queueing.CLAIM.replace(
            "q.message::text,", "q.message_id::text, q.message::text,"
        )
        row = self.connection.execute(statement, (QUEUE, *floor, 1, self.worker)).fetchone()
        if row is None:
            return ""
        self.floor = row[2:4]
        return row[0]

    def end(self, key: str) -> None:
        from core.queue import fair_queueing

        self.connection.execute(fair_queueing.ACK, (key, QUEUE, self.worker, None, "ack", key))


class Arrival(Hand):
    """The package's statements."""

    def __init__(self) -> None:
        super().__init__()
        from dramatiq_postgres.broker import QUERIES
        from dramatiq_postgres.utils import QueryManager

        self.queries = QueryManager(QUERIES.queries, "arrival", "")

    def send(self, account: UUID) -> None:
        from psycopg.types.json import Jsonb

        row = (QUEUE, str(uuid4()), Jsonb({"args": ["x"]}), 0)
        self.connection.execute(self.queries.ENQUEUE, row)

    def claim(self) -> str:
        statement = self.queries.CLAIM.replace("q.message::text", "q.message_id::text, q.message")
        row = self.connection.execute(statement, (QUEUE, 1, self.worker)).fetchone()
        return row[0] if row else ""

    def end(self, key: str) -> None:
        self.connection.execute(self.queries.ACK, (key, QUEUE, "ack", key))


def main() -> None:
    with django_with_database():
        from django.db import connection
        from dramatiq_postgres.schema import generate_init_sql

        with connection.cursor() as cursor:
            cursor.execute(generate_init_sql("arrival"))
        figures = [*_statements(), *_held(), _alone()]
    report("fair_queueing", figures)


def _fill(count: int) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("TRUNCATE dramatiq.queue, arrival.queue")
        cursor.execute(OURS, (count,))
        cursor.execute(PEERS, (count,))
        cursor.execute("VACUUM ANALYZE dramatiq.queue")
        cursor.execute("VACUUM ANALYZE arrival.queue")


def _statements() -> list[Figure]:
    _fill(WAITING)
    ours, peer = Turns(), Arrival()
    accounts = iter(UUID(int=number % ACCOUNTS) for number in range(1 << 30))
    sending = in_turn(
        {"ours": lambda: ours.send(next(accounts)), "peer": lambda: peer.send(UUID(int=0))},
        rounds=ROUNDS,
        calls=CALLS,
    )
    working = in_turn({"ours": ours.work, "peer": peer.work}, rounds=ROUNDS, calls=CALLS)
    sent = {name: 1000 * cost.wall for name, cost in sending.items()}
    worked = {name: 1000 * cost.wall for name, cost in working.items()}
    many = f"{WAITING:,} of {ACCOUNTS:,} accounts wait"
    return [
        Figure(f"{many}: send", "ms", sent["ours"], sent["peer"]),
        Figure(f"{many}: more to send", "ms", sent["ours"] - sent["peer"], goal="<= 1"),
        Figure(f"{many}: claim and end", "ms", worked["ours"], worked["peer"], "ratio <= 1.5"),
    ]


def _held() -> list[Figure]:
    flat = {}
    for name, kind in (("ours", Turns), ("peer", Arrival)):
        _fill(2 * BLOCKS * BLOCK)
        backup = Hand()
        backup.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        backup.connection.execute("SELECT count(*) FROM dramatiq.queue")
        rates = [BLOCK / _together(kind, BLOCK) for _ in range(BLOCKS)]
        backup.connection.close()
        flat[name] = rates[-1] / rates[0]
        flat[f"{name} rate"] = rates[-1]
    held = "held snapshot, 20,000 jobs"
    return [
        Figure(f"{held}: last rate to first", "", flat["ours"], flat["peer"], ">= 0.7"),
        Figure(f"{held}: last rate", "1/s", flat["ours rate"], flat["peer rate"]),
    ]


def _alone() -> Figure:
    """Whether turns keep a slot waiting while there is work of one account alone.

    One run takes ten seconds, in which a busy machine may lose one: so several, by turns.
    """
    times: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(ALONE_ROUNDS):
        for name, kind in (("ours", Turns), ("peer", Arrival)):
            hand = kind()
            _fill(0)
            for _ in range(ALONE):
                hand.send(UUID(int=7))
            times[name].append(_together(kind, ALONE, hands=SLOTS, seconds=JOB))
    ours, peer = median(times["ours"]), median(times["peer"])
    return Figure("200 jobs of one account alone", "s", ours, peer, "ratio <= 1.02")


def _together(
    kind: Callable[[], Hand], jobs: int, *, hands: int = HANDS, seconds: float = 0.0
) -> float:
    """Wall time of so many jobs, by several hands."""
    left, lock = [jobs], threading.Lock()

    def take() -> bool:
        with lock:
            left[0] -= 1
            return left[0] >= 0

    def do() -> None:
        hand = kind()
        while take():
            key = hand.claim()
            time.sleep(seconds)
            hand.end(key)
        hand.connection.close()

    threads = [threading.Thread(target=do) for _ in range(hands)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
