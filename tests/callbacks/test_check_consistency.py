"""manage.py check_consistency: silent about what is whole, and clear about what is not."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Event, EventCounter, Origin, Outcome, Subscription
from tests.callbacks.conftest import receive, uri_of


@pytest.fixture
def books(owner, received_callbacks):
    """Three changes of two resources each: delivered, refused, of nobody's interest, in turn."""
    received_callbacks.answer = lambda request: 500 if b"error" in request.body else 200
    Subscription.objects.bulk_create(
        Subscription(
            owner=owner,
            url=received_callbacks.url,
            events=events,
            origin=origin_of(received_callbacks),
        )
        for events in (["model.processed"], ["slice.*", "model.error"])
    )
    Subscription.objects.update(updated=timezone.now() - timedelta(hours=1))
    for number in range(2):
        for status in ("processed", "error", "processing"):
            callbacks.emit(uri=uri_of(number), owner_id=owner.pk, changes={"status": status})
    run_once()


def origin_of(heard):
    return Origin.objects.get_or_create(origin=f"http://127.0.0.1:{heard.port}")[0]


def test_ledger_command_reports_consistent_events_and_deliveries(books):
    said = StringIO()

    call_command("check_consistency", stdout=said)

    assert said.getvalue() == (
        "Each change has its event, and each event its deliveries.\n"
        "Of each lot there is as much as its movements come to.\n"
        "No number of a document is missing in its series.\n"
    )


def gap():
    Delivery.objects.filter(seq=2).delete()
    Event.objects.filter(seq=2).delete()


def missed():
    Delivery.objects.filter(state="delivered", event__uri=uri_of(0)).delete()


def never_due():
    Delivery.objects.filter(state="pending").update(next_at=F("next_at") + timedelta(hours=1))


def unanswered():
    Outcome.objects.filter(outcome="200").delete()


def astray():
    Delivery.objects.filter(state="pending").update(
        origin=Origin.objects.create(origin="http://elsewhere.example:80")
    )


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (gap, "The positions of an account's events have no gaps: not so for 1"),
        (gap, "The sequence of a resource's events has no gaps: not so for 2"),
        (lambda: EventCounter.objects.update(last=9), "counter is its newest"),
        (missed, "An event has a delivery for each subscription that it concerns: not so for 1"),
        (astray, "A delivery is its event's and its subscription's: not so for 2"),
        (never_due, "What waits is due within an interval: not so for 2"),
        (unanswered, "What is delivered was answered with 2xx: not so for 2"),
        (lambda: Delivery.objects.update(state="expired"), "was tried for its lifetime: not so"),
    ],
)
def test_ledger_command_names_each_broken_rule(books, harm, said):
    harm()

    with pytest.raises(CommandError, match=said):
        call_command("check_consistency")


def test_pending_delivery_to_unreachable_origin_breaks_no_ledger_rule(owner):
    with receive() as gone:
        url = gone.url
    callbacks.subscribe(uri=uri_of(1), url=url, method="POST", owner_id=owner.pk)
    callbacks.emit(uri=uri_of(1), owner_id=owner.pk, changes={"status": "error"})
    run_once()

    assert callbacks.broken_rules() == []
