"""The page of API tokens, and its links to the references of the services."""

import re
from base64 import b64encode
from datetime import timedelta

from django.conf import settings
from django.test import Client

from apps.users.services import password_verification
from tests.console.visitor import PASSWORD, text_of


def created(browser, **fields: str) -> str:
    """The token, as `uuid:secret`, that the page shows."""
    page = browser.send("/api/", **{"name": "script", **fields})
    assert page.status_code == 201, text_of(page)
    return re.search(r'readonly value="([^"]+)"', page.content.decode())[1]


def test_api_page_links_the_reference_of_each_service(browser):
    page = browser.get("/api/").content.decode()

    for service in settings.SERVICES:
        assert f'href="http://{service}.platform.test/docs/"' in page
    assert "/sign-in/?next=/api/" in page


def test_every_page_links_the_api_page(ada):
    for path in ("/model/", "/order/", "/bureau/", "/failed/"):
        assert 'href="/api/"' in ada.get(path).content.decode()


def test_created_token_is_shown_once_and_works(ada):
    page = ada.send("/api/", name="nightly")

    token = re.search(r'readonly value="([^"]+)"', page.content.decode())[1]
    assert page["Cache-Control"] == "no-store"
    secret = token.partition(":")[2]
    later = ada.get("/api/").content.decode()
    assert "nightly" in later
    assert secret not in later
    assert signed_in_as(token) == "ada"


def signed_in_as(token: str) -> str | None:
    """The account that a token signs in; None where it is refused."""
    basic = f"Basic {b64encode(token.encode()).decode()}"
    client = Client(SERVER_NAME="users.platform.test", headers={"authorization": basic})
    answer = client.get("/sessions/")
    return answer.json()["username"] if answer.status_code == 200 else None


def test_revoked_token_is_refused(ada):
    token = created(ada)
    uri = f"http://users.platform.test/api_tokens/{token.partition(':')[0]}/"

    answer = ada.send("/api/", revoke=uri)

    assert answer["Location"] == "/api/?done=revoked"
    assert signed_in_as(token) is None
    assert "No API tokens yet." in text_of(ada.get("/api/"))


def test_revoke_button_deletes_tokens_only(ada, part):
    answer = ada.send("/api/", revoke=f"http://models.platform.test{part}")

    assert answer.status_code == 404
    assert ada.get(part).status_code == 200


def test_token_has_the_expiry_and_restriction_of_the_form(ada):
    created(ada, expires="2099-01-31", read_only="on")

    page = text_of(ada.get("/api/"))
    assert "Read-only" in page
    assert "Valid until 31 Jan 2099, 23:59 UTC" in page
    refused = ada.send("/api/", name="old", expires="2001-01-31")
    assert refused.status_code == 400
    assert 'id="id_expires_error"' in refused.content.decode()


def test_token_form_needs_the_password_of_an_old_session(ada, monkeypatch):
    monkeypatch.setattr(password_verification, "FRESH", timedelta(0))

    refused = ada.send("/api/", name="script")

    assert refused.status_code == 400
    assert 'id="id_password_error"' in refused.content.decode()
    created(ada, password=PASSWORD)
