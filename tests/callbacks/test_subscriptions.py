"""Subscriptions of an account: made, changed and ended over HTTP, and what they are told."""

import json

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Subscription
from tests.callbacks.conftest import receive, skip_interval, uri_of


@pytest.fixture
def api(client_of, owner):
    return client_of("callbacks", owner)


@pytest.fixture
def stranger(owner):
    return get_user_model().objects.create(username="bob", name="Bob", email="bob@receiver.example")


def slice_of(number):
    return f"http://slicing.platform.test/slice/{number}/"


def emit(owner, status, *, uri):
    callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": status})


def told(heard):
    """(uri, status) of each request, in order."""
    bodies = [json.loads(request.body) for request in heard.requests]
    return [(body["uri"], body["status"]) for body in bodies]


def test_subscription_is_returned_as_created(api, owner):
    wish = {
        "url": "https://shop.example/hook",
        "method": "PUT",
        "events": ["model.*", "slice.error"],
    }

    answer = api.post("/subscription/", wish)

    made = answer.json()
    assert (answer.status_code, answer["Location"]) == (201, made["uri"])
    assert made["uri"].startswith("http://callbacks.platform.test/subscription/")
    assert {name: made[name] for name in wish} == wish
    assert (made["enabled"], made["user_uri"]) == (True, owner.uri)
    assert api.get(made["uri"]).json() == made
    assert api.get("/subscription/").json()["resources"] == [made]


@pytest.mark.parametrize(
    ("wish", "field", "code"),
    [
        ({"events": ["*"]}, "url", "missing-parameter"),
        ({"url": "https://shop.example/"}, "events", "missing-parameter"),
        ({"url": "https://shop.example/", "events": []}, "events", "empty-payload"),
        (
            {"url": "https://shop.example/", "events": ["model.melted"]},
            "events.0",
            "property-value-not-in-allowed-values",
        ),
        (
            {"url": "http://10.0.0.1/", "events": ["*"]},
            "url",
            "property-value-not-in-allowed-values",
        ),
        (
            {"url": "https://shop.example/", "events": ["*"], "method": "DELETE"},
            "method",
            "property-value-not-in-allowed-values",
        ),
        (
            {"url": "https://shop.example/", "events": ["*"], "colour": "red"},
            "colour",
            "request-validation-error",
        ),
    ],
)
def test_invalid_subscription_is_rejected(api, wish, field, code):
    answer = api.post("/subscription/", wish)

    errors = {error["field"]: error["code"] for error in answer.json()["errors"]}
    assert (answer.status_code, errors) == (400, {field: code})
    assert Subscription.objects.count() == 0


def test_unknown_event_type_error_lists_existing_types(api):
    answer = api.post("/subscription/", {"url": "https://shop.example/", "events": ["melted"]})

    assert "model.processed" in answer.json()["errors"][0]["title"]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (["model.processed"], [(uri_of(1), "processed")]),
        (["slice.*"], [(slice_of(1), "processing"), (slice_of(1), "error")]),
        (["model.error", "slice.error"], [(uri_of(2), "error"), (slice_of(1), "error")]),
        (
            ["*"],
            [
                (slice_of(1), "processing"),
                (uri_of(1), "processed"),
                (uri_of(2), "error"),
                (slice_of(1), "error"),
            ],
        ),
    ],
)
def test_subscription_receives_only_its_event_types(
    api, owner, received_callbacks, events, expected
):
    api.post("/subscription/", {"url": received_callbacks.url, "events": events})

    emit(owner, "processing", uri=slice_of(1))
    emit(owner, "processed", uri=uri_of(1))
    emit(owner, "error", uri=uri_of(2))
    emit(owner, "error", uri=slice_of(1))
    run_once()

    assert sorted(told(received_callbacks)) == sorted(expected)


def test_subscription_and_resource_callback_both_receive_the_event(api, owner, received_callbacks):
    with receive() as own:
        api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]})
        callbacks.subscribe(uri=uri_of(1), url=own.url, method="POST", owner_id=owner.pk)
        emit(owner, "processed", uri=uri_of(1))
        run_once()

        assert told(received_callbacks) == told(own) == [(uri_of(1), "processed")]
        assert received_callbacks.requests[0].body == own.requests[0].body
        assert received_callbacks.column("webhook-id") != own.column("webhook-id")


def test_subscription_receives_no_events_of_other_accounts(api, stranger, received_callbacks):
    api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]})

    emit(stranger, "processed", uri=uri_of(1))

    assert (run_once(), received_callbacks.requests) == (0, [])


def test_subscription_delivers_each_resource_in_order_and_concurrently(
    api, owner, received_callbacks
):
    received_callbacks.answer_together(20)
    api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]})
    for status in ("processing", "processed", "error"):
        for number in range(20):
            emit(owner, status, uri=slice_of(number))

    assert run_once() == 60

    assert received_callbacks.most_at_once == 20
    for number in range(20):
        seen = [status for uri, status in told(received_callbacks) if uri == slice_of(number)]
        assert seen == ["processing", "processed", "error"]
    assert received_callbacks.column("webhook-sequence").count("2") == 20


def test_rejected_delivery_of_one_resource_does_not_block_others(api, owner, received_callbacks):
    received_callbacks.answer = lambda request: 500 if b"/1/" in request.body else 200
    api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]})
    emit(owner, "processed", uri=uri_of(1))
    emit(owner, "processed", uri=uri_of(2))

    run_once()

    states = Delivery.objects.order_by("event__uri").values_list("event__uri", "state")
    assert list(states) == [(uri_of(1), "pending"), (uri_of(2), "delivered")]


def test_disabled_subscription_receives_nothing_until_enabled(api, owner, received_callbacks):
    made = api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]}).json()
    emit(owner, "processed", uri=uri_of(1))

    assert api.put(made["uri"], {"enabled": False}).status_code == 204
    emit(owner, "processed", uri=uri_of(2))
    assert run_once() == 0
    assert Delivery.objects.get().state == "cancelled"
    api.put(made["uri"], {"enabled": True})
    emit(owner, "processed", uri=uri_of(3))
    run_once()

    assert told(received_callbacks) == [(uri_of(3), "processed")]


def test_pending_delivery_goes_to_changed_subscription_url(api, owner, received_callbacks):
    with receive() as gone:
        old = gone.url
    made = api.post("/subscription/", {"url": old, "events": ["*"]}).json()
    emit(owner, "processed", uri=uri_of(1))
    run_once()

    assert api.put(made["uri"], {"url": received_callbacks.url, "method": "PUT"}).status_code == 204
    skip_interval()
    run_once()

    assert [request.method for request in received_callbacks.requests] == ["PUT"]
    assert told(received_callbacks) == [(uri_of(1), "processed")]
    assert Delivery.objects.get().state == "delivered"


def test_deleted_subscription_receives_nothing_and_returns_404(api, owner, received_callbacks):
    made = api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]}).json()
    emit(owner, "processed", uri=uri_of(1))

    assert api.delete(made["uri"]).status_code == 204
    emit(owner, "processed", uri=uri_of(2))

    assert (run_once(), received_callbacks.requests) == (0, [])
    assert api.get(made["uri"]).status_code == 404
    assert api.get("/subscription/").json()["resources"] == []


def test_stranger_cannot_see_or_change_subscription(api, client_of, stranger, received_callbacks):
    made = api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]}).json()
    other = client_of("callbacks", stranger)

    assert other.get(made["uri"]).status_code == 404
    assert other.put(made["uri"], {"enabled": False}).status_code == 404
    assert other.delete(made["uri"]).status_code == 404
    assert other.get("/subscription/").json()["resources"] == []
    assert api.get(made["uri"]).json() == made


def test_resource_callback_is_not_listed_as_subscription(api, owner, received_callbacks):
    callbacks.subscribe(uri=uri_of(1), url=received_callbacks.url, method="POST", owner_id=owner.pk)

    assert api.get("/subscription/").json()["resources"] == []
    assert api.get(f"/subscription/{Subscription.objects.get().pk}/").status_code == 404


def test_subscriptions_per_account_are_limited(api, monkeypatch):
    monkeypatch.setitem(settings.LIMITS, "subscriptions", 2)
    wish = {"url": "https://shop.example/", "events": ["*"]}
    made = [api.post("/subscription/", wish).status_code for _ in range(2)]

    refused = api.post("/subscription/", wish)

    assert (made, refused.status_code) == ([201, 201], 409)
    (error,) = refused.json()["errors"]
    assert error["code"] == "limit-reached"
    assert error["details"] == {
        "limit": "subscriptions",
        "most": 2,
        "used": 2,
        "free_by": "deleting one of them",
    }
    assert Subscription.objects.count() == 2


def test_idempotent_retry_creates_one_subscription(api):
    wish = {"url": "https://shop.example/", "events": ["*"]}

    first, again = (
        api.post("/subscription/", wish, headers={"Idempotency-Key": "1"}) for _ in range(2)
    )

    assert first.json() == again.json()
    assert Subscription.objects.count() == 1


def test_subscriptions_are_filtered_searched_and_sorted(api):
    for name, method in (("b", "POST"), ("a", "PUT"), ("c", "PUT")):
        wish = {"url": f"https://{name}.example/", "method": method, "events": ["*"]}
        api.post("/subscription/", wish)

    def urls(query):
        return [row["url"][8] for row in api.get(f"/subscription/?{query}").json()["resources"]]

    assert urls("filter[method]=PUT&sort=url") == ["a", "c"]
    assert urls("search[url]=B.ex") == ["b"]
    assert urls("sort=-url") == ["c", "b", "a"]
    assert urls("filter[enabled]=false") == []


def test_subscription_created_on_data_host_has_callbacks_uri(client_of, owner):
    api = client_of("data", owner)

    made = api.post("/subscription/", {"url": "https://shop.example/", "events": ["*"]}).json()

    assert made["uri"].startswith("http://callbacks.platform.test/subscription/")
