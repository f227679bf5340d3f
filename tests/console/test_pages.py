"""The pages of the bare domain, without a browser: what holds for all, and who comes and goes."""

import html
import re
from io import StringIO
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_urlconf, set_urlconf

from core.web.internal_client import SESSIONS, ApiClient
from tests.console.visitor import PASSWORD, Browser, text_of

# ---------------------------------------------------------------- the house


def test_root_is_a_page_for_browsers_and_json_for_api_clients(browser):
    page = browser.get("/")
    listed = Client(SERVER_NAME="platform.test").get("/")

    assert "From 3D file to printed part" in text_of(page)
    assert "Accept" in page["Vary"]
    assert listed.json()["services"]["models"]["url"] == "http://models.platform.test/"


def test_missing_page_is_html_for_browsers_and_json_for_api_clients(browser):
    page = browser.get("/nothing/")
    told = Client(SERVER_NAME="platform.test").get("/nothing/")

    assert page.status_code == told.status_code == 404
    assert "Not found" in text_of(page)
    assert told.json()["errors"][0]["code"] == "resource-not-found"


def test_every_page_has_a_strict_content_security_policy(browser):
    for path in ("/", "/sign-in/", "/register/", "/nothing/"):
        page = browser.get(path)

        policy = page["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert page["Referrer-Policy"] == "strict-origin"
        assert not re.search(r"<script(?! src)|<style|style=|\son\w+=", page.content.decode())


def test_unchanged_page_returns_304(browser):
    first = browser.get("/sign-in/")

    second = browser.get("/sign-in/", headers={"if-none-match": first["ETag"]})

    assert (second.status_code, second.content) == (304, b"")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://models.platform.test"])
def test_form_from_another_origin_is_rejected(browser, person, origin):
    refused = browser.send("/sign-in/", origin, username="ada", password=PASSWORD)

    assert refused.status_code == 403
    assert "session" not in refused.cookies


def test_form_without_origin_header_is_rejected(browser, person):
    assert browser.send("/sign-in/", None, username="ada", password=PASSWORD).status_code == 403


def test_page_language_follows_accept_language_or_the_chosen_language(browser):
    german = browser.get("/", headers={"accept-language": "de-CH,de;q=0.9"})
    assert '<html lang="de">' in german.content.decode()

    browser.send("/language/", language="en", next="/sign-in/")
    assert (
        '<html lang="en">' in browser.get("/", headers={"accept-language": "de"}).content.decode()
    )


def test_api_errors_on_pages_are_in_english(browser):
    refused = browser.post(
        "/register/",
        {"username": "ada", "name": "Ada", "email": "ada@example.com", "password": "short"},
        headers={"origin": "http://platform.test", "accept-language": "de"},
    )

    assert refused.status_code == 400
    assert "This password is too short" in text_of(refused)


def test_page_lists_its_api_requests(ada, client_of, person):
    page = ada.get("/order/").content.decode()

    told = [html.unescape(uri) for uri in re.findall(r"-u \$TOKEN '([^']+)'", page)]
    assert [urlsplit(uri).path for uri in told] == ["/bureau/", "/order/", "/saved-views/"]
    hosts = ["erp", "erp", "users"]
    answers = [client_of(host, person).get(uri) for host, uri in zip(hosts, told, strict=True)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert "TOKEN" not in Browser().get("/").content.decode()


def test_api_client_restores_request_id_and_urlconf(rf, db):
    request = rf.get("/", SERVER_NAME="platform.test")
    request.id = "outer"
    set_urlconf("project.urls")

    answer = ApiClient(request).ask("GET", "http://models.platform.test/openapi.json")

    assert answer["Request-ID"] == "outer.1"
    assert get_urlconf() == "project.urls"
    set_urlconf(None)


# ---------------------------------------------------------------- people


def test_registration_signs_the_user_in(browser):
    made = browser.send(
        "/register/", username="ada", name="Ada", email="ada@example.com", password=PASSWORD
    )

    assert (made.status_code, made["Location"]) == (303, "/?done=registered")
    assert made.cookies["session"]["httponly"]
    page = text_of(browser.get(made["Location"]))
    assert "Account created." in page
    assert "Set up your shop" in page


def test_wrong_password_is_rejected_and_not_echoed(browser, person):
    refused = browser.send("/sign-in/", username="ada", password="no such password")

    assert refused.status_code == 403
    assert "no such password" not in refused.content.decode()
    assert 'role="alert"' in refused.content.decode()
    assert 'value="ada"' in refused.content.decode()


def test_sign_in_requires_the_second_factor(ada, client_of, person):
    import pyotp

    users = Client(SERVER_NAME="users.platform.test")
    users.cookies = ada.cookies
    made = users.post("/one-time-passwords/", {"password": PASSWORD}, "application/json").json()
    codes = pyotp.TOTP(made["secret"])
    path = made["uri"].removeprefix("http://users.platform.test")
    confirmed = users.put(path, {"one_time_password": codes.now()}, "application/json")
    assert confirmed.status_code == 204
    late = Browser()

    refused = late.send("/sign-in/", username="ada", password=PASSWORD)

    assert refused.status_code == 403
    assert "Enter the one-time code of your authenticator app." in text_of(refused)


def test_login_link_works_once_and_only_by_post(browser, operator):
    path = link_of(operator)
    assert "One-time link" in text_of(browser.get(path))

    signed_in = browser.send(path)

    assert signed_in["Location"] == "/bureau/"
    assert "Set up your shop" in text_of(browser.get("/bureau/"))
    assert browser.send(path).status_code == 404
    assert "Link expired" in text_of(browser.send(path))


def test_login_link_from_another_origin_is_rejected(browser, operator):
    refused = browser.send(link_of(operator), "http://evil.example")

    assert refused.status_code == 403
    assert "session" not in refused.cookies


def link_of(operator) -> str:
    out = StringIO()
    call_command("login_link", operator.username, stdout=out)
    return out.getvalue().strip().removeprefix("http://platform.test")


def test_signing_out_ends_the_session(ada):
    cookie = ada.cookies["session"].value
    assert ada.send("/sign-out/")["Location"] == "/?done=signed-out"

    ada.cookies["session"] = cookie
    answer = ada.get("/model/")

    assert (answer.status_code, answer["Location"]) == (303, "/sign-in/?next=%2Fmodel%2F")


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "\\\\evil.example"])
def test_sign_in_does_not_redirect_to_another_site(browser, person, back):
    answer = browser.send(f"/sign-in/?next={back}", username="ada", password=PASSWORD)

    assert answer["Location"] == "/"


def test_database_error_is_a_503_page(ada, monkeypatch):
    from django.db import OperationalError

    def away(*arguments):
        raise OperationalError("gone")

    monkeypatch.setattr("apps.warehouse.views.models.readable_models", away)
    page = ada.get("/model/")

    assert page.status_code == 503
    assert page["Retry-After"] == "5"
    assert "Service temporarily unavailable" in text_of(page)


def test_page_authenticates_its_session_once_and_again_after_a_change(ada, shop):
    with CaptureQueriesContext(connection) as read:
        assert ada.get("/order/").status_code == 200
    fields = {"name": "ACME", "key": str(uuid4()), "bureau": f"http://erp.platform.test{shop}"}
    with CaptureQueriesContext(connection) as written:
        assert ada.send("/customer/new/", **fields).status_code == 303

    sessions = ["FROM django_session" in query["sql"] for query in read]
    assert sum(sessions) == 1
    assert sum("FROM django_session" in query["sql"] for query in written) > 1


def test_header_names_no_session_of_a_page(client, person):
    forged = {f"HTTP_{SESSIONS.upper()}": "x", "HTTP_COOKIE": "sessionid=forged"}

    answer = client.get("/users/", SERVER_NAME="users.platform.test", **forged)

    assert answer.status_code == 401
