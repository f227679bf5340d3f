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


def test_a_subscription_comes_back_as_it_was_made(api, owner):
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
def test_what_could_never_be_told_is_refused(api, wish, field, code):
    answer = api.post("/subscription/", wish)

    errors = {error["field"]: error["code"] for error in answer.json()["errors"]}
    assert (answer.status_code, errors) == (400, {field: code})
    assert Subscription.objects.count() == 0


def test_an_unknown_type_is_answered_with_those_that_exist(api):
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
def test_events_of_the_types_asked_for_are_told(api, owner, received_callbacks, events, expected):
    api.post("/subscription/", {"url": received_callbacks.url, "events": events})

    emit(owner, "processing", uri=slice_of(1))
    emit(owner, "processed", uri=uri_of(1))
    emit(owner, "error", uri=uri_of(2))
    emit(owner, "error", uri=slice_of(1))
    run_once()

    assert sorted(told(received_callbacks)) == sorted(expected)


def test_it_is_told_beside_the_callback_of_a_resource(api, owner, received_callbacks):
    with receive() as own:
        api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]})
        callbacks.subscribe(uri=uri_of(1), url=own.url, method="POST", owner_id=owner.pk)
        emit(owner, "processed", uri=uri_of(1))
        run_once()

        assert told(received_callbacks) == told(own) == [(uri_of(1), "processed")]
        assert received_callbacks.requests[0].body == own.requests[0].body
        assert received_callbacks.column("webhook-id") != own.column("webhook-id")


def test_what_happens_to_others_is_not_told(api, stranger, received_callbacks):
    api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]})

    emit(stranger, "processed", uri=uri_of(1))

    assert (run_once(), received_callbacks.requests) == (0, [])


def test_each_resource_is_told_in_order_and_waits_for_no_other(api, owner, received_callbacks):
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


def test_a_refused_event_of_one_resource_holds_back_no_other(api, owner, received_callbacks):
    received_callbacks.answer = lambda request: 500 if b"/1/" in request.body else 200
    api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]})
    emit(owner, "processed", uri=uri_of(1))
    emit(owner, "processed", uri=uri_of(2))

    run_once()

    states = Delivery.objects.order_by("event__uri").values_list("event__uri", "state")
    assert list(states) == [(uri_of(1), "pending"), (uri_of(2), "delivered")]


def test_a_disabled_one_is_told_nothing_until_it_is_enabled(api, owner, received_callbacks):
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


def test_with_a_new_url_what_waits_goes_there(api, owner, received_callbacks):
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


def test_a_deleted_one_is_gone_and_told_nothing_more(api, owner, received_callbacks):
    made = api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]}).json()
    emit(owner, "processed", uri=uri_of(1))

    assert api.delete(made["uri"]).status_code == 204
    emit(owner, "processed", uri=uri_of(2))

    assert (run_once(), received_callbacks.requests) == (0, [])
    assert api.get(made["uri"]).status_code == 404
    assert api.get("/subscription/").json()["resources"] == []


def test_strangers_neither_see_nor_change_it(api, client_of, stranger, received_callbacks):
    made = api.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]}).json()
    other = client_of("callbacks", stranger)

    assert other.get(made["uri"]).status_code == 404
    assert other.put(made["uri"], {"enabled": False}).status_code == 404
    assert other.delete(made["uri"]).status_code == 404
    assert other.get("/subscription/").json()["resources"] == []
    assert api.get(made["uri"]).json() == made


def test_the_callback_of_a_resource_is_no_subscription_of_the_account(
    api, owner, received_callbacks
):
    callbacks.subscribe(uri=uri_of(1), url=received_callbacks.url, method="POST", owner_id=owner.pk)

    assert api.get("/subscription/").json()["resources"] == []
    assert api.get(f"/subscription/{Subscription.objects.get().pk}/").status_code == 404


def test_an_account_has_a_bounded_number_of_them(api, monkeypatch):
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


def test_the_same_wish_with_one_key_makes_one(api):
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


def test_on_the_common_host_it_has_the_same_uri(client_of, owner):
    api = client_of("data", owner)

    made = api.post("/subscription/", {"url": "https://shop.example/", "events": ["*"]}).json()

    assert made["uri"].startswith("http://callbacks.platform.test/subscription/")
