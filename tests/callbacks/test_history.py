"""<resource>/events/: what happened, who was told, how it went, and telling it again."""

import json

import pytest
from django.contrib.auth import get_user_model

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery
from apps.callbacks.services import history
from apps.warehouse.models import Snapshot
from core.outbound import http
from tests.callbacks.conftest import receive, skip_interval


@pytest.fixture
def api(client_of, owner):
    return client_of("models", owner)


@pytest.fixture
def stranger(owner):
    return get_user_model().objects.create(username="bob", name="Bob", email="bob@receiver.example")


@pytest.fixture
def operator(owner):
    return get_user_model().objects.create(
        username="root", name="Root", email="root@receiver.example", is_staff=True
    )


@pytest.fixture
def model(api, received_callbacks):
    """A model with a callback."""
    wish = {"name": "bracket", "callback": {"url": received_callbacks.url, "method": "PUT"}}
    return api.post("/model/", wish).json()


def emit(owner, status, *, uri, **changes):
    callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": status, **changes})


def events(client, resource, query=""):
    return client.get(f"{resource['uri']}events/?{query}").json()["resources"]


def test_event_history_shows_deliveries_and_outcomes(api, owner, model, received_callbacks):
    received_callbacks.answer = lambda request: 500 if len(received_callbacks.requests) < 3 else 200
    emit(owner, "processed", uri=model["uri"], **{"analyses.manifold": True})
    for _ in range(3):
        run_once()
        skip_interval()

    (event,) = events(api, model)

    assert {name: event[name] for name in ("position", "type", "sequence", "changes")} == {
        "position": 1,
        "type": "model.processed",
        "sequence": 1,
        "changes": {"status": "processed", "analyses.manifold": True},
    }
    (delivery,) = event["deliveries"]
    assert {name: delivery[name] for name in ("url", "method", "state", "attempts", "error")} == {
        "url": received_callbacks.url,
        "method": "PUT",
        "state": "delivered",
        "attempts": 3,
        "error": None,
    }
    assert delivery["webhook_id"] == received_callbacks.requests[0].headers["webhook-id"]
    assert delivery["subscription"] is delivery["next_attempt"] is delivery["replayed"] is None
    assert [(o["outcome"], o["count"]) for o in delivery["outcomes"]] == [("500", 2), ("200", 1)]
    longest = http.TOTAL_TIMEOUT * 1000
    assert all(0 <= outcome["milliseconds"] <= longest for outcome in delivery["outcomes"])
    assert delivery["delivered"] > delivery["created"]


def test_pending_delivery_shows_next_attempt_and_error(api, owner):
    with receive() as gone:
        wish = {"name": "a", "callback": {"url": gone.url, "method": "POST"}}
        model = api.post("/model/", wish).json()
    emit(owner, "processed", uri=model["uri"])
    run_once()

    (delivery,) = events(api, model)[0]["deliveries"]

    assert (delivery["state"], delivery["outcomes"][0]["outcome"]) == ("pending", "refused")
    assert delivery["next_attempt"] > delivery["outcomes"][0]["last"]
    assert "onnect" in delivery["error"]


def test_event_without_subscribers_is_listed_without_deliveries(api, owner):
    model = api.post("/model/", {"name": "a"}).json()
    emit(owner, "error", uri=model["uri"])

    assert [(e["type"], e["deliveries"]) for e in events(api, model)] == [("model.error", [])]


def test_events_are_listed_newest_first_and_can_be_filtered_and_sorted(api, owner):
    model = api.post("/model/", {"name": "a"}).json()
    for status in ("processing", "processed", "error"):
        emit(owner, status, uri=model["uri"])

    def found(query):
        return [event["sequence"] for event in events(api, model, query)]

    assert found("") == [3, 2, 1]
    assert found("sort=sequence") == [1, 2, 3]
    assert found("filter[type]=model.error,model.processed") == [3, 2]
    assert found("filter[sequence]<=2") == [2, 1]
    assert found("page[limit]=1") == [3]


def test_event_delivery_links_to_account_subscription(api, client_of, owner, received_callbacks):
    made = client_of("callbacks", owner).post(
        "/subscription/", {"url": received_callbacks.url, "events": ["*"]}
    )
    model = api.post("/model/", {"name": "a"}).json()
    emit(owner, "processed", uri=model["uri"])

    (event,) = events(api, model)

    assert [delivery["subscription"] for delivery in event["deliveries"]] == [made.json()["uri"]]


def test_event_history_is_hidden_from_strangers_and_open_to_administrators(
    client_of, stranger, operator, model, owner
):
    emit(owner, "processed", uri=model["uri"])
    theirs = client_of("models", stranger)

    assert theirs.get(f"{model['uri']}events/").status_code == 404
    assert theirs.post(f"{model['uri']}events/1/replay/").status_code == 404
    assert len(events(client_of("models", operator), model)[0]["deliveries"]) == 1


def test_model_reader_sees_only_their_own_deliveries(
    client_of, stranger, model, owner, received_callbacks
):
    grant = {"holder": stranger.uri, "namespace": "models", "object": model["uri"], "right": "read"}
    assert client_of("users", owner).post("/permissions/", grant).status_code == 201
    emit(owner, "processed", uri=model["uri"])
    theirs = client_of("models", stranger)

    assert events(theirs, model) == []

    callbacks.subscribe(
        uri=model["uri"], url=received_callbacks.url, method="GET", owner_id=stranger.pk
    )
    emit(owner, "error", uri=model["uri"])
    (event,) = events(theirs, model)
    assert [delivery["method"] for delivery in event["deliveries"]] == ["GET"]


def test_replay_sends_the_same_event_again(api, owner, model, received_callbacks):
    emit(owner, "processed", uri=model["uri"])
    run_once()

    answer = api.post(f"{model['uri']}events/1/replay/")

    (delivery,) = answer.json()["deliveries"]
    assert (answer.status_code, delivery["state"]) == (202, "pending")
    assert delivery["replayed"] is not None
    assert run_once() == 1
    first, again = received_callbacks.requests
    assert first.body == again.body
    assert received_callbacks.column("webhook-id") == [delivery["webhook_id"]] * 2
    assert received_callbacks.column("webhook-attempt") == ["1", "2"]
    row = Delivery.objects.get()
    assert (row.state, row.replayed_by) == ("delivered", owner)


def test_replayed_expired_delivery_gets_a_new_lifetime(api, owner, model, received_callbacks):
    emit(owner, "processed", uri=model["uri"])
    Delivery.objects.update(state="expired", since="2020-01-01T00:00Z", since_tick=-9999)
    received_callbacks.answer = lambda request: 503

    assert api.post(f"{model['uri']}events/1/replay/").status_code == 202
    assert run_once() == 1

    assert Delivery.objects.get().state == "pending"
    assert events(api, model)[0]["deliveries"][0]["next_attempt"] is not None


def test_replay_is_rejected_for_pending_delivery_and_missing_event(api, owner, model):
    emit(owner, "processed", uri=model["uri"])

    refused = api.post(f"{model['uri']}events/1/replay/")
    missing = api.post(f"{model['uri']}events/2/replay/")

    assert (refused.status_code, missing.status_code) == (409, 404)
    assert refused.json()["errors"][0]["code"] == "nothing-to-replay"


def test_replay_does_not_reach_subscribers_of_other_users(client_of, api, owner, stranger, model):
    with receive() as heard:
        callbacks.subscribe(uri=model["uri"], url=heard.url, method="POST", owner_id=stranger.pk)
        emit(owner, "processed", uri=model["uri"])
        run_once()

        api.post(f"{model['uri']}events/1/replay/")
        run_once()

        assert len(heard.requests) == 1


def test_replays_are_rate_limited(api, owner, model, monkeypatch):
    monkeypatch.setattr(history, "REPLAYS_PER_MINUTE", 1)
    emit(owner, "processed", uri=model["uri"])
    run_once()

    answers = [api.post(f"{model['uri']}events/1/replay/") for _ in range(3)]

    assert [answer.status_code for answer in answers][-1] == 429
    assert int(answers[-1]["Retry-After"]) <= 60


def test_snapshot_has_its_own_events(api, owner, model):
    row = Snapshot.objects.create(model_id=model["uri"].split("/")[-2], view={}, key="")
    emit(owner, "error", uri=row.uri)

    assert [event["type"] for event in events(api, {"uri": row.uri})] == ["snapshot.error"]
    assert api.post(f"{row.uri}events/1/replay/").status_code == 409
    assert events(api, model) == []


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("models", "/model/{uuid}/events/"),
        ("models", "/model/{model}/snapshot/{uuid}/events/{seq}/replay/"),
        ("slicing", "/slice/{uuid}/events/"),
        ("slicing", "/slice/{uuid}/events/{seq}/replay/"),
    ],
)
def test_openapi_document_lists_event_paths(client_of, host, path):
    known = json.loads(client_of(host).get("/openapi.json").content)["paths"]

    assert path in known
