"""Attacks on accounts, logins and keys: each refused, each leaving no trace in the data."""

import threading
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.urls import get_resolver
from django_hosts.resolvers import get_host

from apps.users.domain import limits
from apps.users.models import ApiToken, Login, SecondFactor, User
from apps.users.services import password_verification
from core.errors import ServiceError
from core.web.throttling import client_prefix
from tests.users.conftest import PASSWORD
from tests.waiting import wait_for

EVE = {
    "username": "eve",
    "email": "eve@example.com",
    "name": "Eve",
    "password": "a sentence of eve",
}
RIGHT = {"username": "ada", "password": PASSWORD}
OPEN_FIELDS = {"username", "email", "name", "password", "address", "company", "convert_uploads"}
OPEN_FIELDS |= {"muted_notifications"}
READ_ONLY_FIELDS = {"uuid", "tos_accepted"}
STORED = {field.name: field for field in User._meta.get_fields() if field.name not in OPEN_FIELDS}


def row(user: User) -> dict[str, Any]:
    return User.objects.filter(pk=user.pk).values().get()


# ---------------------------------------------------------------- mass assignment


@pytest.mark.parametrize("name", sorted(STORED))
def test_registration_sets_no_internal_user_field(client_of, db, name):
    value = True if name.startswith("is_") else "01900000-0000-7000-8000-000000000000"

    answer = client_of("users").post("/users/", {**EVE, name: value})

    assert answer.status_code == (201 if name in READ_ONLY_FIELDS else 400)
    made = User.objects.first()
    assert (made is not None) == (name in READ_ONLY_FIELDS)
    if made:
        assert str(made.pk) != value
        assert not (made.is_staff or made.is_superuser or made.is_platform_service)


@pytest.mark.parametrize("name", sorted(STORED))
def test_own_account_update_sets_no_internal_user_field(sign_in, person, name):
    client = sign_in("ada")
    before = row(person)
    value = not before[name] if isinstance(before.get(name), bool) else "x"

    answer = client.put(person.uri, {name: value})

    assert answer.status_code == 400
    assert row(person) == before


def test_token_cannot_be_created_for_another_user(sign_in, person, stranger):
    client = sign_in("ada")

    for extra in ({"user": str(stranger.pk)}, {"secret_sha256": "00"}, {"user_id": "x"}):
        assert client.post("/api_tokens/", {"name": "a", **extra}).status_code == 400
    other = client.post("/api_tokens/", {"user_uri": stranger.uri})
    own = client.post("/api_tokens/", {"user_uri": person.uri, "secret": "known"}).json()

    assert other.status_code == 400
    assert other.json()["errors"][0]["field"] == "user_uri"
    assert own["secret"] != "known"
    assert [token.user for token in ApiToken.objects.all()] == [person]


# ---------------------------------------------------------------- what is others'


def test_user_cannot_access_account_resources_of_another_user(sign_in, person, stranger):
    ada, bob = sign_in("ada"), sign_in("bob")
    token = ada.post("/api_tokens/", {"name": "ci"}).json()
    factor = ada.post("/one-time-passwords/", {"password": PASSWORD}).json()
    session = ada.get("/sessions/all/").json()["resources"][0]
    before = row(person)

    for uri, body in (
        (person.uri, {"name": "Eve"}),
        (token["uri"], {"name": "eve"}),
        (factor["uri"], {"one_time_password": "000000"}),
        (session["uri"], {}),
    ):
        assert bob.get(uri).status_code == 404
        assert bob.put(uri, body).status_code == (405 if uri == session["uri"] else 404)
        assert bob.delete(uri, {"password": PASSWORD}).status_code == 404
    for path in ("/api_tokens/", "/one-time-passwords/"):
        assert bob.get(path).json()["meta"]["count"] == 0
    listed = [bob.get(path).json()["resources"] for path in ("/users/", "/sessions/all/")]
    assert [len(resources) for resources in listed] == [1, 1]

    assert row(person) == before
    assert (ApiToken.objects.count(), SecondFactor.objects.count()) == (1, 1)
    assert ada.get("/sessions/").status_code == 200


def test_user_filters_reveal_no_hidden_accounts_or_fields(sign_in, person, stranger):
    bob = sign_in("bob")

    for query in ("filter[username]=ada", "filter[email]=ada@example.com", "search[name]=Ada"):
        assert bob.get(f"/users/?{query}").json()["meta"]["count"] == 0
    for query in ("filter[password]=x", "sort=password", "filter[is_staff]=true", "filter[uuid]=x"):
        assert bob.get(f"/users/?{query}").status_code == 400


# ---------------------------------------------------------------- sessions


def test_session_fixation_is_prevented(client_of, person):
    planted = SessionStore()
    planted.create()
    victim = client_of("users")
    victim.cookies["session"] = planted.session_key

    answer = victim.post("/sessions/", RIGHT)

    assert answer.cookies["session"].value != planted.session_key
    attacker = client_of("users")
    attacker.cookies["session"] = planted.session_key
    assert attacker.get("/sessions/").status_code == 401


def test_session_cookie_is_invalid_after_logout(sign_in, client_of, person):
    client = sign_in("ada")
    kept = client.cookies["session"].value

    client.delete("/sessions/")

    thief = client_of("models")
    thief.cookies["session"] = kept
    assert thief.get("/model/").status_code == 401
    assert (Session.objects.count(), Login.objects.count()) == (0, 0)


def writes() -> list[tuple[str, str]]:
    """Every path of the users' host but its document, and each method that may write."""
    found = []
    for pattern in get_resolver(get_host("users").urlconf).url_patterns:
        path = "/" + str(pattern.pattern)
        if path == "/openapi.json":
            continue
        for key in ("<uuid:uuid>", "<str:token>"):
            path = path.replace(key, "01900000-0000-7000-8000-000000000000")
        found += [(method, path) for method in ("post", "put", "delete")]
    return found


@pytest.mark.parametrize(("method", "path"), writes())
@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_cross_site_write_with_session_cookie_is_rejected_on_every_path(
    sign_in, person, method, path, headers
):
    client = sign_in("ada")
    before = row(person)

    answer = getattr(client, method)(path, {**EVE}, headers=headers)

    assert answer.status_code in (403, 405)
    if answer.status_code == 403:
        assert answer.json()["errors"][0]["code"] == "cross-site-request"
    assert (User.objects.count(), ApiToken.objects.count()) == (1, 0)
    assert (row(person), Session.objects.count()) == (before, 1)


# ---------------------------------------------------------------- who exists


def test_failed_login_is_identical_for_unknown_inactive_and_service_users(client_of, person):
    User.objects.create_user("gone", "g@example.com", PASSWORD, is_active=False)
    User.objects.create_user("billing", is_platform_service=True)

    answers = [
        client_of("users", REMOTE_ADDR=f"192.0.2.{number}").post(
            "/sessions/", {"username": name, "password": "wrong"}
        )
        for number, name in enumerate(("ada", "nobody", "gone", "billing", "é" * 150))
    ]

    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.content for answer in answers}) == 1
    assert Session.objects.count() == 0


def test_user_name_enumeration_by_registration_is_rate_limited(client_of, person, settings):
    settings.REGISTRATION_RATE = 3
    users = client_of("users", REMOTE_ADDR="192.0.2.9")

    taken = [users.post("/users/", {**EVE, "username": "ada"}).status_code for _ in range(4)]

    assert taken == [400, 400, 400, 429]
    assert User.objects.count() == 1


def test_registration_with_idempotency_key_counts_for_rate_limit(sign_in, person, settings):
    settings.REGISTRATION_RATE = 3
    client = sign_in("ada")

    taken = [
        client.post(
            "/users/", {**EVE, "username": "ada"}, headers={"Idempotency-Key": str(number)}
        ).status_code
        for number in range(4)
    ]

    assert taken == [400, 400, 400, 429]


@pytest.mark.parametrize("name", ["a b", "ada\n", "<b>", "ad\u200ba", "ada\u202e", ""])
def test_user_name_with_invalid_characters_is_rejected(client_of, person, name):
    assert client_of("users").post("/users/", {**EVE, "username": name}).status_code == 400
    assert User.objects.count() == 1


def test_full_width_variant_of_user_name_is_rejected(client_of, person):
    wide = client_of("users").post("/users/", {**EVE, "username": "ａｄａ"})

    assert (wide.status_code, wide.json()["errors"][0]["field"]) == (400, "username")
    assert User.objects.count() == 1


# ---------------------------------------------------------------- brute force


def test_failed_logins_for_many_names_from_one_address_are_throttled(client_of, person):
    guesser = client_of("users", REMOTE_ADDR="192.0.2.9")

    answers = [
        guesser.post("/sessions/", {"username": f"user{n}", "password": "12345678"}).status_code
        for n in range(21)
    ]

    assert answers == [403] * 20 + [429]
    assert guesser.post("/sessions/", RIGHT).status_code == 429


def test_concurrent_login_attempts_cannot_exceed_the_limit(transactional_db, monkeypatch):
    User.objects.create_user("ada", "ada@example.com", PASSWORD)
    monkeypatch.setattr(password_verification, "_places", threading.Semaphore(12))
    at_once, outcomes = threading.Barrier(12), []

    def guess() -> None:
        at_once.wait()
        try:
            password_verification.identify(username="ada", password="guess", address="192.0.2.9")
        except ServiceError as error:
            outcomes.append(error.status)
        finally:
            connection.close()

    threads = [threading.Thread(target=guess) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == [403] * 5 + [429] * 7


def test_ipv6_addresses_of_one_network_share_the_login_limit(client_of, person):
    answers = [
        client_of("users", REMOTE_ADDR=f"2001:db8:1:2::{n}")
        .post("/sessions/", {**RIGHT, "password": "wrong"})
        .status_code
        for n in range(1, 7)
    ]

    assert answers == [403] * 5 + [429]
    assert client_prefix("::ffff:192.0.2.1") == "192.0.2.1"
    assert client_prefix("unix:") == "unix:"


@pytest.mark.parametrize(
    ("forwarded", "counted"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("10.0.0.1, 198.51.100.7", "198.51.100.7"),
        ("198.51.100.7, 127.0.0.2", "198.51.100.7"),
        ("not an address", "127.0.0.1"),
        ("x" * 5000, "127.0.0.1"),
    ],
)
def test_session_stores_forwarded_address_and_truncated_user_agent(
    sign_in, person, forwarded, counted
):
    client = sign_in("ada", HTTP_X_FORWARDED_FOR=forwarded, HTTP_USER_AGENT="a\0b" * 500)

    (session,) = client.get("/sessions/all/").json()["resources"]

    assert (session["address"], len(session["user_agent"])) == (counted, 400)


def test_successful_logins_do_not_count_as_failures(client_of, person, settings):
    settings.LOGINS_PER_ACCOUNT = 0
    users = client_of("users")

    assert [users.post("/sessions/", RIGHT).status_code for _ in range(25)] == [201] * 25


def test_distributed_guessing_delays_logins_except_from_known_address(
    client_of, sign_in, person, monkeypatch
):
    monkeypatch.setattr(limits, "LOGIN_FAILURES_BEFORE_DELAY", 4)
    pauses: list[float] = []
    monkeypatch.setattr("apps.users.services.password_verification.time.sleep", pauses.append)
    home = {"REMOTE_ADDR": "192.0.2.1"}
    sign_in("ada", **home)

    for number in range(6):
        stranger = client_of("users", REMOTE_ADDR=f"198.51.100.{number}")
        assert stranger.post("/sessions/", {**RIGHT, "password": "wrong"}).status_code == 403
    assert len(pauses) == 2

    assert client_of("users", **home).post("/sessions/", RIGHT).status_code == 201
    assert len(pauses) == 2
    elsewhere = client_of("users", REMOTE_ADDR="203.0.113.5")
    assert elsewhere.post("/sessions/", RIGHT).status_code == 201
    assert pauses == [limits.LOGIN_DELAY] * 3


def test_login_returns_429_when_all_delay_slots_are_used(client_of, person, monkeypatch):
    monkeypatch.setattr(limits, "LOGIN_FAILURES_BEFORE_DELAY", 0)
    held = [password_verification._pauses.acquire(blocking=False) for _ in range(3)]

    try:
        answer = client_of("users").post("/sessions/", RIGHT)
    finally:
        password_verification._pauses.release(len(held))

    assert held == [True] * 3
    assert (answer.status_code, answer["Retry-After"]) == (429, "5")


def test_one_password_is_hashed_at_a_time_and_excess_logins_return_503(client_of, person):
    most, inside, answered = 0, 0, threading.Event()

    def hash_one() -> None:
        nonlocal inside, most
        with password_verification.hashing():
            inside += 1
            most = max(most, inside)
            answered.wait(60)
            inside -= 1

    threads = [threading.Thread(target=hash_one) for _ in range(6)]
    for thread in threads:
        thread.start()
    wait_for(lambda: password_verification._places._value == 0)  # all of them are there
    answer = client_of("users").post("/sessions/", RIGHT)
    answered.set()
    for thread in threads:
        thread.join()

    assert most == 1
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert client_of("users").post("/sessions/", RIGHT).status_code == 201


def test_login_rejects_overlong_password(client_of, person):
    answer = client_of("users").post("/sessions/", {**RIGHT, "password": "a" * 1025})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "password"
