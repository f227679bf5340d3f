"""The platform is no weapon: what a callback cannot be made to reach, and how many there can be."""

import socket
from ipaddress import ip_network

import pytest
from django.conf import settings

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Subscription
from core.outbound import http
from tests.callbacks.conftest import URI, receive, skip_interval, uri_of


@pytest.fixture
def names(monkeypatch):
    """`names("a", "b")`: what the system's resolver says of any name, one address a look-up."""
    asked = []

    def know(*addresses):
        answers = iter(addresses)

        def lookup(host, port, *_):
            asked.append(host)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

        # The resolver took hold of the system's function when it was defined.
        monkeypatch.setattr(http.ThreadResolver.__init__, "__defaults__", (lookup,))
        return asked

    return know


def emit(owner, status="processed", uri=URI):
    callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": status})


def subscribe(owner, url, uri=URI):
    callbacks.subscribe(uri=uri, url=url, method="POST", owner_id=owner.pk)


def test_dns_rebinding_between_delivery_attempts_is_blocked(
    owner, received_callbacks, names, settings
):
    settings.OUTBOUND_ALLOW = [ip_network("127.0.0.1/32")]
    received_callbacks.answer = lambda request: 500
    asked = names("127.0.0.1", "127.0.0.2", "10.0.0.1", "169.254.169.254", "127.0.0.1")
    with receive(received_callbacks.port, host="127.0.0.2") as inside:
        subscribe(owner, f"http://rebinding.example:{received_callbacks.port}/hook")
        emit(owner)
        outcomes = []
        for _ in range(5):
            run_once()
            outcomes.append(Delivery.objects.get().last_outcome)
            skip_interval()

        assert outcomes == ["500", "blocked", "blocked", "blocked", "500"]
        assert (len(asked), len(received_callbacks.requests), inside.requests) == (5, 2, [])


def test_redirect_to_internal_address_is_not_followed(owner, received_callbacks, settings):
    settings.OUTBOUND_ALLOW = [ip_network("127.0.0.1/32")]
    received_callbacks.answer = lambda request: 307
    received_callbacks.location = f"http://127.0.0.2:{received_callbacks.port}/inside"
    with receive(received_callbacks.port, host="127.0.0.2") as inside:
        subscribe(owner, received_callbacks.url)
        emit(owner)

        assert run_once() == 1
        assert inside.requests == []
    assert Delivery.objects.get().last_outcome == "307"


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:10.0.0.1]/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://0177.1/",
        "http://users.platform.test/users/",
        "http://admin.platform.test./",
        "http://files.PLATFORM.test/",
        "http://receiver.example:25/",
        "http://receiver.example:6379/",
        "http://me:secret@receiver.example/",
        "gopher://receiver.example/",
        "http://receiver.example\\@10.0.0.1/",
        "http://receiver.example/\r\nX-A: b",
    ],
)
def test_forbidden_callback_url_is_rejected_on_creation(client_of, owner, settings, url):
    settings.OUTBOUND_ALLOW = []
    wishes = {
        "models": ("/model/", {"name": "a", "callback": {"url": url, "method": "POST"}}),
        "callbacks": ("/subscription/", {"url": url, "events": ["*"]}),
    }

    for host, (path, wish) in wishes.items():
        answer = client_of(host, owner).post(path, wish)
        assert answer.status_code == 400, answer.content
        assert answer.json()["errors"][0]["field"].endswith("url")
    assert Subscription.objects.count() == 0


def test_new_callbacks_are_rejected_while_pending_limit_is_reached(
    client_of, owner, received_callbacks, monkeypatch
):
    monkeypatch.setitem(settings.LIMITS, "callbacks", 3)
    models, own = client_of("models", owner), client_of("callbacks", owner)
    wish = {"name": "a", "callback": {"url": received_callbacks.url, "method": "POST"}}
    received_callbacks.answer = lambda request: 500
    for number in range(3):
        subscribe(owner, received_callbacks.url, uri_of(number))
        emit(owner, uri=uri_of(number))

    refused = models.post("/model/", wish)
    also = own.post("/subscription/", {"url": received_callbacks.url, "events": ["*"]})
    without = models.post("/model/", {"name": "a"})

    assert (refused.status_code, also.status_code, without.status_code) == (429, 429, 201)
    (error,) = refused.json()["errors"]
    assert error["code"] == "rate-limited"
    assert error["details"] == {"limit": "callbacks", "most": 3, "used": 3}
    assert refused["Retry-After"] == "60"
    received_callbacks.answer = lambda request: 200
    run_once()
    assert models.post("/model/", wish).status_code == 201


def test_pending_limit_ignores_deliveries_of_other_accounts(
    client_of, owner, stranger, received_callbacks, monkeypatch
):
    monkeypatch.setitem(settings.LIMITS, "callbacks", 1)
    subscribe(owner, received_callbacks.url)
    emit(owner)

    wish = {"url": received_callbacks.url, "events": ["*"]}
    assert client_of("callbacks", stranger).post("/subscription/", wish).status_code == 201
