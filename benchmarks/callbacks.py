"""Callbacks to a live receiver: how many a second, and how late; alone, and behind stuck ones.

Stuck are those to a host that accepts and never answers, and to one that refuses connections. The
rate is that of deliveries which wait when a sender starts, over four origins; its peer is a loop of
`requests` in one thread that posts the same bodies. Lateness is from before a change's commit to
the callback's arrival, at twenty changes a second. At last the host that refused comes back; it is
asked once in 30 s. Two senders: the one that is active is killed amid deliveries, and the other one
goes on. Sender, receiver and database share the machine.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import numpy as np
import requests
from numpy.typing import NDArray

from benchmarks.kit import FULL, ROOT, Figure, django_with_database, report

REFUSED, HANGING = 10_000, (10_000 if FULL else 1_000)  # deliveries that are stuck at each host
STUCK = REFUSED + HANGING
EACH = 10  # of one resource each
MANY = 10_000 if FULL else 2_000  # deliveries whose rate is measured
LANES = 400  # resources that they are about
CHANGES, PAUSE = (900 if FULL else 300), 0.05  # whose lateness is measured, and s between them
TIMEOUT = 240.0
READY = 10.0  # s, until a sender that was started waits for the other one
RATE, LATENESS, RETURN, TAKEN_OVER = ">= 3000", "<= 250", "<= 60", "<= 1"


def main() -> None:
    live, hanging, refusing = free_ports(3)
    with django_with_database(), receiver(live, hanging):
        report("callbacks", measure(live, hanging, refusing))


def measure(live: int, hanging: int, refusing: int) -> list[Figure]:
    owner = make_owner()
    many = subscribe(owner, [f"http://127.0.0.{1 + number % 4}:{live}/" for number in range(LANES)])
    few = subscribe(owner, [f"http://127.0.0.1:{live}/"] * 20)
    figures = measure_live(live, "alone", many, few)
    figures.append(
        Figure("another sender takes over", "s", time_to_take_over(live, many), goal=TAKEN_OVER)
    )
    for port, count in ((hanging, HANGING), (refusing, REFUSED)):
        emit(subscribe(owner, [f"http://127.0.0.1:{port}/"] * (count // EACH)) * EACH)
    figures += measure_live(live, f"behind {STUCK:,} stuck", many, few)
    returned = time_to_return(refusing)
    name = f"{REFUSED:,} delivered after a host is back"
    return [*figures, Figure(name, "s", returned, goal=RETURN)]


def measure_live(live: int, case: str, many: list[str], few: list[str]) -> list[Figure]:
    """The rate and the lateness of what goes to the receiver that answers."""
    emit(many * (MANY // LANES))
    with sender():
        arrived = np.sort(heard(live, MANY)[:, 1])
        rate = (MANY - 1) / (arrived[-1] - arrived[0])
        for number in range(CHANGES):
            time.sleep(PAUSE)
            emit([few[number % len(few)]])
        at, arrived = heard(live, CHANGES).T
    late = np.percentile(arrived - at, [50, 99]) * 1e3
    print(
        f"{case}: {rate:.0f} a second, late by {late[0]:.0f} ms, p99 {late[1]:.0f} ms", flush=True
    )
    return [
        Figure(f"rate, {case}", "1/s", rate, plain_rate(live), RATE),
        Figure(f"lateness p50, {case}", "ms", late[0]),
        Figure(f"lateness p99, {case}", "ms", late[1], goal=LATENESS),
    ]


def time_to_return(port: int) -> float:
    """Seconds until all that a host has missed is delivered, since it answers again."""
    with sender():
        time.sleep(5)  # it finds nobody there
        with receiver(port):
            back = time.time()
            return heard(port, REFUSED)[:, 1].max() - back


def time_to_take_over(port: int, uris: list[str]) -> float:
    """Seconds from the kill of the active sender to the first callback of the one that waits."""
    with sender() as active:
        emit(uris)
        heard(port, len(uris))
        with sender():
            time.sleep(READY)
            killed = time.time()
            active.kill()
            emit(uris)
            return heard(port, len(uris))[:, 1].min() - killed


def plain_rate(port: int) -> float:
    """Posts a second of one thread that does nothing else."""
    with requests.Session() as session:
        session.trust_env = False
        begun = time.perf_counter()
        for _ in range(MANY // 4):
            body = {"uri": f"http://example/{uuid4()}/", "status": "processed", "at": time.time()}
            session.post(f"http://127.0.0.1:{port}/", json=body, timeout=15)
        rate = MANY // 4 / (time.perf_counter() - begun)
    heard(port, MANY // 4)
    return rate


# ---------------------------------------------------------------- what is told


def make_owner():
    """Whose callbacks they are."""
    from apps.users.models import User  # as Django is set up now

    return User.objects.create_user("bench", "bench@example.com", "x", name="Bench").pk


def subscribe(owner, urls: list[str]) -> list[str]:
    """Subscribe each URL to a resource of its own; the resources' URIs."""
    from django.db import transaction

    from apps.callbacks import interface as callbacks

    uris = [f"http://models.platform.localhost/model/{uuid4()}/" for _ in urls]
    with transaction.atomic():
        for uri, url in zip(uris, urls, strict=True):
            callbacks.subscribe(uri=uri, url=url, method="POST", owner_id=owner)
    return uris


def emit(uris: list[str]) -> None:
    """Tell a change of each resource, all in one transaction."""
    from django.db import transaction

    from apps.callbacks import interface as callbacks
    from apps.users.models import User

    owner = User.objects.get(username="bench").pk
    with transaction.atomic():
        for uri in uris:
            changes = {"status": "processed", "at": time.time()}
            callbacks.emit(uri=uri, owner_id=owner, changes=changes)


# ---------------------------------------------------------------- processes


@contextmanager
def sender() -> Iterator[subprocess.Popen]:
    """The platform's sender, at work."""
    with subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "send_callbacks"],
        env={**os.environ, "LOG_LEVEL": "CRITICAL"},
    ) as process:
        try:
            yield process
            if process.poll() not in (None, -signal.SIGKILL):
                raise SystemExit("The sender ended by itself.")
        finally:
            process.kill()


@contextmanager
def receiver(*ports: int) -> Iterator[None]:
    """A process that answers at the first port, and hangs at the second."""
    script = str(ROOT / "benchmarks" / "peers" / "receiver.py")
    with subprocess.Popen(
        [sys.executable, script, *map(str, ports)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()


def heard(port: int, count: int) -> NDArray[np.float64]:
    """(n, 2): when each change was made and when its callback arrived; once all have come."""
    pairs: list[list[float]] = []
    deadline = time.monotonic() + TIMEOUT
    while len(pairs) < count:
        if time.monotonic() > deadline:
            raise SystemExit(f"Only {len(pairs)} of {count} callbacks came in {TIMEOUT:g} s.")
        time.sleep(0.1)
        pairs += requests.get(f"http://127.0.0.1:{port}/heard", timeout=15).json()
    return np.array(pairs)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at."""
    sockets = [socket.create_server(("0.0.0.0", 0)) for _ in range(count)]
    ports = [opened.getsockname()[1] for opened in sockets]
    for opened in sockets:
        opened.close()
    return ports


if __name__ == "__main__":
    main()
