"""Everything is killed at random while clients work: nothing acknowledged is lost, untold, or late.

CHAOS_CHANGES, CHAOS_KILLS and CHAOS_SEED ask for a longer run, or another one.
"""

import json
import os
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from typing import Any
from uuid import uuid4

import psutil
import psycopg
import pytest
import requests

from tests.live.client import CONFIG, OCTETS, Client, ball
from tests.live.processes import Platform, children, kill, line, wait_for

pytestmark = [pytest.mark.live, pytest.mark.single("it kills programs of all kinds")]

CHANGES = int(os.environ.get("CHAOS_CHANGES", "80"))
SEED = int(os.environ.get("CHAOS_SEED", "1"))
KILLS = int(os.environ.get("CHAOS_KILLS", max(8, CHANGES // 20)))
DATA = ball(10)
# Of the programs, the one that is killed next; the database takes all others' work with it, whether
# its first process is killed or some of its own children. What is stopped lives and does not serve.
ODDS = {"worker": 8, "sender": 6, "web": 4, "database": 2, "burst": 1, "stopped": 1}
BURST = 3
# Seconds without an answer. A stopped program is taken for one that works hard for twenty of them,
# and six Python processes that start at once take their time.
AWAY = 60.0
FAILED = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)

PENDING = "SELECT count(*) FROM callbacks_delivery WHERE state = 'pending'"
# Of what somebody is told of: not the models' pictures, nor the hourly housekeeping.
UNFINISHED = """
    SELECT message FROM dramatiq.queue WHERE queue_name ~ '^(meshes|slices)'
    AND state IN ('queued', 'consumed')
"""
RECORD = """
    SELECT e.position, e.uri, e.seq, e.body, d.uuid::text FROM callbacks_event e
    LEFT JOIN callbacks_delivery d ON d.event_id = e.uuid WHERE e.owner_id = %s
    ORDER BY e.position
"""


class Ledger:
    """What was acknowledged to the client: resource -> the states that must be told of it."""

    def __init__(self) -> None:
        self.due: dict[str, list[str]] = {}
        self.refused: Counter[str] = Counter()

    @property
    def changes(self) -> int:
        return sum(map(len, list(self.due.values())))


class Customer:
    """A client that repeats each request until it is acknowledged, and then writes it down."""

    def __init__(self, client: Client, ledger: Ledger, hook: str):
        self.client, self.ledger, self.hook = client, ledger, hook

    def send_model(self) -> None:
        order = {"name": "part", "callback": {"url": self.hook, "method": "POST"}}
        made = self.insist("POST", "models/model/", 201, json=order)
        self.insist("PUT", made.headers["X-Upload-Location"], 204, data=DATA, headers=OCTETS)
        self.ledger.due[made.headers["Location"]] = ["processed"]

    def order_slice(self, model: str, config: str) -> None:
        order = {"model": model, "config": config, "callback": {"url": self.hook}}
        made = self.insist("POST", "slicing/slice/", 201, json=order)
        self.ledger.due[made.headers["Location"]] = ["processing", "processed"]

    def insist(self, method: str, url: str, status: int, **options) -> requests.Response:
        """A request, repeated with its key until it is answered; only outages are no answer."""
        options.setdefault("headers", {"Idempotency-Key": str(uuid4())})
        if not url.startswith("http"):
            url = self.client.platform.url(url)
        for _ in range(600):
            try:
                answer = self.client.session.request(method, url, timeout=10, **options)
            except FAILED as error:
                self.ledger.refused[type(error).__name__] += 1
            else:
                if answer.status_code == status:
                    return answer
                # 429: so many jobs wait already.
                assert answer.status_code in (429, 503), answer.text
                self.ledger.refused[str(answer.status_code)] += 1
            time.sleep(0.1)
        raise AssertionError(f"{method} {url} was never answered.")


class Follower(threading.Thread):
    """A reader of the stream of events that comes back whenever it is cut."""

    def __init__(self, client: Client):
        super().__init__(daemon=True)
        self.client, self.events, self.ended = client, [], False

    def run(self) -> None:
        while not self.ended:
            position = self.events[-1]["position"] if self.events else 0
            url = self.client.platform.url(f"models/events/?after={position}")
            with suppress(*FAILED), self.client.session.get(url, stream=True, timeout=30) as answer:
                assert answer.status_code in (200, 503), answer.text
                for line in answer.iter_lines(chunk_size=1):
                    if answer.status_code == 200 and line:
                        self.events.append(json.loads(line))
            time.sleep(0.1)


class Pulse(threading.Thread):
    """Reads something all the time: `longest` is how long there was no answer, in seconds."""

    def __init__(self, client: Client, uri: str):
        super().__init__(daemon=True)
        self.client, self.uri, self.longest, self.ended = client, uri, 0.0, False

    def run(self) -> None:
        answered = time.monotonic()
        while not self.ended:
            if self.client.can_read(self.uri):
                answered = time.monotonic()
            self.longest = max(self.longest, time.monotonic() - answered)
            time.sleep(0.1)


def kill_one(platform: Platform, dice: random.Random) -> str:
    """Kill -9 one of the platform's programs, or stop it; which one."""
    kind = dice.choices([*ODDS], [*ODDS.values()])[0]
    postmaster = platform.postmaster()
    if kind == "database":
        victims = [process for process in [postmaster] if process]
    elif kind == "burst":
        own = children(postmaster) if postmaster else []
        victims = dice.sample(own, min(BURST, len(own)))
    elif kind in ("worker", "stopped"):
        programs = platform.processes()[0].children()
        workers = sorted((p for p in programs if "worker" in line(p)), key=line)
        victims = [dice.choice(workers)] if workers else []
    else:
        victims = [
            dice.choice(platform.program("send_callbacks" if kind == "sender" else "granian"))
        ]
    for victim in victims:
        with suppress(psutil.NoSuchProcess):
            victim.suspend() if kind == "stopped" else kill(victim)
    return kind


def test_acknowledged_changes_survive_random_kills_with_ordered_callbacks(
    platform: Platform, received_callbacks
):
    client = Client(platform)
    first = client.model(DATA)
    assert client.settled(first)["status"] == "processed"
    config = client.ask("POST", "slicing/config/curated/", 201, json=CONFIG).headers["Location"]
    sliced = client.slice(first, config, received_callbacks.url)
    client.settled(sliced)
    ledger, dice = Ledger(), random.Random(SEED)
    ledger.due[sliced] = ["processing", "processed"]
    follower, pulse = Follower(client), Pulse(client, first)
    follower.start()
    pulse.start()

    def work(number: int) -> None:
        customer = Customer(client, ledger, received_callbacks.url)
        if number % 8:
            customer.order_slice(first, config)
        else:
            customer.send_model()

    killed: Counter[str] = Counter()
    orders = -(-CHANGES * 8 // 15)  # of eight, seven slices with two changes each, a model with one
    begun, after = time.monotonic(), {}

    def reach(what: str, condition: Callable[[], Any]) -> None:
        wait_for(condition, 300)
        after[what] = round(time.monotonic() - begun)

    with ThreadPoolExecutor(4) as customers:
        waiting = [customers.submit(work, number) for number in range(orders)]
        while not all(order.done() for order in waiting):
            done = sum(order.done() for order in waiting)
            if done >= orders * (killed.total() + 1) / (KILLS + 1):
                killed[kill_one(platform, dice)] += 1
            time.sleep(0.05)
        for order in waiting:
            order.result()
    after["acknowledged"] = round(time.monotonic() - begun)
    reach("told", lambda: told(received_callbacks) >= expected(ledger))
    reach("no job left", lambda: answered(platform, UNFINISHED) == [])
    reach("none pending", lambda: answered(platform, PENDING) == [(0,)])
    customer = Customer(client, ledger, received_callbacks.url)  # web may have been killed last
    owner = customer.insist("GET", "users/sessions/", 200).json()["uuid"]
    record = platform.ask(RECORD, owner)
    reach("followed", lambda: len(follower.events) >= len(record))
    follower.ended = pulse.ended = True
    print(
        f"seed {SEED}: {ledger.changes} changes; after so many s {after}; killed {dict(killed)}; "
        f"not answered {dict(ledger.refused)}; {len(received_callbacks.requests)} callbacks; "
        f"away for {pulse.longest:.1f} s at most"
    )

    assert pulse.longest < AWAY

    assert_first_attempts_in_order(received_callbacks)
    assert told(received_callbacks) == expected(ledger)
    # One webhook-id and one body a change, however often it was told.
    ids = {(body["uri"], seq): key for body, seq, key in heard_events(received_callbacks)}
    assert len(ids) == len(
        {(json.dumps(body), seq, key) for body, seq, key in heard_events(received_callbacks)}
    )
    # What the database has is what was acknowledged; the account's events have no gaps.
    assert [row[0] for row in record] == list(range(1, len(record) + 1))
    on_record = {(uri, seq): key for _, uri, seq, _, key in record if key}
    assert on_record == ids
    # The stream told each event once, in order, across all the cuts.
    followed = [(event["position"], event["uri"], event["sequence"]) for event in follower.events]
    expected_events = [(position, uri, seq) for position, uri, seq, _, _ in record]
    assert followed[: len(record)] == expected_events


def answered(platform: Platform, query: str) -> list[tuple] | None:
    """What the database answers; None while it does not."""
    with suppress(psycopg.OperationalError):
        return platform.ask(query)
    return None


def heard_events(heard) -> list[tuple[dict, int, str]]:
    """(body, webhook-sequence, webhook-id) of each request, as they came."""
    return [
        (json.loads(r.body), int(r.headers["webhook-sequence"]), r.headers["webhook-id"])
        for r in list(heard.requests)
    ]


def told(heard) -> set[tuple[str, int, str]]:
    return {(body["uri"], seq, body["status"]) for body, seq, _ in heard_events(heard)}


def expected(ledger: Ledger) -> set[tuple[str, int, str]]:
    due = ledger.due.items()
    return {(uri, seq, state) for uri, states in due for seq, state in enumerate(states, 1)}


def assert_first_attempts_in_order(heard) -> None:
    """A resource's events arrive for the first time in the order in which they happened."""
    firsts: dict[str, list[int]] = defaultdict(list)
    for body, seq, _ in heard_events(heard):
        if seq not in firsts[body["uri"]]:
            firsts[body["uri"]].append(seq)
    assert all(one < next_one for seqs in firsts.values() for one, next_one in pairwise(seqs))
