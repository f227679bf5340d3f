"""Turns: who has sent much waits behind who has sent little, and no machine time is lost by it."""

import threading
import uuid
from collections.abc import Iterator
from datetime import timedelta

import dramatiq
import pytest
from django.db import connection, transaction
from django.utils import timezone
from dramatiq.common import dq_name

from apps.users.models import User
from core.queue import fair_queueing, probes
from core.queue.broker import QueueConsumer, TransactionalBroker, create_broker
from core.request_context import bind_request, request_context
from core.web.throttling import registration_prefix
from tests.core.worker_thread import close
from tests.waiting import wait_for

QUEUE = "test_turns"


@dramatiq.actor(queue_name=QUEUE)
def job(word: str) -> None:
    """What is sent, and claimed by the test itself."""


@pytest.fixture
def claim(transactional_db) -> Iterator[QueueConsumer]:
    """A worker's hand: `claim.claim(n)` fills `claim.buffer` with what is next."""
    broker = create_broker()
    hand = leased(broker)
    yield hand
    hand.close()
    close(broker, QUEUE)


def leased(broker: TransactionalBroker) -> QueueConsumer:
    hand = broker.consume(QUEUE, prefetch=1000)
    wait_for(lambda: broker.notifier.held)  # without a lease it would take nothing
    return hand


def send(account: uuid.UUID, word: str, **options) -> dramatiq.Message:
    return job.send_with_options(args=(word,), account=str(account), weight=1, **options)


def claimed(hand: QueueConsumer, count: int = 1) -> list[str]:
    hand.claim(count)
    words = [message.args[0] for message in hand.buffer]
    hand.buffer.clear()
    return words


def rows(columns: str) -> list[tuple]:
    order = "" if columns.startswith(("count", "max")) else " ORDER BY position"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM dramatiq.queue{order}")
        return cursor.fetchall()


A, B = uuid.UUID(int=1), uuid.UUID(int=2)


def test_later_flow_is_served_in_turn_regardless_of_other_backlog(claim):
    with transaction.atomic():
        for number in range(200):
            send(A, f"a{number}")
    assert claimed(claim, 3) == ["a0", "a1", "a2"]

    send(B, "b0")
    send(B, "b1")

    assert claimed(claim, 5) == ["a3", "b0", "a4", "b1", "a5"]


def test_single_flow_is_served_in_fifo_order(claim):
    for number in range(20):
        send(A, str(number))

    assert claimed(claim, 20) == [str(number) for number in range(20)]


def test_start_tag_grows_with_job_cost(claim):
    for number in range(4):
        send(A, f"long{number}", cost=10.0)
        send(B, f"short{number}", cost=5.0)

    assert claimed(claim, 6) == ["long0", "short0", "long1", "short1", "short2", "long2"]


def test_queue_probe_precedes_other_platform_jobs(claim):
    with transaction.atomic():
        for number in range(50):
            send(fair_queueing.SYSTEM_ACCOUNT, str(number))
    assert claimed(claim) == ["0"]

    probes.send_probes(job, [QUEUE])

    assert claimed(claim, 2) == [QUEUE, "1"]


def test_flow_is_served_in_proportion_to_its_weight(claim):
    for number in range(4):
        job.send_with_options(args=(f"double{number}",), account=str(A), weight=2)
        send(B, f"single{number}")

    assert claimed(claim, 6) == "double0 double1 single0 double2 double3 single1".split()


def test_new_flow_starts_at_current_start_tag_when_no_job_runs(claim):
    messages = [send(A, str(number)) for number in range(10)]
    claimed(claim, 5)
    for message in messages[:5]:
        claim.ack(message)

    send(B, "new")

    assert claimed(claim, 3) == ["5", "6", "new"]


def accounts_wait(count: int, jobs: int = 3) -> None:
    """So many accounts with so many jobs each, and the queue stands in the middle of them."""
    for account in range(count):
        with transaction.atomic():
            for number in range(jobs):
                send(uuid.UUID(int=1000 + account), f"{account}-{number}")


def test_new_flow_is_served_before_waiting_flows(claim):
    accounts_wait(20)
    while rows("count(*) FILTER (WHERE newcomer AND state = 'queued')") != [(0,)]:
        claimed(claim)
    claimed(claim)

    send(B, "new")

    assert claimed(claim) == ["new"]


def test_claims_alternate_between_start_tags_and_new_flows(claim):
    with transaction.atomic():
        for number in range(20):
            send(A, f"a{number}")
    assert claimed(claim) == ["a0"]
    for number in range(50):
        send(uuid.UUID(int=100 + number), f"new{number}", cost=1000.0)

    assert [claimed(claim)[0] for _ in range(6)] == ["a1", "new0", "a2", "new1", "a3", "new2"]


def test_new_flows_do_not_advance_the_virtual_time(claim):
    accounts_wait(5, jobs=30)
    while rows("count(*) FILTER (WHERE newcomer AND state = 'queued')") != [(0,)]:
        claimed(claim)
    ((before,),) = rows("max(turn) FILTER (WHERE state = 'consumed')")
    for number in range(20):
        send(uuid.UUID(int=100 + number), "new", cost=50.0)
        claimed(claim, 2)

    ((after,),) = rows("max(turn) FILTER (WHERE state = 'consumed')")

    assert after - before < 20


def test_claim_commits_asynchronously_and_enqueue_synchronously(claim):
    with claim.get_consume_conn().cursor() as cursor:
        cursor.execute("SELECT source FROM pg_settings WHERE name = 'synchronous_commit'")
        assert cursor.fetchone() == ("client",)
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("off",)
    with connection.cursor() as cursor:  # the tests' own server awaits nothing, whoever asks
        cursor.execute("SELECT source FROM pg_settings WHERE name = 'synchronous_commit'")
        assert cursor.fetchone() == ("command line",)


def test_equal_start_tags_are_served_in_fifo_order(claim):
    for account in range(1, 6):
        send(uuid.UUID(int=account), str(account))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE dramatiq.queue SET turn = 1")

    assert [claimed(claim) for _ in range(5)] == [[str(number)] for number in range(1, 6)]


def test_concurrent_enqueues_lose_no_message(claim):
    def flood(account: int) -> None:
        for number in range(20):
            send(uuid.UUID(int=account), f"{account}-{number}")
        connection.close()

    threads = [threading.Thread(target=flood, args=(account,)) for account in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    words = claimed(claim, 100)

    assert len(words) == len(set(words)) == 60


def test_retried_message_keeps_its_start_tag(claim):
    first, *_ = [send(A, str(number)) for number in range(5)]
    before = rows("message_id::text, turn")
    assert claimed(claim) == ["0"]

    broker = claim.broker
    broker.enqueue(first, delay=60_000)  # as Dramatiq's Retries do
    assert claimed(claim) == ["1"]
    broker.enqueue(first.copy(queue_name=QUEUE))  # as it does when the time has come

    assert rows("message_id::text, turn") == before
    claim._below = 0.0  # a second later: it lies below the floor
    assert claimed(claim) == ["0"]


def test_delayed_message_gets_its_start_tag_when_it_becomes_due(claim):
    late = send(B, "late", delay=60_000)
    for number in range(5):
        send(A, str(number))
    assert rows("queue_name, turn")[0] == (dq_name(QUEUE), 0)
    assert claimed(claim, 2) == ["0", "1"]

    claim.broker.enqueue(late.copy(queue_name=QUEUE))

    assert claimed(claim, 2) == ["late", "2"]


def test_requeued_job_is_claimed_first(claim):
    for number in range(5):
        send(A, str(number))
    claimed(claim, 3)

    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE dramatiq.queue SET state = 'queued', worker_id = NULL"
            " WHERE state = 'consumed' AND message->'args'->>0 = '1'"
        )

    claim._below = 0.0  # a second later
    assert claimed(claim, 2) == ["1", "3"]


def test_ack_deletes_only_consumed_message(claim):
    first, second = send(A, "first"), send(A, "second")
    claimed(claim)

    claim.ack(first)
    claim.ack(second)  # as Dramatiq does with what was sent again meanwhile

    assert rows("message->'args'->>0, state::text") == [("second", "queued")]


def test_late_ack_does_not_delete_job_claimed_again(claim):
    """As after an outage of the database: it is sent again before its first end is known."""
    other = leased(create_broker())  # of another worker
    send(A, "sent again")
    late = next(claim)
    for hand in (other, claim):
        create_broker().enqueue(late)
        again = next(hand)

        claim.ack(late)
        assert rows("state::text") == [("consumed",)]

    claim.ack(again)
    assert rows("state::text") == []
    other.close()
    close(other.broker, QUEUE)


def test_claim_and_ack_use_their_indexes_while_a_snapshot_is_held(claim):
    with transaction.atomic():
        messages = [send(A, str(number)) for number in range(3000)]
    backup = connection.copy()
    backup.ensure_connection()
    with backup.cursor() as cursor:
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT count(*) FROM dramatiq.queue")
    for message in messages[:2000]:
        claimed(claim)
        claim.ack(message)
    with connection.cursor() as cursor:  # as a vacuum leaves it that finds one row in many pages
        cursor.execute(
            "SELECT pg_restore_relation_stats('schemaname', 'dramatiq', 'relname', 'queue',"
            " 'relpages', 1000, 'reltuples', 1::real)"
        )

    with claim.get_consume_conn().cursor() as cursor:
        floor = (QUEUE, *claim._floor, 1, str(A))
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + fair_queueing.CLAIM, floor)
        pages = _pages(cursor.fetchone()[0][0]["Plan"])
        key = (messages[2000].message_id, QUEUE, str(A), timezone.now(), "c", "m")
        cursor.execute("EXPLAIN (FORMAT JSON) " + fair_queueing.ACK, key)
        plan = str(cursor.fetchone()[0])
    backup.close()

    assert pages < 500  # from the beginning there are thousands
    assert "queue_pkey" in plan
    assert "queue_clock" not in plan


def _pages(plan: dict) -> int:
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def test_flow_holds_at_most_its_worker_slot_limit(claim, settings):
    settings.SLOTS_PER_ACCOUNT = 2
    messages = [send(A, f"a{number}") for number in range(5)]
    send(B, "b0")

    assert claimed(claim, 4) == ["a0", "a1", "b0"]
    assert claimed(claim, 4) == []

    claim.ack(messages[0])
    send(B, "b1")
    claim._below = 0.0  # a second later
    assert claimed(claim, 4) == ["a2", "b1"]


def test_concurrent_claims_respect_the_slot_limit_of_a_flow(claim, settings):
    settings.SLOTS_PER_ACCOUNT = 3
    for number in range(40):
        send(A, str(number))
    got: list[str] = []

    def take(hand: QueueConsumer) -> None:
        for _ in range(5):
            got.extend(claimed(hand))

    # Before any of them claims: a new one takes back what its worker seems to have forgotten.
    hands = [claim.broker.consume(QUEUE, prefetch=1) for _ in range(4)]
    threads = [threading.Thread(target=take, args=(hand,)) for hand in hands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for hand in hands:
        hand.close()

    assert sorted(got) == ["0", "1", "2"]


# ---------------------------------------------------------------- whose turn


def test_job_flow_is_inherited_from_request_user_and_from_parent_job(db, person):
    with bind_request("1", "192.0.2.1"):
        request_context().caller = person
        asked = job.send("by a request")
    assert asked.options["account"] == str(person.pk)

    middleware = dramatiq.middleware.CurrentMessage
    middleware._MESSAGE.set(asked)
    try:
        assert job.send("by a job").options["account"] == str(person.pk)
    finally:
        middleware._MESSAGE.set(None)
    assert job.send("by nobody").options["account"] == str(fair_queueing.SYSTEM_ACCOUNT)


def test_job_flow_is_the_owner_and_not_the_sender(db, person, stranger):
    with bind_request("1", "192.0.2.1"):
        request_context().caller = stranger
        sent = job.send_with_options(args=("x",), owner=str(person.pk))

    assert sent.options["account"] == str(person.pk)


def test_new_accounts_of_one_network_share_a_flow(db, client_of):
    users = client_of("users")
    for number in range(3):
        body = {"username": f"fresh{number}", "email": "a@example.com", "name": "A"}
        body["password"] = "a long pass phrase"
        answer = users.post("/users/", body, REMOTE_ADDR=f"192.0.2.{number}")
        assert answer.status_code == 201
    first, second, third = User.objects.order_by("username")
    assert len({fair_queueing.flow_of(user).account for user in (first, second, third)}) == 1

    User.objects.filter(pk=second.pk).update(network=None)  # somebody answers for it
    User.objects.filter(pk=third.pk).update(date_joined=timezone.now() - timedelta(days=8))

    accounts = {fair_queueing.flow_of_owner(user.pk).account for user in (first, second, third)}
    assert accounts == {first.network, second.pk, third.pk}


def test_registration_prefix_separates_networks():
    assert (
        registration_prefix("192.0.2.7")
        == registration_prefix("192.0.2.200")
        != registration_prefix("192.0.3.7")
    )
    assert (
        registration_prefix("2001:db8::1")
        == registration_prefix("2001:db8::ffff")
        != registration_prefix("2001:db8:1::1")
    )
