"""Sinks: a URL of ours that takes any request, callbacks among them, and shows it to its owner."""

import json
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Sink, SunkRequest
from tests.callbacks.conftest import skip_interval


@pytest.fixture
def api(client_of, owner):
    return client_of("callbacks", owner)


@pytest.fixture
def anybody():
    """A client that brings nothing."""
    return Client(SERVER_NAME="callbacks.platform.test")


@pytest.fixture
def sink(api):
    return api.post("/callback-sink/").json()


def path_of(sink):
    return sink["url"].removeprefix("http://callbacks.platform.test")


def requests(api, sink):
    return api.get(sink["uri"]).json()["requests"]


def test_sink_has_unguessable_url_valid_for_one_day(api, sink):
    assert sink["url"].startswith("http://callbacks.platform.test/sink/")
    assert len(path_of(sink)) == len("/sink//") + 43
    assert sink["requests"] == []
    lifetime = Sink.objects.get().expires - Sink.objects.get().created
    assert timedelta(hours=23.9) < lifetime < timedelta(hours=24.1)
    assert api.get(sink["uri"]).json() == sink
    assert api.get("/callback-sink/").json()["resources"] == [sink]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "REPORT"])
def test_sink_accepts_any_method_without_authentication(api, anybody, sink, method):
    answer = anybody.generic(
        method, path_of(sink) + "?a=1&a=%20", b"\x00 \xff hi", "text/x", headers={"X-Order": "17"}
    )

    assert (answer.status_code, answer.content) == (200, b"")
    (kept,) = requests(api, sink)
    assert (kept["method"], kept["query"]) == (method, "a=1&a=%20")
    assert (kept["body"], kept["size"]) == ("\0 \ufffd hi", 6)
    assert (kept["headers"]["x-order"], kept["headers"]["content-type"]) == ("17", "text/x")


def test_sink_does_not_store_credentials(api, anybody, sink):
    anybody.cookies["session"] = "secret"
    anybody.get(path_of(sink), headers={"Authorization": "Basic c2VjcmV0", "X-A": "b"})

    (kept,) = requests(api, sink)
    assert kept["headers"]["x-a"] == "b"
    assert not {"cookie", "authorization"} & kept["headers"].keys()
    assert "secret" not in json.dumps(kept)


def test_sink_keeps_newest_requests_with_truncated_bodies(api, anybody, sink):
    for number in range(53):
        anybody.post(path_of(sink) + f"?{number}", b"x" * 5000, "text/plain")
    anybody.get(path_of(sink), headers={"X-Long": "y" * 5000})

    kept = requests(api, sink)
    assert [request["query"] for request in kept] == [*(str(n) for n in range(4, 53)), None]
    assert (len(kept[0]["body"]), kept[0]["size"]) == (4096, 5000)
    assert "x-long" not in kept[-1]["headers"]


def test_callback_to_sink_is_delivered_without_network_access(api, client_of, sink, settings):
    settings.OUTBOUND_ALLOW = []
    models = client_of("models", api.signed_in)
    wish = {"name": "a", "callback": {"url": sink["url"] + "?order=17", "method": "GET"}}
    made = models.post("/model/", wish)
    api.post("/subscription/", {"url": sink["url"], "method": "PUT", "events": ["*"]})

    models.delete(made.json()["uri"])  # tells nothing
    emit_error(api.signed_in, made.json()["uri"])

    assert (made.status_code, run_once()) == (201, 2)
    by_method = {request["method"]: request for request in requests(api, sink)}
    assert set(by_method) == {"GET", "PUT"}
    assert by_method["GET"]["query"].startswith("order=17&uri=http%3A%2F%2Fmodels.")
    told = by_method["PUT"]
    assert json.loads(told["body"]) == {"uri": made.json()["uri"], "status": "error"}
    assert told["headers"]["content-type"] == "application/json"
    assert told["headers"]["host"] == "callbacks.platform.test"
    assert told["headers"]["webhook-signature"].startswith("v1,")
    assert set(Delivery.objects.values_list("state", flat=True)) == {"delivered"}


def emit_error(owner, uri):
    callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": "error"})


def test_callback_to_expired_sink_stays_pending_and_is_retried(api, sink):
    api.post("/subscription/", {"url": sink["url"], "events": ["*"]})
    Sink.objects.update(expires=timezone.now())
    emit_error(api.signed_in, "http://models.platform.test/model/1/")

    run_once()
    skip_interval()
    run_once()

    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.last_outcome, delivery.tries) == ("pending", "404", 2)
    assert api.get(sink["uri"]).status_code == 404


@pytest.mark.parametrize(
    "url",
    [
        "http://callbacks.platform.test/callback-sink/",
        "http://callbacks.platform.test/sink/short/",
        "http://callbacks.platform.test/sink/",
        "http://models.platform.test/sink/{token}/",
        "http://callbacks.platform.test:8000/sink/{token}/",
        "http://ada:secret@callbacks.platform.test/sink/{token}/",
        "http://callbacks.platform.test/sink/{token}/../../subscription/",
        "http://callbacks.platform.test/sink/{token}/?a\tb",
        "http://callbacks.platform.test/x/../sink/{token}/",
    ],
)
def test_subscription_to_own_host_is_rejected_except_exact_sink_url(api, sink, url):
    wish = {"url": url.format(token=path_of(sink).split("/")[2]), "events": ["*"]}

    assert api.post("/subscription/", wish).status_code == 400


def test_sink_is_accessible_only_to_its_owner(api, anybody, client_of, owner, sink):
    bob = get_user_model().objects.create(username="bob", name="B", email="bob@receiver.example")
    theirs = client_of("callbacks", bob)

    assert theirs.get(sink["uri"]).status_code == 404
    assert theirs.delete(sink["uri"]).status_code == 404
    assert theirs.get("/callback-sink/").json()["resources"] == []
    assert anybody.get(sink["uri"]).status_code == 401


def test_deleted_sink_accepts_no_requests(api, anybody, sink):
    anybody.get(path_of(sink))

    assert api.delete(sink["uri"]).status_code == 204
    assert anybody.get(path_of(sink)).status_code == 404
    assert anybody.get(f"/sink/{'x' * 43}/").status_code == 404
    assert SunkRequest.objects.count() == 0


def test_sinks_per_account_are_limited(api, monkeypatch):
    monkeypatch.setitem(settings.LIMITS, "sinks", 2)
    made = [api.post("/callback-sink/").status_code for _ in range(2)]

    refused = api.post("/callback-sink/")

    assert (made, refused.status_code) == ([201, 201], 409)
    (error,) = refused.json()["errors"]
    assert error["code"] == "limit-reached"
    assert error["details"] == {
        "limit": "sinks",
        "most": 2,
        "used": 2,
        "free_by": "deleting one of them",
    }
