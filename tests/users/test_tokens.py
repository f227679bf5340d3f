"""API tokens, over HTTP."""

import base64
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.users.models import ApiToken


@pytest.fixture
def users(client_of, person):
    return client_of("users", person)


def basic(token: dict) -> dict[str, str]:
    pair = f"{token['uuid']}:{token['secret']}"
    return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


def test_a_token_signs_requests_on_every_host(users, client_of, person):
    token = users.post("/api_tokens/", {"name": "ci"}).json()

    assert token["user_uri"] == person.uri
    for host, path in (("models", "/model/"), ("slicing", "/slice/"), ("data", "/model/")):
        assert client_of(host).get(path, headers=basic(token)).status_code == 200
    me = client_of("users").get("/sessions/", headers=basic(token)).json()
    assert me["username"] == "ada"


def test_the_secret_is_shown_once_and_not_stored(users):
    token = users.post("/api_tokens/", {"name": "ci"}).json()

    assert len(token["secret"]) >= 43
    assert users.get(token["uri"]).json() == {**token, "secret": None}
    stored = ApiToken.objects.get()
    assert token["secret"] not in str(vars(stored))


def test_a_token_is_not_answered_again_to_a_repeat(users):
    headers = {"Idempotency-Key": "k"}

    first = users.post("/api_tokens/", {"name": "ci"}, headers=headers).json()
    second = users.post("/api_tokens/", {"name": "ci"}, headers=headers).json()

    assert first["secret"] != second["secret"]


def test_a_revoked_and_an_expired_token_sign_nothing(users, client_of):
    revoked = users.post("/api_tokens/", {"name": "a"}).json()
    past = (timezone.now() - timedelta(minutes=1)).isoformat()
    expired = users.post("/api_tokens/", {"name": "b", "expires": past}).json()

    assert users.delete(revoked["uri"]).status_code == 204

    for token in (revoked, expired):
        answer = client_of("models").get("/model/", headers=basic(token))
        assert answer.status_code == 401
        assert answer.json()["errors"][0]["code"] == "invalid-credentials"


def test_the_last_use_is_noted(users, client_of):
    token = users.post("/api_tokens/", {"name": "ci"}).json()

    client_of("models").get("/model/", headers=basic(token))

    assert users.get(token["uri"]).json()["last_used"] is not None


def test_a_stranger_neither_sees_nor_revokes_a_token(users, client_of, stranger):
    token = users.post("/api_tokens/", {"name": "ci"}).json()
    other = client_of("users", stranger)

    assert other.get(token["uri"]).status_code == 404
    assert other.delete(token["uri"]).status_code == 404
    assert other.get("/api_tokens/").json()["resources"] == []
    assert ApiToken.objects.count() == 1
