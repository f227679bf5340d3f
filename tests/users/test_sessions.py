"""Sessions, over HTTP: their cookie, their list, their end."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from apps.users.models import AuditEvent, Login
from tests.users.conftest import PASSWORD


def age(seconds: float) -> None:
    """Make every login look so much older."""
    for login in Login.objects.all():
        Login.objects.filter(pk=login.pk).update(
            created=login.created - timedelta(seconds=seconds),
            last_used=login.last_used - timedelta(seconds=seconds),
        )


def test_session_list_shows_address_user_agent_and_current_session(sign_in, person, stranger):
    phone = sign_in("ada", REMOTE_ADDR="192.0.2.1", HTTP_USER_AGENT="Phone")
    laptop = sign_in("ada", REMOTE_ADDR="192.0.2.2", HTTP_USER_AGENT="Laptop")
    sign_in("bob")

    resources = laptop.get("/sessions/all/").json()["resources"]

    assert [(one["address"], one["user_agent"], one["current"]) for one in resources] == [
        ("192.0.2.2", "Laptop", True),
        ("192.0.2.1", "Phone", False),
    ]
    assert set(resources[0]) == {
        "uri", "uuid", "current", "address", "user_agent", "created", "last_used",
    }  # fmt: skip
    assert laptop.get(resources[1]["uri"]).json() == resources[1]
    assert phone.cookies["session"].value not in str(resources)


def test_session_can_be_ended_from_another_session(sign_in, person):
    phone, laptop = sign_in("ada"), sign_in("ada")
    other = laptop.get("/sessions/all/?sort=created").json()["resources"][0]

    assert laptop.delete(other["uri"]).status_code == 204

    assert phone.get("/sessions/").status_code == 401
    assert laptop.get("/sessions/").status_code == 200
    assert laptop.get(other["uri"]).status_code == 404
    assert Session.objects.count() == 1


def test_all_other_own_sessions_can_be_ended(sign_in, person, stranger):
    others = [sign_in("ada"), sign_in("ada")]
    mine, foreign = sign_in("ada"), sign_in("bob")

    assert mine.delete("/sessions/all/").status_code == 204

    assert [client.get("/sessions/").status_code for client in others] == [401, 401]
    assert (mine.get("/sessions/").status_code, foreign.get("/sessions/").status_code) == (200, 200)


def test_new_login_rotates_session_key_and_ends_previous_session(client_of, person):
    users = client_of("users")
    right = {"username": "ada", "password": PASSWORD}

    first = users.post("/sessions/", right).cookies["session"].value
    second = users.post("/sessions/", right).cookies["session"].value

    assert first != second
    users.cookies["session"] = first
    assert users.get("/sessions/").status_code == 401
    assert Session.objects.count() == Login.objects.count() == 1


def test_active_session_is_extended_and_idle_session_expires(sign_in, person):
    client = sign_in("ada")
    age(3600)
    Session.objects.update(expire_date=timezone.now() + timedelta(days=1))

    assert client.get("/sessions/").status_code == 200

    left = Session.objects.get().expire_date - timezone.now()
    assert left > timedelta(seconds=settings.SESSION_COOKIE_AGE - 60)
    assert timezone.now() - Login.objects.get().last_used < timedelta(seconds=60)
    Session.objects.update(expire_date=timezone.now() - timedelta(minutes=5))
    assert client.get("/sessions/").status_code == 401


def test_session_lifetime_is_limited_despite_activity(sign_in, person):
    client = sign_in("ada")
    age(settings.SESSION_LIFETIME - 60)

    assert client.get("/sessions/").status_code == 200

    assert Session.objects.get().expire_date - timezone.now() <= timedelta(seconds=60)


def test_expired_session_is_not_listed_and_is_deleted_at_next_login(sign_in, person):
    sign_in("ada")
    Session.objects.update(expire_date=timezone.now() - timedelta(minutes=5))

    client = sign_in("ada")

    assert client.get("/sessions/all/").json()["meta"]["count"] == 1
    assert Session.objects.count() == 1


def test_session_last_use_is_updated_once_a_minute(sign_in, person, django_assert_num_queries):
    client = sign_in("ada")
    client.get("/sessions/")  # reads the account's limits, which are remembered for a minute

    with django_assert_num_queries(2):
        client.get("/sessions/")
    age(61)

    with django_assert_num_queries(3):
        client.get("/sessions/")


def test_session_cookie_is_http_only_and_expires_with_the_session(client_of, person, settings):
    settings.SESSION_COOKIE_SECURE = True

    answer = client_of("users").post("/sessions/", {"username": "ada", "password": PASSWORD})

    cookie = answer.cookies["session"]
    assert (cookie["domain"], cookie["path"]) == ("platform.test", "/")
    assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", True)
    assert settings.SESSION_LIFETIME - 60 < cookie["max-age"] <= settings.SESSION_LIFETIME
    assert len(cookie.value) == 32


def test_login_audit_events_do_not_store_typed_user_name(client_of, sign_in, person):
    client_of("users").post("/sessions/", {"username": "my secret", "password": "wrong"})
    client = sign_in("ada", REMOTE_ADDR="192.0.2.1")
    client.delete("/sessions/")

    refused, made, ended = AuditEvent.objects.order_by("uuid")

    assert [event.action for event in (refused, made, ended)] == [
        "login.refused", "login.made", "login.ended",
    ]  # fmt: skip
    assert (refused.actor, made.actor, made.address) == (None, person, "192.0.2.1")
    assert set(refused.after) == {"account", "name"}
    assert refused.after["name"] == "my..., a name that nobody has"
    assert "secret" not in str(vars(refused))


@pytest.mark.parametrize(
    ("host", "path", "format"), [("users", "/sessions/", "json"), ("admin", "/login/", "multipart")]
)
def test_rejected_login_is_audited_and_logged_with_its_account(
    client_of, operator, caplog, host, path, format
):
    client_of(host).post(path, {"username": "root", "password": "wrong"}, format=format)

    refused = AuditEvent.objects.get(action="login.refused")
    assert (refused.after["name"], refused.after["user"]) == ("root", operator.uri)
    assert "Refused a login as 'root'" in caplog.text


def test_api_and_admin_sessions_are_not_interchangeable(client_of, sign_in, operator):
    api, admin = sign_in("root"), client_of("admin")
    form = {"username": "root", "password": PASSWORD}
    key = admin.post("/login/", form, format="multipart").cookies["operator"].value

    users = client_of("users")
    users.cookies["session"] = key
    assert users.get("/sessions/").status_code == 401
    thief = client_of("admin")
    thief.cookies["operator"] = api.cookies["session"].value
    assert thief.get("/users/user/").status_code == 302
    assert admin.get("/users/login/").status_code == 200


@pytest.mark.parametrize("path", ["/users/user/", "/users/login/", "/users/apitoken/"])
def test_admin_pages_do_not_show_session_keys(client_of, sign_in, operator, path):
    session = sign_in("root").cookies["session"].value
    admin = client_of("admin")
    admin.post("/login/", {"username": "root", "password": PASSWORD}, format="multipart")

    page = admin.get(path)

    assert page.status_code == 200
    assert session not in page.content.decode()
