"""Passwords: chosen, changed, forgotten."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import get_hasher, identify_hasher
from django.core import mail
from django.utils import timezone

from apps.users.domain import limits
from apps.users.models import AuditEvent, Login, User
from tests.users.conftest import PASSWORD, PROOF

NEW = "another long sentence"


def mailed_path() -> str:
    """The path in the only mail that was sent."""
    (message,) = mail.outbox
    return re.search(r"/password-resets/\w+-\w+/", message.body)[0]


# ---------------------------------------------------------------- changing


def test_password_is_changed_with_current_password(sign_in, person):
    client = sign_in("ada")

    answer = client.put(person.uri, {"password": NEW, "current_password": PASSWORD})

    assert answer.status_code == 204
    sign_in("ada", password=NEW)
    person.refresh_from_db()
    assert (person.check_password(NEW), person.check_password(PASSWORD)) == (True, False)
    assert AuditEvent.objects.filter(action="password.changed", actor=person).count() == 1


@pytest.mark.parametrize(
    ("current", "status", "code"),
    [
        ({}, 400, "missing-parameter"),
        ({"current_password": ""}, 400, "missing-parameter"),
        ({"current_password": None}, 400, "missing-parameter"),
        ({"current_password": "wrong"}, 403, "invalid-credentials"),
    ],
)
@pytest.mark.parametrize("change", [{"password": NEW}, {"email": "eve@example.com"}])
def test_password_or_email_change_requires_the_current_password(
    sign_in, person, change, current, status, code
):
    answer = sign_in("ada").put(person.uri, {**change, **current, "name": "Eve"})

    assert answer.status_code == status
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == (code, "current_password")
    person.refresh_from_db()
    assert (person.name, person.email) == ("Ada", "ada@example.com")
    assert person.check_password(PASSWORD) is True


def test_password_change_ends_other_sessions_and_rotates_own_session_key(sign_in, person):
    mine, other = sign_in("ada"), sign_in("ada")
    old, created = mine.cookies["session"].value, Login.objects.earliest("uuid").created

    mine.put(person.uri, {"password": NEW, "current_password": PASSWORD})

    assert mine.get("/sessions/").status_code == 200
    assert other.get("/sessions/").status_code == 401
    other.cookies["session"] = old
    assert other.get("/sessions/").status_code == 401
    assert Login.objects.get().created == created


def test_administrator_password_reset_ends_sessions_of_the_user(sign_in, person, operator):
    client = sign_in("ada")

    answer = sign_in("root").put(person.uri, {"password": NEW})

    assert answer.status_code == 204
    assert "session" not in answer.cookies
    assert client.get("/sessions/").status_code == 401


def test_administrator_needs_current_password_for_own_change(sign_in, operator):
    assert sign_in("root").put(operator.uri, {"password": NEW}).status_code == 400


def test_token_cannot_change_password_or_email(client_of, with_token, person):
    token = client_of("users", person).post("/api_tokens/", {**PROOF, "name": "ci"}).json()
    client = with_token(token)

    for change in ({"password": NEW}, {"email": "eve@example.com"}):
        answer = client.put(person.uri, {**change, "current_password": PASSWORD})
        assert answer.status_code == 403
    assert client.put(person.uri, {"name": "Ada L."}).status_code == 204

    person.refresh_from_db()
    assert (person.name, person.email) == ("Ada L.", "ada@example.com")
    assert person.check_password(PASSWORD) is True


def test_password_set_in_admin_ends_sessions_of_the_user(client_of, sign_in, person, operator):
    client, admin = sign_in("ada"), client_of("admin")
    admin.post("/login/", {"username": "root", "password": PASSWORD}, format="multipart")

    form = {"usable_password": "true", "password1": NEW, "password2": NEW}
    page = admin.post(f"/users/user/{person.pk}/password/", form, format="multipart")

    assert page.status_code == 302
    assert client.get("/sessions/").status_code == 401
    assert Login.objects.filter(user=person).count() == 0


def test_passwords_are_hashed_by_argon2id_with_one_thread(client_of, db, settings):
    settings.PASSWORD_HASHERS = ["apps.users.domain.hashers.Argon2"]
    account = {"username": "ada", "email": "a@example.com", "name": "Ada", "password": PASSWORD}

    client_of("users").post("/users/", account)

    stored = User.objects.get().password
    assert stored.startswith("argon2$argon2id$v=19$m=102400,t=2,p=1$")
    assert type(identify_hasher(stored)) is type(get_hasher())
    assert User.objects.get().check_password(PASSWORD) is True


# ---------------------------------------------------------------- forgotten


@pytest.mark.parametrize("by", [{"username": "ada"}, {"email": "ADA@example.com"}])
def test_forgotten_password_is_reset_by_mailed_token(client_of, sign_in, person, run_jobs, by):
    session = sign_in("ada")
    users = client_of("users")

    asked = users.post("/password-resets/", by)
    assert run_jobs() == ["mail_password_reset"]
    (message,) = mail.outbox
    assert (asked.status_code, message.to) == (202, ["ada@example.com"])
    path = mailed_path()
    assert users.put(path, {"password": NEW}).status_code == 204

    assert session.get("/sessions/").status_code == 401
    sign_in("ada", password=NEW)
    assert users.put(path, {"password": "yet another sentence"}).status_code == 404
    person.refresh_from_db()
    assert person.check_password(NEW) is True
    assert AuditEvent.objects.filter(action="password.reset", actor=person).count() == 1


def test_password_reset_response_does_not_reveal_accounts(client_of, person, run_jobs):
    users = client_of("users")

    answers = [
        users.post("/password-resets/", body)
        for body in ({"username": "ada"}, {"username": "eve"}, {"email": "eve@example.com"})
    ]

    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    assert run_jobs() == ["mail_password_reset"] * 3
    assert len(mail.outbox) == 1


def test_password_reset_sends_no_mail_to_accounts_that_cannot_log_in(
    client_of, person, stranger, run_jobs
):
    person.set_unusable_password()
    person.save()
    User.objects.filter(pk=stranger.pk).update(is_active=False)

    for name in ("ada", "bob"):
        client_of("users").post("/password-resets/", {"username": name})
    run_jobs()

    assert mail.outbox == []


def test_password_reset_mails_and_requests_are_rate_limited(
    client_of, person, run_jobs, monkeypatch
):
    monkeypatch.setattr(limits, "PASSWORD_RESET_MAILS", 2)
    monkeypatch.setattr(limits, "PASSWORD_RESETS_PER_ADDRESS", 3)
    users = client_of("users")

    asked = [users.post("/password-resets/", {"username": "ada"}).status_code for _ in range(4)]
    run_jobs()

    assert asked == [202, 202, 202, 429]
    assert len(mail.outbox) == 2


def test_password_reset_token_expires_by_timeout_and_by_login(
    client_of, sign_in, person, run_jobs, settings
):
    users = client_of("users")
    users.post("/password-resets/", {"username": "ada"})
    run_jobs()
    path = mailed_path()

    settings.PASSWORD_RESET_TIMEOUT = -1
    assert users.put(path, {"password": NEW}).status_code == 404
    settings.PASSWORD_RESET_TIMEOUT = 3600
    User.objects.filter(pk=person.pk).update(last_login=timezone.now() + timedelta(seconds=1))
    assert users.put(path, {"password": NEW}).status_code == 404

    person.refresh_from_db()
    assert person.check_password(PASSWORD) is True


def test_forged_password_reset_tokens_are_rejected_then_throttled(client_of, person, monkeypatch):
    monkeypatch.setattr(limits, "LOGIN_FAILURES_PER_ADDRESS", 3)
    users = client_of("users")
    made_up = ["x", "0" * 32, f"{person.pk.hex}abc-def", f"{person.pk.hex}", "é"]

    answers = [users.put(f"/password-resets/{token}/", {"password": NEW}) for token in made_up]

    assert [answer.status_code for answer in answers] == [404, 404, 404, 429, 429]


def test_weak_password_does_not_consume_reset_token(client_of, person, run_jobs):
    users = client_of("users")
    users.post("/password-resets/", {"username": "ada"})
    run_jobs()

    assert users.put(mailed_path(), {"password": "password"}).status_code == 400
    assert users.put(mailed_path(), {"password": NEW}).status_code == 204


def test_password_reset_mail_links_to_configured_page(client_of, person, run_jobs, settings):
    settings.PASSWORD_RESET_PAGE = "https://shop.example/new?token={token}"

    client_of("users").post("/password-resets/", {"username": "ada"})
    run_jobs()

    assert f"https://shop.example/new?token={person.pk.hex}" in mail.outbox[0].body


@pytest.mark.parametrize(
    "body", [{}, {"username": "ada", "email": "a@b.example"}, {"email": "nobody"}, {"name": "a"}]
)
def test_password_reset_requires_exactly_one_account(client_of, person, queued, body):
    assert client_of("users").post("/password-resets/", body).status_code == 400
    assert queued() == []
