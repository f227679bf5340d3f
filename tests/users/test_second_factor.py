"""One-time passwords, over HTTP."""

from urllib.parse import parse_qs, urlsplit

import pytest

from apps.users.domain import limits
from apps.users.models import AuditEvent, Login, RecoveryCode, SecondFactor
from tests.one_time_passwords import code, still_clock  # noqa: F401  fixture
from tests.users.conftest import PASSWORD, PROOF

RIGHT = {"username": "ada", "password": PASSWORD}


@pytest.fixture
def ada(sign_in, person):
    return sign_in("ada")


@pytest.fixture
def factor(ada) -> dict:
    """Ada's second factor, in use."""
    made = ada.post("/one-time-passwords/", {"password": PASSWORD}).json()
    used = {"one_time_password": code(made["secret"], steps=-1)}
    assert ada.put(made["uri"], used).status_code == 204
    return made


def log_in(client_of, **given):
    return client_of("users").post("/sessions/", {**RIGHT, **given})


def test_second_factor_secret_is_shown_once_and_not_stored_in_plain_text(ada, factor):
    stored, again = SecondFactor.objects.get(), ada.get(factor["uri"]).json()

    assert len(factor["secret"]) == 32
    assert again == {
        **factor,
        "secret": None,
        "otpauth_uri": None,
        "recovery_codes": None,
        "confirmed": again["confirmed"],
    }
    assert again["confirmed"] is not None
    assert factor["secret"] not in str(vars(stored))
    assert len(set(factor["recovery_codes"])) == 10
    hashes = [bytes(row.sha256) for row in RecoveryCode.objects.all()]
    assert all(word.encode() not in hashes for word in factor["recovery_codes"])


def test_otpauth_uri_has_secret_and_issuer(factor):
    parts = urlsplit(factor["otpauth_uri"])

    assert (parts.scheme, parts.netloc, parts.path) == ("otpauth", "totp", "/platform.test:ada")
    assert parse_qs(parts.query) == {"secret": [factor["secret"]], "issuer": ["platform.test"]}


def test_second_factor_is_inactive_until_confirmed_by_a_code(ada, client_of):
    made = ada.post("/one-time-passwords/", {"password": PASSWORD}).json()

    assert ada.put(made["uri"], {"one_time_password": "000000"}).status_code == 403
    assert log_in(client_of).status_code == 201
    assert ada.put(made["uri"], {"one_time_password": code(made["secret"])}).status_code == 204
    assert log_in(client_of).status_code == 403


def test_unconfirmed_second_factor_is_replaced_by_new_setup(ada):
    first = ada.post("/one-time-passwords/", {"password": PASSWORD}).json()
    second = ada.post("/one-time-passwords/", {"password": PASSWORD}).json()

    assert first["secret"] != second["secret"]
    assert ada.get(first["uri"]).status_code == 404
    assert (SecondFactor.objects.count(), RecoveryCode.objects.count()) == (1, 10)


def test_login_requires_the_one_time_password(client_of, factor):
    missing, empty = log_in(client_of), log_in(client_of, one_time_password="")
    wrong = log_in(client_of, one_time_password="000000")
    right = log_in(client_of, one_time_password=code(factor["secret"]))

    assert [one.status_code for one in (missing, empty, wrong, right)] == [403, 403, 403, 201]
    codes = [one.json()["errors"][0]["code"] for one in (missing, empty, wrong)]
    assert codes == [
        "one-time-password-required", "one-time-password-required", "invalid-credentials",
    ]  # fmt: skip
    assert "session" not in missing.cookies
    assert Login.objects.count() == 2


def test_second_factor_does_not_reveal_existing_user_names(client_of, factor):
    wrong = log_in(client_of, password="wrong", one_time_password=code(factor["secret"]))

    assert wrong.json() == log_in(client_of, username="eve").json()


def test_one_time_password_cannot_be_reused_or_followed_by_an_older_one(client_of, factor):
    now, later = code(factor["secret"]), code(factor["secret"], steps=1)

    assert log_in(client_of, one_time_password=later).status_code == 201
    assert log_in(client_of, one_time_password=later).status_code == 403
    assert log_in(client_of, one_time_password=now).status_code == 403


def test_one_time_password_outside_time_window_is_rejected(client_of, factor):
    assert log_in(client_of, one_time_password=code(factor["secret"], steps=4)).status_code == 403


def test_wrong_one_time_passwords_are_limited_per_account(client_of, factor, monkeypatch):
    monkeypatch.setattr(limits, "WRONG_CODES", 3)

    answers = [
        client_of("users", REMOTE_ADDR=f"192.0.2.{n}")
        .post("/sessions/", {**RIGHT, "one_time_password": "000000"})
        .status_code
        for n in range(4)
    ]
    right = log_in(client_of, one_time_password=code(factor["secret"]))
    recovered = log_in(client_of, one_time_password=factor["recovery_codes"][0])

    assert answers == [403, 403, 403, 429]
    assert (right.status_code, recovered.status_code) == (429, 201)


def test_recovery_code_works_once(client_of, factor):
    word = factor["recovery_codes"][3]

    assert log_in(client_of, one_time_password=word.upper()).status_code == 201
    assert log_in(client_of, one_time_password=word).status_code == 403
    assert RecoveryCode.objects.count() == 9


def test_second_factor_removal_requires_the_password(ada, client_of, factor):
    assert ada.delete(factor["uri"], {}).status_code == 400
    assert ada.delete(factor["uri"], {"password": "wrong"}).status_code == 403
    assert SecondFactor.objects.count() == 1

    assert ada.delete(factor["uri"], {"password": PASSWORD}).status_code == 204

    assert log_in(client_of).status_code == 201
    assert (SecondFactor.objects.count(), RecoveryCode.objects.count()) == (0, 0)
    actions = AuditEvent.objects.filter(action__startswith="second-factor").order_by("uuid")
    assert [one.action for one in actions] == ["second-factor.set", "second-factor.removed"]


def test_second_factor_setup_requires_the_password_and_is_done_once(ada, factor):
    empty = ada.post("/one-time-passwords/", {})
    wrong = ada.post("/one-time-passwords/", {"password": "wrong"})
    again = ada.post("/one-time-passwords/", {"password": PASSWORD})

    assert [one.status_code for one in (empty, wrong, again)] == [400, 403, 409]
    assert ada.put(factor["uri"], {"one_time_password": "1"}).status_code == 409
    assert SecondFactor.objects.count() == 1


def test_password_guessing_by_second_factor_setup_is_throttled(ada, settings):
    answers = [ada.post("/one-time-passwords/", {"password": f"guess {n}"}) for n in range(6)]

    assert [answer.status_code for answer in answers] == [403, 403, 403, 403, 403, 429]
    assert ada.post("/one-time-passwords/", {"password": PASSWORD}).status_code == 429


def test_token_cannot_set_up_or_remove_second_factor(ada, with_token, factor):
    client = with_token(ada.post("/api_tokens/", {**PROOF, "name": "ci"}).json())

    assert client.post("/one-time-passwords/", {"password": PASSWORD}).status_code == 403
    assert client.put(factor["uri"], {"one_time_password": "1"}).status_code == 403
    assert client.delete(factor["uri"], {"password": PASSWORD}).status_code == 403
    assert SecondFactor.objects.count() == 1


def test_administrator_login_needs_second_factor_and_can_remove_a_lost_one(
    client_of, sign_in, operator, factor
):
    root = sign_in("root")
    made = root.post("/one-time-passwords/", {"password": PASSWORD}).json()
    root.put(made["uri"], {"one_time_password": code(made["secret"], steps=-1)})
    admin, form = client_of("admin"), {"username": "root", "password": PASSWORD}

    without = admin.post("/login/", form, format="multipart")
    form["one_time_password"] = code(made["secret"])
    with_code = admin.post("/login/", form, format="multipart")

    assert (without.status_code, "operator" in without.cookies) == (200, False)
    assert b"one_time_password" in without.content
    assert (with_code.status_code, "operator" in with_code.cookies) == (302, True)
    lost = SecondFactor.objects.get(user__username="ada")
    chosen = {"action": "remove", "_selected_action": [str(lost.pk)]}
    admin.post("/users/secondfactor/", chosen, format="multipart")
    assert log_in(client_of).status_code == 201


def test_admin_login_is_throttled(client_of, operator):
    admin = client_of("admin")

    for n in range(5):
        admin.post("/login/", {"username": "root", "password": f"{n}"}, format="multipart")
    page = admin.post("/login/", {"username": "root", "password": PASSWORD}, format="multipart")

    assert (page.status_code, "operator" in page.cookies) == (200, False)
    assert b"Too many tries" in page.content
