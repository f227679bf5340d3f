"""Signing secrets: verified as receivers do, replaced without a gap, shown to their owner alone."""

import base64
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone
from standardwebhooks import Webhook, WebhookVerificationError

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import WebhookSecret
from apps.users.services.tokens import make_token
from tests.callbacks.conftest import URI


@pytest.fixture
def api(client_of, owner):
    return client_of("callbacks", owner)


@pytest.fixture
def delivered_request(owner, received_callbacks):
    """`told(method)`: make a change, and return the one request that tells it."""

    def tell(method="POST"):
        callbacks.subscribe(
            uri=f"{URI}{len(received_callbacks.requests)}/",
            url=received_callbacks.url,
            method=method,
            owner_id=owner.pk,
        )
        callbacks.emit(
            uri=f"{URI}{len(received_callbacks.requests)}/",
            owner_id=owner.pk,
            changes={"status": "processed", "analyses.manifold": True, "name": "a b&ü"},
        )
        run_once()
        return received_callbacks.requests[-1]

    return tell


def payload_of(request):
    """What is signed: the body, or with GET the query."""
    return request.body.decode() or urlsplit(request.target).query


def genuine(secret, request, payload=None):
    """Whether the library of Standard Webhooks takes the request for ours."""
    headers = dict(request.headers)
    try:
        Webhook(secret).verify(payload or payload_of(request), headers, json_parse=False)
    except WebhookVerificationError:
        return False
    return True


@pytest.mark.parametrize("method", ["POST", "PUT", "GET"])
def test_standard_webhooks_library_verifies_callback_signature(api, delivered_request, method):
    request = delivered_request(method)

    (known,) = api.get("/webhook-secret/").json()["resources"]
    assert len(base64.b64decode(known["secret"].removeprefix("whsec_"))) == 32
    assert genuine(known["secret"], request)
    assert not genuine(known["secret"], request, payload_of(request).replace("true", "false"))
    assert not genuine("whsec_" + base64.b64encode(bytes(32)).decode(), request)


def test_signing_secret_can_be_created_before_the_first_callback(api, delivered_request):
    answer = api.post("/webhook-secret/")

    assert answer.status_code == 201
    assert answer["Location"] == answer.json()["uri"]
    assert answer.json()["expires"] is None
    assert genuine(answer.json()["secret"], delivered_request())


def test_both_secrets_sign_during_rotation(api, delivered_request):
    delivered_request()
    old = api.get("/webhook-secret/").json()["resources"][0]

    new = api.post("/webhook-secret/").json()
    request = delivered_request()

    assert new["secret"] != old["secret"]
    assert len(request.headers["webhook-signature"].split()) == 2
    assert genuine(old["secret"], request)
    assert genuine(new["secret"], request)
    listed = api.get("/webhook-secret/").json()["resources"]
    assert [secret["uri"] for secret in listed] == [new["uri"], old["uri"]]
    leaving = WebhookSecret.objects.exclude(expires=None).get().expires - timezone.now()
    assert timedelta(hours=23, minutes=59) < leaving <= timedelta(hours=24)


def test_former_secret_stops_signing_when_it_expires(api, delivered_request):
    old = api.post("/webhook-secret/").json()
    new = api.post("/webhook-secret/").json()
    WebhookSecret.objects.exclude(expires=None).update(expires=timezone.now())

    request = delivered_request()

    assert genuine(new["secret"], request)
    assert not genuine(old["secret"], request)
    assert api.get(old["uri"]).status_code == 404
    assert api.post("/webhook-secret/").status_code == 201
    assert WebhookSecret.objects.count() == 2


def test_secret_rotation_is_rejected_while_former_secret_is_valid(api):
    old = api.post("/webhook-secret/").json()
    api.post("/webhook-secret/")

    refused = api.post("/webhook-secret/")

    assert refused.status_code == 409
    (error,) = refused.json()["errors"]
    assert (error["code"], error["details"]) == ("rotation-under-way", {"former": old["uri"]})
    assert api.delete(old["uri"]).status_code == 204
    assert api.post("/webhook-secret/").status_code == 201


def test_current_signing_secret_cannot_be_deleted(api):
    current = api.post("/webhook-secret/").json()

    refused = api.delete(current["uri"])

    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "secret-in-use")
    assert api.get(current["uri"]).json() == current


def test_signing_secret_is_visible_only_to_its_owner(api, client_of):
    other = get_user_model().objects.create_superuser("root", "root@receiver.example", "pass word")
    secret = api.post("/webhook-secret/").json()
    stranger = client_of("callbacks", other)

    assert stranger.get(secret["uri"]).status_code == 404
    assert stranger.delete(secret["uri"]).status_code == 404
    assert stranger.get("/webhook-secret/").json()["resources"] == []
    assert stranger.post("/webhook-secret/").json()["secret"] != secret["secret"]


def test_read_only_token_cannot_read_signing_secret(api, client_of, owner):
    api.post("/webhook-secret/")
    token = make_token(user=owner, actor=owner, name="dashboard", read_only=True)
    pair = base64.b64encode(f"{token.uuid}:{token.secret}".encode()).decode()

    reader = client_of("callbacks", HTTP_AUTHORIZATION=f"Basic {pair}")

    (listed,) = reader.get("/webhook-secret/").json()["resources"]
    assert listed["secret"] is None
