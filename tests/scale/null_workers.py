"""So many worker processes that claim and end jobs with nothing in them: what the queue can do.

    python -m tests.scale.null_workers PROCESSES SECONDS

Each has the platform's own consumer, with its statements, its signs of life and its lease. Prints a
line of JSON: claims and ends a second, and milliseconds of a claim.
"""

import json
import os
import sys
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import quantiles
from typing import Any

import django
from dramatiq.broker import MessageProxy

QUEUE = "meshes"
ACCOUNTS = 1_000
FILL = """
    INSERT INTO dramatiq.queue
        (message_id, queue_name, state, message, available_at, account, cost, turn)
    SELECT id, 'meshes', 'queued', jsonb_build_object('queue_name', 'meshes',
        'actor_name', 'sing', 'args', '[]'::jsonb, 'kwargs', '{}'::jsonb, 'options', '{}'::jsonb,
        'message_id', id, 'message_timestamp', 1),
        now(), ('00000000-0000-7000-8000-' || lpad((n %% %s)::text, 12, '0'))::uuid, 1, 1 + n / %s
    FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(0, %s - 1) AS n) AS jobs
"""


def work(seconds: float, told: Connection) -> None:
    """Claim and end, one job after another, as a worker does."""
    from core.queue.broker import create_broker

    broker: Any = create_broker()
    hand = broker.consume(QUEUE, prefetch=1)
    claims = []
    end = time.monotonic() + seconds
    while (begun := time.monotonic()) < end:
        broker.maybe_heartbeat(hand.get_consume_conn())
        hand.claim(1)
        claims.append(time.monotonic() - begun)
        if not hand.buffer:
            break  # the queue is empty
        message = MessageProxy(hand.buffer.pop())
        message.claimed = hand._claimed.pop(message.message_id, None)
        hand.ack(message)
    told.send((claims, min(time.monotonic(), end) - (end - seconds)))
    os._exit(0)


def measure(processes: int, seconds: float, jobs: int) -> dict[str, float]:
    """Fill the queue, and have so many processes empty it for so long."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE dramatiq.queue")
        cursor.execute(FILL, (ACCOUNTS, ACCOUNTS, jobs))
        cursor.execute("VACUUM ANALYZE dramatiq.queue")
    connection.close()
    fork = get_context("fork")
    pipes = [fork.Pipe(duplex=False) for _ in range(processes)]
    hands = [fork.Process(target=work, args=(seconds, into)) for _, into in pipes]
    for hand, (_, into) in zip(hands, pipes, strict=True):
        hand.start()
        into.close()  # else the end of one that failed would not be heard
    told = [out.recv() for out, _ in pipes]
    for hand in hands:
        hand.join()
    claims = [1000 * claim for own, _ in told for claim in own]
    cuts = quantiles(claims, n=100)
    return {
        "processes": processes,
        "a second": round(sum(len(own) / took for own, took in told)),
        "p50 ms": round(cuts[49], 1),
        "p95 ms": round(cuts[94], 1),
        "p99 ms": round(cuts[98], 1),
    }


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    os.environ["STATEMENT_TIMEOUT"] = "0"
    django.setup()
    count, length = int(sys.argv[1]), float(sys.argv[2])
    print(json.dumps(measure(count, length, jobs=int(4_000 * length))))
