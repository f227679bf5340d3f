"""What takes the password of somebody who is signed in, and what it ends: over HTTP."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from apps.users.models import ApiToken, Login, User
from tests.users.conftest import PASSWORD, PROOF


@pytest.fixture
def long_signed_in(sign_in, person):
    """Ada's browser, eleven minutes after her login."""
    client = sign_in("ada")
    Login.objects.update(created=timezone.now() - timedelta(minutes=11))
    return client


def code_of(answer) -> tuple[int, str, str | None]:
    error = answer.json()["errors"][0]
    return answer.status_code, error["code"], error.get("field")


WRONG = (403, "invalid-credentials", "password")
MISSING = (400, "missing-parameter", "password")


def test_token_creation_requires_password_ten_minutes_after_login(sign_in, long_signed_in):
    assert code_of(long_signed_in.post("/api_tokens/", {"name": "ci"})) == MISSING
    wrong = long_signed_in.post("/api_tokens/", {"name": "ci", "password": "guessed by me"})
    assert code_of(wrong) == WRONG

    assert long_signed_in.post("/api_tokens/", {"name": "ci", **PROOF}).status_code == 201
    assert sign_in("ada").post("/api_tokens/", {"name": "ci"}).status_code == 201


def test_own_account_deletion_requires_password_ten_minutes_after_login(long_signed_in, person):
    assert code_of(long_signed_in.delete(person.uri)) == MISSING
    assert code_of(long_signed_in.delete(person.uri, {"password": "guessed by me"})) == WRONG
    assert long_signed_in.delete(person.uri, PROOF).status_code == 204


def test_account_deletion_skips_password_after_recent_login_or_as_admin(sign_in, root, stranger):
    other = User.objects.create_user("eve", "eve@example.com", PASSWORD, name="Eve")

    assert sign_in("bob").delete(stranger.uri).status_code == 204
    assert root.delete(other.uri).status_code == 204


def test_administrator_creates_tokens_for_platform_services_only(
    root, ada, operator, stranger, with_token
):
    service = User.objects.create_user("robot", "robot@example.com", is_platform_service=True)

    made = root.post("/api_tokens/", {"name": "scan", "user_uri": service.uri})

    assert made.status_code == 201
    assert made.json()["user_uri"] == service.uri
    assert with_token(made.json()).get("/sessions/").json()["username"] == "robot"
    refused = (400, "resource-not-found", "user_uri")
    assert code_of(root.post("/api_tokens/", {"user_uri": stranger.uri})) == refused
    assert code_of(ada.post("/api_tokens/", {"user_uri": service.uri})) == refused
    assert root.delete(made.json()["uri"]).status_code == 204


def test_past_token_expiry_is_rejected_unless_put_back_unchanged(sign_in, person):
    client = sign_in("ada")
    past = (timezone.now() - timedelta(minutes=1)).isoformat()
    expired = ApiToken.objects.create(user=person, secret_sha256=bytes(32), expires=past)

    refused = client.post("/api_tokens/", {"expires": past})

    assert code_of(refused) == (400, "property-value-not-in-allowed-values", "expires")
    read = client.get(expired.uri).json()
    assert client.put(expired.uri, {**read, "name": "old"}).status_code == 204
    assert client.put(expired.uri, {"expires": "2020-01-01T00:00:00Z"}).status_code == 400


@pytest.mark.parametrize(("ends", "left"), [({}, 1), ({"end_tokens": True}, 0)])
def test_password_change_ends_other_sessions_and_optionally_all_tokens(sign_in, person, ends, left):
    client, elsewhere = sign_in("ada"), sign_in("ada")
    client.post("/api_tokens/", {"name": "ci"})
    change = {"password": "quite another phrase", "current_password": PASSWORD, **ends}

    assert client.put(person.uri, change).status_code == 204

    assert client.get("/sessions/").status_code == 200
    assert elsewhere.get("/sessions/").status_code == 401
    assert ApiToken.objects.count() == left


@pytest.mark.parametrize(("ends", "left"), [({}, 1), ({"end_tokens": True}, 0)])
def test_password_reset_ends_all_sessions_and_optionally_all_tokens(
    sign_in, client_of, person, run_jobs, ends, left
):
    client, anonymous = sign_in("ada"), client_of("users")
    client.post("/api_tokens/", {"name": "ci"})
    anonymous.post("/password-resets/", {"username": "ada"})
    run_jobs()
    path = mail.outbox[0].body.split("http://users.platform.test")[1].split()[0]

    assert anonymous.put(path, {"password": "quite another phrase", **ends}).status_code == 204

    assert client.get("/sessions/").status_code == 401
    assert ApiToken.objects.count() == left


def test_end_tokens_without_new_password_is_rejected(sign_in, person):
    answer = sign_in("ada").put(person.uri, {"end_tokens": True})

    assert code_of(answer) == MISSING


# ---------------------------------------------------------------- terms of service


def test_terms_of_service_acceptance_is_stored_and_shown(sign_in, person):
    client = sign_in("ada")

    assert client.put(person.uri, {"tos": True}).status_code == 204

    for read in (client.get(person.uri).json(), client.get("/sessions/").json()):
        assert read["tos"] is True
        assert read["tos_accepted"] == User.objects.get().tos_accepted.isoformat()
    assert client.put(person.uri, read).status_code == 204
    assert client.get(person.uri).json() == read
    client.put(person.uri, {"tos": False})
    assert client.get("/sessions/").json()["tos_accepted"] is None


# ---------------------------------------------------------------- the window of a browser


@pytest.mark.parametrize(
    ("headers", "scheme"),
    [
        ({}, 'Basic realm="API token", charset="UTF-8"'),
        ({"Origin": "http://platform.test"}, "Session"),
        ({"Origin": "null"}, "Session"),
        ({"Sec-Fetch-Mode": "cors"}, "Session"),
        ({"Sec-Fetch-Site": "none"}, "Session"),
    ],
)
@pytest.mark.parametrize("host", ["users", "erp", "data"])
def test_browser_request_gets_no_basic_auth_challenge(client_of, db, host, headers, scheme):
    path = "/users/" if host == "users" else "/order/"
    stale = {**headers, "Authorization": "Basic bm90OmE="}

    answers = [client_of(host).get(path, headers=sent) for sent in (headers, stale)]

    assert [answer.status_code for answer in answers] == [401, 401]
    assert [answer["WWW-Authenticate"] for answer in answers] == [scheme, scheme]
