"""Subscriptions to what belongs to a bureau: its people are told, as long as they read it."""

import json

import pytest
from django.contrib.auth import get_user_model

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery
from apps.callbacks.services.events import Change, emit_all
from core.state_machine import EventScope
from core.uris import keys_of


@pytest.fixture
def bob(owner):
    return get_user_model().objects.create(username="bob", name="Bob", email="bob@receiver.example")


@pytest.fixture
def erp(client_of, owner):
    return client_of("erp", owner)


@pytest.fixture
def bureau(erp) -> str:
    return erp.post("/bureau/", {"name": "Parts & Sons"}).json()["uri"]


@pytest.fixture
def halls(erp, bureau) -> list[str]:
    return [
        erp.post("/location/", {"bureau": bureau, "name": name}).json()["uri"]
        for name in ("Hall 1", "Hall 2")
    ]


@pytest.fixture
def member(erp, bureau, bob) -> str:
    """Bob's membership in the bureau."""
    return erp.post("/membership-bureau/", {"bureau": bureau, "user": bob.uri}).json()["uri"]


@pytest.fixture
def subscribe(client_of, received_callbacks):
    """`subscribe(bob, bureau=...)`: the answer."""

    def post(person, **wish):
        body = {"url": received_callbacks.url, "events": ["order.*", "run.queued"], **wish}
        return client_of("callbacks", person).post("/subscription/", body)

    return post


@pytest.fixture
def happen(owner, bureau):
    """`happen("order", "confirmed")`: something of Ada's in the bureau, at a hall perhaps."""

    def emit(kind: str, status: str, hall: str | None = None) -> str:
        uri = f"http://erp.platform.test/{kind}/1/"
        (place,) = keys_of(hall, "location") if hall else (None,)
        board = EventScope(keys_of(bureau, "bureau")[0], place)
        emit_all([Change(uri, owner.pk, {"status": status}, board)])
        return uri

    return emit


def told(heard) -> list[str]:
    return [json.loads(request.body)["status"] for request in heard.requests]


def test_bureau_subscription_delivers_events_of_other_members(
    subscribe, bob, member, bureau, happen, received_callbacks
):
    answer = subscribe(bob, bureau=bureau)
    happen("order", "confirmed")
    happen("piece", "complete")
    run_once()

    made = answer.json()
    assert (answer.status_code, made["bureau"], made["location"]) == (201, bureau, None)
    assert told(received_callbacks) == ["confirmed"]
    assert callbacks.broken_rules() == []


def test_location_subscription_delivers_only_events_of_that_location(
    subscribe, bob, member, bureau, halls, happen, received_callbacks
):
    assert subscribe(bob, bureau=bureau, location=halls[0]).json()["location"] == halls[0]

    happen("run", "queued", halls[1])
    happen("order", "confirmed")
    happen("run", "queued", halls[0])
    run_once()

    assert told(received_callbacks) == ["queued"]


def test_bureau_subscription_stops_when_membership_ends(
    subscribe, bob, member, bureau, erp, happen, received_callbacks
):
    subscribe(bob, bureau=bureau)
    happen("order", "confirmed")
    assert erp.delete(member).status_code == 204
    run_once()

    assert told(received_callbacks) == []
    assert [row.state for row in Delivery.objects.all()] == [Delivery.State.CANCELLED]
    erp.post("/membership-bureau/", {"bureau": bureau, "user": bob.uri})
    happen("order", "in-progress")
    run_once()
    assert told(received_callbacks) == ["in-progress"]


def test_bureau_subscription_of_inactive_account_receives_nothing(
    subscribe, bob, member, bureau, happen, received_callbacks
):
    subscribe(bob, bureau=bureau)
    get_user_model().objects.filter(pk=bob.pk).update(is_active=False)
    happen("order", "confirmed")
    run_once()

    assert told(received_callbacks) == []


def test_subscription_to_unreadable_bureau_or_location_is_rejected(subscribe, bob, bureau, halls):
    stranger = subscribe(bob, bureau=bureau)
    alone = subscribe(bob, location=halls[0])

    (fault,) = stranger.json()["errors"]
    assert (stranger.status_code, fault["code"], fault["field"]) == (
        400,
        "resource-not-found",
        "bureau",
    )
    assert (alone.status_code, alone.json()["errors"][0]["field"]) == (400, "location")


def test_bureau_of_subscription_cannot_be_changed(subscribe, client_of, bob, member, bureau):
    made = subscribe(bob, bureau=bureau).json()
    api = client_of("callbacks", bob)

    assert api.put(made["uri"], {"bureau": None}).json()["errors"][0]["code"] == (
        "cannot-set-property"
    )
    assert api.put(made["uri"], {"enabled": False}).status_code == 204
    assert api.get(f"/subscription/?filter[bureau]={bureau}").json()["meta"]["count"] == 1
    assert api.get(made["uri"]).json() == made | {
        "enabled": False,
        "updated": api.get(made["uri"]).json()["updated"],
    }


def test_account_subscription_receives_no_events_of_colleagues(
    subscribe, bob, member, happen, received_callbacks
):
    subscribe(bob)
    happen("order", "confirmed")
    run_once()

    assert told(received_callbacks) == []
