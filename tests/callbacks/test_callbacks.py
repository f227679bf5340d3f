"""What a receiver is sent, when, and in which order."""

import json
import time
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.db import transaction

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Origin, Outcome, Subscription
from tests.callbacks.conftest import URI, receive, skip_interval, uri_of

CHANGES = {"status": "processed", "analyses.manifold": True, "estimates.mass": None}
BODY = (
    f'{{"uri":"{URI}","status":"processed","analyses.manifold":true,"estimates.mass":null}}'
).encode()


def subscribe(owner, url, *, uri=URI, method="POST"):
    callbacks.subscribe(uri=uri, url=url, method=method, owner_id=owner.pk)


def emit(owner, *statuses, uri=URI):
    for status in statuses:
        callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": status})


def statuses(heard):
    return [json.loads(request.body)["status"] for request in heard.requests]


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_callback_sends_changes_as_json(owner, received_callbacks, method):
    subscribe(owner, f"{received_callbacks.url}?token=a%2Fb", method=method)
    callbacks.emit(uri=URI, owner_id=owner.pk, changes=CHANGES)

    assert run_once() == 1

    (request,) = received_callbacks.requests
    assert (request.method, request.target) == (method, "/hook?token=a%2Fb")
    assert (request.headers["Content-Type"], request.body) == ("application/json", BODY)
    assert Delivery.objects.get().state == "delivered"


@pytest.mark.parametrize(
    ("own", "prefix"), [("", ""), ("?token=a%2Fb&x=%20#part", "token=a%2Fb&x=%20&")]
)
def test_get_callback_sends_changes_as_query(owner, received_callbacks, own, prefix):
    subscribe(owner, received_callbacks.url + own, method="GET")
    callbacks.emit(uri=URI, owner_id=owner.pk, changes={**CHANGES, "name": "a b&c=ü"})

    run_once()

    (request,) = received_callbacks.requests
    query = urlsplit(request.target).query
    assert query.startswith(prefix)
    assert parse_qsl(query.removeprefix(prefix)) == [
        ("uri", URI),
        ("status", "processed"),
        ("analyses.manifold", "true"),
        ("estimates.mass", "null"),
        ("name", "a b&c=ü"),
    ]
    assert (request.method, request.body) == ("GET", b"")
    assert (request.headers["Content-Type"], request.headers["Content-Length"]) == (None, None)


def test_events_of_a_resource_are_delivered_in_order_one_at_a_time(owner, received_callbacks):
    received_callbacks.answer = lambda request: time.sleep(0.02) or 200
    subscribe(owner, received_callbacks.url)
    emit(owner, "a", "b", "c", "d", "e")

    assert run_once() == 5

    assert statuses(received_callbacks) == ["a", "b", "c", "d", "e"]
    assert received_callbacks.column("webhook-sequence") == ["1", "2", "3", "4", "5"]
    assert received_callbacks.most_at_once == 1


def test_events_of_different_resources_are_delivered_concurrently(owner, received_callbacks):
    received_callbacks.answer_together(20)
    for number in range(20):
        subscribe(owner, received_callbacks.url, uri=uri_of(number))
        emit(owner, "processed", uri=uri_of(number))

    assert run_once() == 20

    assert received_callbacks.most_at_once == 20


def test_requests_per_origin_are_limited_to_32_at_once(owner, received_callbacks):
    received_callbacks.answer_together(32)
    for number in range(80):
        subscribe(owner, received_callbacks.url, uri=uri_of(number))
        emit(owner, "processed", uri=uri_of(number))

    assert run_once() == 80

    assert received_callbacks.most_at_once == 32


@pytest.mark.parametrize("rejection", [500, 404, 410, 301])
def test_rejected_delivery_is_retried_after_interval_with_identical_body(
    owner, received_callbacks, rejection
):
    answers = iter([rejection, 200])
    received_callbacks.answer = lambda request: next(answers)
    subscribe(owner, received_callbacks.url)
    emit(owner, "processed")

    first, at_once = run_once(), run_once()
    skip_interval()
    second = run_once()

    assert (first, at_once, second) == (1, 0, 1)
    assert received_callbacks.requests[0].body == received_callbacks.requests[1].body
    assert len(set(received_callbacks.column("webhook-id"))) == 1
    assert received_callbacks.column("webhook-attempt") == ["1", "2"]
    kinds = Outcome.objects.order_by("pk").values_list("outcome", "count")
    assert list(kinds) == [(str(rejection), 1), ("200", 1)]


def test_rejected_delivery_does_not_block_later_events(owner, received_callbacks):
    received_callbacks.answer = lambda request: 500 if b'"a"' in request.body else 200
    subscribe(owner, received_callbacks.url)
    emit(owner, "a", "b")

    assert run_once() == 2

    states = dict(Delivery.objects.values_list("seq", "state"))
    assert (statuses(received_callbacks), states) == (["a", "b"], {1: "pending", 2: "delivered"})


def test_new_event_does_not_wait_for_a_retry(owner, received_callbacks):
    received_callbacks.answer = lambda request: 500
    subscribe(owner, received_callbacks.url)
    emit(owner, "a")
    run_once()
    emit(owner, "b")

    run_once()

    assert statuses(received_callbacks) == ["a", "b"]


def test_callback_does_not_follow_a_redirect(owner, received_callbacks):
    with receive() as elsewhere:
        received_callbacks.answer = lambda request: 307
        subscribe(owner, received_callbacks.url)
        emit(owner, "processed")
        run_once()

    assert (len(received_callbacks.requests), elsewhere.requests) == (1, [])
    assert Delivery.objects.get().last_outcome == "307"


def test_every_subscriber_receives_its_own_delivery(owner, received_callbacks):
    with receive() as other:
        subscribe(owner, received_callbacks.url)
        subscribe(owner, other.url, method="PUT")
        emit(owner, "processed")

        assert run_once() == 2

        assert (statuses(received_callbacks), statuses(other)) == (["processed"], ["processed"])
    assert received_callbacks.column("webhook-id") != other.column("webhook-id")


def test_rolled_back_event_is_never_delivered(owner, received_callbacks):
    subscribe(owner, received_callbacks.url)

    with pytest.raises(RuntimeError), transaction.atomic():
        emit(owner, "processed")
        raise RuntimeError
    emit(owner, "error")

    assert run_once() == 1
    assert statuses(received_callbacks) == ["error"]
    assert received_callbacks.column("webhook-sequence") == ["1"]


def test_forget_cancels_pending_deliveries_of_a_resource(owner, received_callbacks):
    received_callbacks.answer = lambda request: 500
    subscribe(owner, received_callbacks.url)
    emit(owner, "processed")
    run_once()

    callbacks.cancel_pending(uri=URI)
    skip_interval()

    assert run_once() == 0
    assert Delivery.objects.get().state == "cancelled"


@pytest.mark.parametrize("url", ["ftp://receiver.example/", "http://10.0.0.1/", "nonsense"])
def test_subscribe_rejects_invalid_callback_url(owner, url):
    with pytest.raises(callbacks.InvalidCallback) as rejection:
        subscribe(owner, url)

    assert (rejection.value.field, Subscription.objects.count()) == ("callback.url", 0)


def test_delivery_to_blocked_address_stays_pending_without_connection(
    owner, received_callbacks, settings
):
    subscribe(owner, f"http://localhost:{received_callbacks.port}/hook")
    emit(owner, "processed")
    settings.OUTBOUND_ALLOW = []

    assert run_once() == 1

    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.last_outcome, received_callbacks.requests) == (
        "pending",
        "blocked",
        [],
    )
    assert "OUTBOUND_ALLOW" in delivery.last_error


def test_unreachable_origin_is_probed_once_per_interval_until_it_recovers(owner):
    with receive() as heard:
        port = heard.port  # closed again below
    for number in range(50):
        subscribe(owner, f"http://127.0.0.1:{port}/hook", uri=uri_of(number))
        emit(owner, "a", "b", uri=uri_of(number))

    first = run_once()
    skip_interval()
    probe = run_once()
    skip_interval()
    with receive(port) as heard:
        back = run_once()

    assert 1 <= first <= 32
    assert (probe, back) == (1, 100)
    assert Delivery.objects.filter(state="delivered").count() == 100
    for number in range(50):
        told = [r.body for r in heard.requests if f'{uri_of(number)}"'.encode() in r.body]
        assert [json.loads(body)["status"] for body in told] == ["a", "b"]
    assert Origin.objects.get().probe_at is None


def test_delivered_event_is_replayed_with_the_same_id(owner, received_callbacks):
    subscribe(owner, received_callbacks.url)
    emit(owner, "processed")
    run_once()

    assert Delivery.objects.all().deliver_again(by=owner) == 1
    assert run_once() == 1

    assert len(received_callbacks.requests) == 2
    assert len(set(received_callbacks.column("webhook-id"))) == 1
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.tries, delivery.replayed_by) == ("delivered", 2, owner)
