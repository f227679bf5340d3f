"""API tokens, over HTTP."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.users.models import ApiToken, AuditEvent, User
from apps.warehouse.models import Model
from tests.users.conftest import PASSWORD


@pytest.fixture
def users(sign_in, person):
    return sign_in("ada")


def test_token_authenticates_requests_on_every_host(users, with_token, person):
    token = users.post("/api_tokens/", {"name": "ci"}).json()

    assert token["user_uri"] == person.uri
    for host, path in (("models", "/model/"), ("slicing", "/slice/"), ("data", "/model/")):
        assert with_token(token, host).get(path).status_code == 200
    assert with_token(token).get("/sessions/").json()["username"] == "ada"


def test_token_secret_is_shown_once_and_not_stored(users):
    token = users.post("/api_tokens/", {"name": "ci"}).json()

    assert len(token["secret"]) >= 43
    assert users.get(token["uri"]).json() == {**token, "secret": None}
    stored = ApiToken.objects.get()
    assert token["secret"] not in str(vars(stored))


def test_token_creation_ignores_idempotency_key(users):
    headers = {"Idempotency-Key": "k"}

    first = users.post("/api_tokens/", {"name": "ci"}, headers=headers).json()
    second = users.post("/api_tokens/", {"name": "ci"}, headers=headers).json()

    assert first["secret"] != second["secret"]


def test_tokens_per_user_are_limited(users, settings):
    settings.LIMITS = {**settings.LIMITS, "tokens": 2}
    first, _, third = (users.post("/api_tokens/", {"name": name}) for name in "abc")

    assert third.status_code == 409
    (error,) = third.json()["errors"]
    assert error["code"] == "limit-reached"
    assert error["details"] == {
        "limit": "tokens",
        "most": 2,
        "used": 2,
        "free_by": "revoking one of them",
    }
    users.delete(first.json()["uri"])
    assert users.post("/api_tokens/", {"name": "d"}).status_code == 201


def test_revoked_and_expired_tokens_are_rejected(users, with_token):
    revoked = users.post("/api_tokens/", {"name": "a"}).json()
    expired = users.post("/api_tokens/", {"name": "b"}).json()
    past = timezone.now() - timedelta(minutes=1)
    ApiToken.objects.filter(pk=expired["uuid"]).update(expires=past)

    assert users.delete(revoked["uri"]).status_code == 204

    for token in (revoked, expired):
        answer = with_token(token, "models").get("/model/")
        assert answer.status_code == 401
        assert answer.json()["errors"][0]["code"] == "invalid-credentials"


def test_token_last_use_is_updated_once_a_minute(users, with_token):
    token = users.post("/api_tokens/", {"name": "ci"}).json()
    client = with_token(token, "models")

    client.get("/model/")
    first = ApiToken.objects.get().last_used
    client.get("/model/")

    assert first is not None
    assert ApiToken.objects.get().last_used == first
    ApiToken.objects.update(last_used=first - timedelta(seconds=61))
    client.get("/model/")
    assert ApiToken.objects.get().last_used >= first


def test_stranger_cannot_see_or_revoke_token(users, client_of, stranger):
    token = users.post("/api_tokens/", {"name": "ci"}).json()
    other = client_of("users", stranger)

    assert other.get(token["uri"]).status_code == 404
    assert other.delete(token["uri"]).status_code == 404
    assert other.get("/api_tokens/").json()["resources"] == []
    assert ApiToken.objects.count() == 1


def test_read_only_token_cannot_write(users, with_token):
    token = users.post("/api_tokens/", {"read_only": True}).json()
    client = with_token(token, "models")

    answer = client.post("/model/", {"name": "part"})

    assert client.get("/model/").status_code == 200
    assert answer.status_code == 403
    (error,) = answer.json()["errors"]
    assert error["code"] == "Unauthorized"
    assert "read_only" in error["title"]
    assert Model.objects.count() == 0
    assert with_token(token).delete(token["uri"]).status_code == 403
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize(
    ("host", "path", "status"),
    [
        ("models", "/model/", 200),
        ("data", "/model/", 200),
        ("users", "/users/", 403),
        ("slicing", "/slice/", 403),
        ("quickslice", "/slice/", 403),
        ("data", "/slice/", 403),
        ("data", "/sessions/", 403),
        ("data", "/api_tokens/", 403),
    ],
)
def test_token_for_one_service_is_rejected_by_other_services(users, with_token, host, path, status):
    token = users.post("/api_tokens/", {"namespaces": ["models"]}).json()

    answer = with_token(token, host).get(path)

    assert answer.status_code == status
    if status == 403:
        (error,) = answer.json()["errors"]
        assert error["code"] == "Unauthorized"
        assert "models (namespaces)" in error["title"]


def test_token_restrictions_are_shown_and_cannot_be_removed(users):
    token = users.post("/api_tokens/", {"namespaces": ["models"], "read_only": True}).json()

    lifted = users.put(token["uri"], {"namespaces": None})
    writing = users.put(token["uri"], {"read_only": False})

    assert (token["namespaces"], token["read_only"]) == (["models"], True)
    assert (lifted.status_code, writing.status_code) == (400, 400)
    assert lifted.json()["errors"][0]["code"] == "cannot-set-property"
    assert users.put(token["uri"], users.get(token["uri"]).json()).status_code == 204
    stored = ApiToken.objects.get()
    assert (stored.namespaces, stored.read_only) == (["models"], True)


@pytest.mark.parametrize("namespaces", [[], ["nothing"], "models", [["models"]]])
def test_token_with_unknown_namespace_is_rejected(users, namespaces):
    assert users.post("/api_tokens/", {"namespaces": namespaces}).status_code == 400
    assert ApiToken.objects.count() == 0


def test_token_cannot_create_tokens_or_extend_itself_but_can_revoke_itself(users, with_token):
    token = users.post("/api_tokens/", {"name": "ci"}).json()
    client = with_token(token)

    made = client.post("/api_tokens/", {"name": "more"})
    prolonged = client.put(token["uri"], {"expires": None})

    assert (made.status_code, prolonged.status_code) == (403, 403)
    assert made.json()["errors"][0]["code"] == "Unauthorized"
    assert ApiToken.objects.count() == 1
    assert client.delete(token["uri"]).status_code == 204
    assert str(AuditEvent.objects.latest("uuid").token) == token["uuid"]


def test_token_cannot_delete_its_owner(users, with_token, person):
    client = with_token(users.post("/api_tokens/", {"name": "ci"}).json())

    assert client.delete(person.uri).status_code == 403

    person.refresh_from_db()
    assert (person.is_active, person.username) == (True, "ada")


def test_token_creation_and_revocation_are_audited(users, with_token, person):
    token = users.post("/api_tokens/", {"read_only": True}).json()
    users.delete(token["uri"])

    made, revoked = AuditEvent.objects.filter(action__startswith="api-token").order_by("uuid")

    assert (made.action, made.actor, made.on) == ("api-token.made", person, token["uri"])
    assert made.after == {"namespaces": None, "read_only": True}
    assert (revoked.action, revoked.on) == ("api-token.revoked", token["uri"])


def test_make_service_creates_platform_service_with_token_only(db, client_of, with_token, capsys):
    call_command("create_service_account", "billing")
    uuid, _, secret = capsys.readouterr().out.strip().partition(":")

    client = with_token({"uuid": uuid, "secret": secret})
    service = User.objects.get()

    assert client.get("/sessions/").json()["username"] == "billing"
    assert (service.is_platform_service, service.is_staff) == (True, False)
    assert service.has_usable_password() is False
    call_command("create_service_account", "billing")
    assert (User.objects.count(), ApiToken.objects.count()) == (1, 2)


def test_make_service_rejects_existing_user(person):
    with pytest.raises(CommandError, match="ada"):
        call_command("create_service_account", "ada")

    person.refresh_from_db()
    assert (person.is_platform_service, person.check_password(PASSWORD)) == (False, True)
    assert ApiToken.objects.count() == 0
