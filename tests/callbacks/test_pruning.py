"""What is deleted once an hour, and what never is."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from apps.callbacks import actors
from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Event, Outcome, Sink, Subscription, SunkRequest
from core.actors import clean_up
from core.keys import uuid7
from tests.callbacks.conftest import URI, uri_of


def key_of_age(days):
    """A key that was made so long ago."""
    fresh = uuid7()
    return UUID(int=fresh.int - (int(days * 86_400_000) << 80))


def _make_older(event, key, moment):
    """Give it another key and time; what refers to it goes along."""
    Event.objects.filter(pk=event.pk).update(uri="moved", position=-event.position)
    old, event.pk, event.created = event.pk, key, moment
    event.save(force_insert=True)
    Delivery.objects.filter(event=old).update(event=event)
    Event.objects.filter(pk=old).delete()


@pytest.fixture
def make_event(owner, received_callbacks):
    """`tell(state, days)`: an event of so long ago, and what became of its one delivery."""
    told = []

    def make(state, days, *, uri=None):
        uri = uri or uri_of(len(told))
        if not Subscription.objects.filter(resource=uri).exists():
            callbacks.subscribe(
                uri=uri, url=received_callbacks.url, method="POST", owner_id=owner.pk
            )
        callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": "processed"})
        event = Event.objects.latest("position")
        moment = timezone.now() - timedelta(days=days)
        Delivery.objects.filter(event=event).update(
            uuid=key_of_age(days),
            state=state,
            since=moment,
            delivered_at=moment if state == "delivered" else None,
        )
        _make_older(event, key_of_age(days), moment)
        told.append(event)

    return make


def states():
    return sorted(Delivery.objects.values_list("state", flat=True))


@pytest.mark.parametrize(
    ("state", "days", "kept"),
    [
        ("delivered", 6.9, True),
        ("delivered", 7.1, False),
        ("cancelled", 6.9, True),
        ("cancelled", 7.1, False),
        ("expired", 29.9, True),
        ("expired", 30.1, False),
        ("pending", 400, True),
    ],
)
def test_deliveries_are_pruned_after_the_retention_of_their_state(make_event, state, days, kept):
    make_event(state, days)

    actors.prune_callbacks.fn()

    assert Delivery.objects.exists() is kept


def test_outcomes_are_pruned_with_their_delivery(make_event, owner, received_callbacks):
    make_event("pending", 8)
    run_once()
    assert Outcome.objects.count() == 1
    Delivery.objects.update(delivered_at=timezone.now() - timedelta(days=8))

    actors.prune_callbacks.fn()

    assert (Delivery.objects.count(), Outcome.objects.count()) == (0, 0)


def test_retention_of_replayed_delivery_restarts(make_event, owner):
    make_event("expired", 40)
    Delivery.objects.all().deliver_again(by=owner)
    Delivery.objects.update(state="expired")

    actors.prune_callbacks.fn()

    assert states() == ["expired"]


def test_pruning_keeps_the_newest_event_of_each_resource(make_event, owner):
    for days in (90, 60, 31):
        make_event("delivered", days, uri=URI)
    make_event("delivered", 50, uri=uri_of("other"))

    actors.prune_callbacks.fn()

    assert list(Event.objects.order_by("uri").values_list("uri", "seq")) == [
        (URI, 3),
        (uri_of("other"), 1),
    ]
    callbacks.emit(uri=URI, owner_id=owner.pk, changes={"status": "error"})
    assert Event.objects.filter(uri=URI).latest("seq").seq == 4


def test_pruning_keeps_recent_and_pending_events_with_all_later_ones(make_event):
    for state, days in (("delivered", 90), ("pending", 60), ("delivered", 40), ("delivered", 2)):
        make_event(state, days, uri=URI)

    actors.prune_callbacks.fn()

    assert list(Event.objects.order_by("seq").values_list("seq", flat=True)) == [2, 3, 4]
    assert states() == ["delivered", "pending"]


def test_pruning_continues_in_batches_until_done(make_event, monkeypatch):
    monkeypatch.setattr(actors, "BATCH", 2)
    for number in range(5):
        make_event("delivered", 10 + number)

    actors.prune_callbacks.fn()

    assert Delivery.objects.count() == 0


def test_expired_sinks_are_pruned_with_their_requests(owner):
    for hours in (-1, 1):
        sink = Sink.objects.create(owner=owner, expires=timezone.now() + timedelta(hours=hours))
        SunkRequest.objects.create(sink=sink, method="GET", headers={}, body=b"", size=0)

    actors.prune_callbacks.fn()

    assert (Sink.objects.count(), SunkRequest.objects.count()) == (1, 1)


def test_maintenance_enqueues_pruning(db, queued):
    clean_up.fn()

    assert ("prune_callbacks", "[]") in queued()
