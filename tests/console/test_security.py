"""Profile, password, two-factor authentication and sessions, as the account's owner has them."""

import html
import re

import pytest

from apps.console.domain.devices import device_name
from apps.users.models import Login, SecondFactor, User
from core.request_context import ACCOUNT
from tests.console.visitor import PASSWORD, Browser, main_of, text_of
from tests.one_time_passwords import code, still_clock  # noqa: F401  fixture

NEW = "battery staple horse"


def sign_in(password: str = PASSWORD, **fields: str):
    browser = Browser()
    return browser, browser.send("/sign-in/", username="ada", password=password, **fields)


def send(browser: Browser, action: str, **fields: str):
    return browser.send("/security/", action=action, **fields)


def hidden(page) -> dict[str, str]:
    """The hidden fields of a page, by name."""
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.content.decode())
    return {name: html.unescape(value) for name, value in fields}


def test_pages_count_for_the_account_of_their_session(ada, person):
    assert ada.get("/security/").wsgi_request.META[ACCOUNT] == str(person.pk)

    ada.cookies["session"] = "wrong"
    assert ada.get("/security/").wsgi_request.META[ACCOUNT] == ""


@pytest.fixture
def secret(ada) -> str:
    """The secret of Ada's authenticator app, which is in use."""
    page = send(ada, "set-up", password=PASSWORD)
    result = re.search(r"this secret: <code>(\w+)<", re.sub(r"\s+", " ", page.content.decode()))[1]
    sent = {**hidden(page), "one_time_password": code(result, steps=-1)}
    assert send(ada, "confirm", **sent)["Location"] == "/security/?done=second-factor"
    return result


def test_strangers_sign_in_first(browser):
    assert browser.get("/security/")["Location"] == "/sign-in/?next=%2Fsecurity%2F"
    assert browser.get("/more/")["Location"] == "/sign-in/?next=%2Fmore%2F"


def test_name_is_changed_without_password_and_email_with_it(ada, person):
    fields = {"name": "Ada Lovelace", "email": person.email}
    assert send(ada, "profile", **fields)["Location"] == "/security/?done=profile"

    refused = send(ada, "profile", **fields | {"email": "new@example.com"})
    assert refused.status_code == 400
    assert 'id="ProfileForm-current_password_error"' in refused.content.decode()

    fields |= {"email": "new@example.com", "current_password": PASSWORD}
    assert send(ada, "profile", **fields).status_code == 303
    row = User.objects.get(pk=person.pk)
    assert (row.name, row.email) == ("Ada Lovelace", "new@example.com")
    assert 'value="Ada Lovelace"' in ada.get("/security/").content.decode()


def test_password_is_changed_and_other_sessions_end(ada):
    other, _ = sign_in()
    sent = {"current_password": PASSWORD, "password": NEW}

    assert send(ada, "password", **sent)["Location"] == "/security/?done=password"

    assert ada.get("/security/").status_code == 200
    assert other.get("/security/").status_code == 303
    assert sign_in()[1].status_code == 403
    assert sign_in(NEW)[1].status_code == 303


def test_wrong_or_weak_password_is_refused_at_its_field(ada):
    wrong = send(ada, "password", current_password="wrong", password=NEW)
    weak = send(ada, "password", current_password=PASSWORD, password="short")
    missing = send(ada, "password", current_password=PASSWORD)

    assert wrong.status_code == 403
    assert 'id="PasswordForm-current_password_error"' in wrong.content.decode()
    assert weak.status_code == 400
    assert 'id="PasswordForm-password_error"' in weak.content.decode()
    assert "This password is too short" in main_of(weak)
    assert missing.status_code == 400
    assert "short" not in missing.content.decode()
    assert sign_in()[1].status_code == 303


def test_sessions_are_listed_and_ended(ada):
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
    other = Browser()
    other.post(
        "/sign-in/",
        {"username": "ada", "password": PASSWORD},
        headers={"origin": "http://platform.test", "user-agent": firefox},
    )
    third, _ = sign_in()

    shown = ada.get("/security/")
    (uri,) = re.findall(
        r'value="([^"]+/sessions/[^"]+)">End<[^>]+> Firefox', shown.content.decode()
    )
    assert main_of(shown).count("This session") == 1
    assert "Firefox, Linux" in main_of(shown)

    assert ada.send("/security/", session=uri)["Location"] == "/security/?done=sessions-ended"
    assert other.get("/security/").status_code == 303
    assert third.get("/security/").status_code == 200

    everything = re.search(r'value="([^"]+/sessions/all/)"', ada.get("/security/").content.decode())
    assert ada.send("/security/", session=everything[1]).status_code == 303
    assert third.get("/security/").status_code == 303
    assert "End all others" not in main_of(ada.get("/security/"))
    assert Login.objects.open().count() == 1


def test_only_sessions_are_ended(ada, person, stranger):
    for uri in (person.uri, stranger.uri, "http://evil.example/", ""):
        assert ada.send("/security/", session=uri).status_code == 404
    assert User.objects.filter(is_active=True).count() == 2


def test_second_factor_is_set_up_with_a_qr_code_and_a_first_code(ada, secret):
    assert "Two-factor authentication On" in main_of(ada.get("/security/"))
    assert sign_in()[1].status_code == 403
    assert sign_in(one_time_password=code(secret))[1].status_code == 303


def test_secret_is_shown_once_with_recovery_codes(ada):
    page = send(ada, "set-up", password=PASSWORD)

    assert page.status_code == 201
    assert page["Cache-Control"] == "no-store"
    assert '<svg viewBox="' in page.content.decode()
    assert len(re.findall(r"\b\w{4}-\w{4}-\w{4}-\w{4}\b", main_of(page))) == 10
    assert "recovery codes" not in main_of(ada.get("/security/"))
    assert sign_in()[1].status_code == 303  # it does not count yet


def test_wrong_code_is_refused_and_the_secret_stays_on_the_page(ada):
    fields = hidden(send(ada, "set-up", password=PASSWORD))

    refused = send(ada, "confirm", **fields, one_time_password="000000")

    assert refused.status_code == 403
    assert 'id="ConfirmForm-one_time_password_error"' in refused.content.decode()
    assert hidden(refused) == fields
    assert SecondFactor.objects.get().confirmed is None


def test_set_up_needs_the_password(ada):
    refused = send(ada, "set-up", password="wrong")

    assert refused.status_code == 403
    assert not SecondFactor.objects.exists()


def test_second_factor_is_turned_off_by_the_password(ada, secret):
    assert send(ada, "turn-off", password="wrong").status_code == 403
    assert SecondFactor.objects.exists()

    assert send(ada, "turn-off", password=PASSWORD).status_code == 303

    assert not SecondFactor.objects.exists()
    assert sign_in()[1].status_code == 303


def test_forms_of_other_sites_are_refused(ada):
    fields = {"action": "password", "current_password": PASSWORD, "password": NEW}

    assert ada.send("/security/", "http://evil.example", **fields).status_code == 403
    assert sign_in()[1].status_code == 303


def test_more_lists_the_navigation(ada):
    page = ada.get("/more/")

    links = re.findall(
        r'href="(/[^"]*)"', re.search(r"<main.*</main>", page.content.decode(), re.S)[0]
    )
    assert {"/", "/queue/", "/printer/", "/order/", "/customer/", "/stock/"} <= set(links)
    assert {"/settings/", "/failed/", "/security/", "/search/", "/api/"} <= set(links)
    assert "Sign out" in text_of(page)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit Chrome/130.0 Safari/537.36 Edg/130.0",
            "Edge, Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1",
            "Safari, iPhone",
        ),
        ("curl/8.5.0", "curl/8.5.0"),
        (None, ""),
    ],
)
def test_devices_have_names(user_agent, name):
    assert device_name(user_agent) == name
