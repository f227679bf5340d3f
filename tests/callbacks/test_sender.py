"""The real sender process: punctual, killed, replaced, and patient for a lifetime."""

import json
import threading
import time

import pytest
from django.db import connection

from apps.callbacks import interface as callbacks
from apps.callbacks.models import Delivery, Outcome
from tests.callbacks.conftest import receive, uri_of
from tests.waiting import TIMEOUT, wait_for

pytestmark = pytest.mark.slow


def subscribe_and_emit(owner, url, number, *statuses):
    uri = uri_of(number)
    callbacks.subscribe(uri=uri, url=url, method="POST", owner_id=owner.pk)
    for status in statuses:
        callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": status})


def wait_until_settled():
    wait_for(lambda: not Delivery.objects.filter(state="pending").exists())


def test_killed_sender_loses_no_delivery_and_is_replaced(owner, received_callbacks, start_sender):
    received_callbacks.answer = lambda request: time.sleep(0.02) or 200
    senders = [start_sender(), start_sender()]
    for number in range(150):
        subscribe_and_emit(owner, received_callbacks.url, number, "processing", "processed")
        if number in (50, 100):
            assert received_callbacks.wait_for(number) >= number
            for sender in senders:
                sender.kill()
            senders = [start_sender(), start_sender()]

    wait_until_settled()

    due = {str(uuid) for uuid in Delivery.objects.values_list("uuid", flat=True)}
    assert len(due) == 300
    assert set(received_callbacks.column("webhook-id")) == due
    assert set(Delivery.objects.values_list("state", flat=True)) == {"delivered"}
    first_seen = {}
    for request in received_callbacks.requests:
        body = json.loads(request.body)
        first_seen.setdefault(body["uri"], {}).setdefault(body["status"], len(first_seen))
    assert all(list(seen) == ["processing", "processed"] for seen in first_seen.values())


def test_standby_sender_takes_over_when_the_active_one_dies(
    owner, received_callbacks, start_sender
):
    active = start_sender()
    subscribe_and_emit(owner, received_callbacks.url, 1, "processed")
    assert received_callbacks.wait_for(1) == 1
    wait_until_settled()
    start_sender()

    active.kill()
    subscribe_and_emit(owner, received_callbacks.url, 2, "processed")

    assert received_callbacks.wait_for(2) == 2


def test_sender_exits_with_error_when_database_connection_is_lost(
    owner, received_callbacks, start_sender
):
    sender = start_sender()
    subscribe_and_emit(owner, received_callbacks.url, 1, "processed")
    received_callbacks.wait_for(1)

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name LIKE 'send_callbacks%%'"
        )

    assert sender.wait(TIMEOUT) == 1


def test_hanging_origin_does_not_delay_other_origins(owner, received_callbacks, start_sender):
    over = threading.Event()
    with receive(answer=lambda request: over.wait(TIMEOUT) and 200) as hanging:
        for number in range(200):
            subscribe_and_emit(owner, hanging.url, number, "processed")
        start_sender()
        assert hanging.wait_for(32) == 32

        for number in range(20):
            subscribe_and_emit(owner, received_callbacks.url, f"live{number}", "processed")

        assert received_callbacks.wait_for(20) == 20
        # None of those has ended, be it by its time-out: another would have come in its place.
        assert len(hanging.requests) == 32
        over.set()


def test_retries_keep_their_interval_and_end_after_the_lifetime(
    owner, received_callbacks, start_sender
):
    received_callbacks.answer = lambda request: 500
    subscribe_and_emit(owner, received_callbacks.url, 1, "processed")

    start_sender(CALLBACK_INTERVAL="0.2", CALLBACK_LIFETIME="3")
    wait_until_settled()
    tries = len(received_callbacks.requests)
    time.sleep(0.5)

    took = received_callbacks.requests[-1].at - received_callbacks.requests[0].at
    assert took > 3 - 2 * 0.2
    assert 2 <= tries <= took / 0.2 + 2  # a busy machine may leave one out, and adds none
    assert len(received_callbacks.requests) == tries
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.tries) == ("expired", tries)
    assert list(Outcome.objects.values_list("outcome", "count")) == [("500", tries)]


def test_deliveries_waiting_for_unreachable_origin_expire(owner, start_sender):
    with receive() as gone:
        url = gone.url
    for number in range(40):
        subscribe_and_emit(owner, url, number, "processed")

    start_sender(CALLBACK_INTERVAL="0.2", CALLBACK_LIFETIME="1")
    wait_until_settled()

    assert Delivery.objects.filter(state="expired").count() == 40
