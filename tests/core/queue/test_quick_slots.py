"""Quick slots: how long a job may hold one, what that costs its account, and the reserved one."""

import uuid

from django.db import connection

from core.queue import fair_queueing
from tests.core.queue.test_fair_queueing import (
    QUEUE,
    claim,  # noqa: F401  a worker's consumer
    claimed,
    send,
)

A, B, C = (uuid.UUID(int=number) for number in (1, 2, 3))


def test_reserved_slot_takes_cheap_jobs_of_accounts_without_running_jobs(claim, monkeypatch):  # noqa: F811
    monkeypatch.setenv("RESERVED_SLOT", "yes")
    # Before any claim: a new one takes back what its worker seems to have forgotten.
    reserved = claim.broker.consume(QUEUE, prefetch=1)
    messages = [send(A, f"a{number}") for number in range(5)]
    assert claimed(claim) == ["a0"]

    assert claimed(reserved, 4) == []

    send(B, "costly", cost=fair_queueing.RESERVED_COST + 1)
    reserved._below = 0.0  # a second later
    assert claimed(reserved, 4) == []
    send(C, "c0")
    send(C, "c1")
    assert claimed(reserved, 4) == ["c0"]
    claim.ack(messages[0])
    reserved._below = 0.0
    assert claimed(reserved, 4) == ["a1"]
    reserved.close()


def test_charge_moves_waiting_jobs_of_the_account_behind_others(claim):  # noqa: F811
    for number in range(3):
        send(A, f"a{number}")
    assert claimed(claim) == ["a0"]
    for number in range(3):
        send(B, f"b{number}")

    with connection.cursor() as cursor:
        cursor.execute(fair_queueing.CHARGE, (2.5, QUEUE, A))

    assert claimed(claim, 5) == ["b0", "b1", "b2", "a1", "a2"]


def test_quick_job_may_take_eight_times_its_cost_within_bounds():
    limits = [fair_queueing.time_limit("slices", cost) for cost in (0.25, 2.0, 20.0, 59.0)]

    assert limits == [10.0, 16.0, 160.0, 180.0]
    assert fair_queueing.time_limit("slices_slow", 0.25) is None
