"""Accounts of customers over HTTP: sign-in, rights, passwords."""

import base64
import re
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from apps.sales.models import CustomerAccount, CustomerLink
from apps.users.models import User
from tests.erp.conftest import bureau, make  # noqa: F401  fixtures
from tests.erp.test_prices import refused
from tests.sales.test_visits import storefront  # noqa: F401  fixture

EMAIL = "joost@example.com"
PASSWORD = "correct horse battery"


@pytest.fixture
def sales(client_of):
    """The sales host without credentials."""
    return client_of("sales")


@pytest.fixture
def shop(storefront, make, bureau):  # noqa: F811
    """A shop with one customer."""
    storefront()
    return make("customer", bureau=bureau["uri"], name="Joost", email="Joost@Example.com")


@pytest.fixture
def mailed_token(sales, run_jobs):
    """`mailed_token()`: the token of a link that was mailed; empty where none was."""

    def request(email: str = EMAIL, **body: str) -> str:
        mail.outbox.clear()
        path = "/customer-account/sign-in-link/"
        answer = sales.post(path, {"storefront": "parts", "email": email, **body})
        assert answer.status_code == 202
        run_jobs()
        links = [re.search("/account/link/([^/]+)/", str(each.body)) for each in mail.outbox]
        return links[0][1] if links else ""

    return request


@pytest.fixture
def sign_in(sales, mailed_token):
    """`sign_in()`: the answer to a sign-in by a link."""

    def by_link(email: str = EMAIL) -> dict:
        body = {"token": mailed_token(email)}
        answer = sales.post("/customer-account/sign-in-by-link/", body)
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return by_link


@pytest.fixture
def host_of(client_of):
    """`host_of(session, "models")`: a host as a customer reaches it."""

    def make_client(session: dict, host: str = "sales"):
        pair = base64.b64encode(f"{session['token']}:{session['secret']}".encode()).decode()
        return client_of(host, HTTP_AUTHORIZATION=f"Basic {pair}")

    return make_client


def test_sign_in_by_a_link_makes_one_account_of_an_address(shop, sign_in, host_of):
    first, second = sign_in(), sign_in("JOOST@example.com")

    assert first["account"]["uri"] == second["account"]["uri"]
    assert first["account"]["email"] == EMAIL
    assert first["storefront"] == "parts"
    mine = host_of(second).get("/customer-account/").json()["resources"]
    assert mine == [second["account"]]


def test_link_works_once_and_within_24_hours(shop, sales, mailed_token):
    path, used, late = "/customer-account/sign-in-by-link/", mailed_token(), mailed_token()
    assert sales.post(path, {"token": used}).status_code == 201
    CustomerLink.objects.filter(used=None).update(expires=timezone.now() - timedelta(seconds=1))

    answers = [sales.post(path, {"token": token}) for token in (used, late, "unknown")]

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert len({answer.json()["errors"][0]["title"] for answer in answers}) == 1


def test_only_addresses_of_customers_get_a_mail_and_no_more_than_10_a_day(shop, mailed_token):
    assert mailed_token("stranger@example.com") == ""
    assert all(mailed_token() for _ in range(10))
    assert mailed_token() == ""


def test_mail_is_in_the_language_of_the_request(shop, mailed_token):
    mailed_token(language="de")

    assert mail.outbox[0].subject.startswith("Anmelden bei ")
    assert mail.outbox[0].to == [EMAIL]


def test_requests_for_links_of_an_address_are_limited(shop, sales):
    body = {"storefront": "parts", "email": "a@example.com"}
    codes = [sales.post("/customer-account/sign-in-link/", body).status_code for _ in range(21)]

    assert codes == [202] * 20 + [429]


def test_customers_have_segments_by_account(shop, sign_in, make, bureau, client_of, person):  # noqa: F811
    make("customer", bureau=bureau["uri"], name="Ahlers", email="mail@ahlers.example")
    make("customer", bureau=bureau["uri"], name="Without address")
    other = make("bureau", name="Other")
    make("customer", bureau=other["uri"], name="Joost of another shop", email=EMAIL)
    sign_in()
    erp = client_of("erp", person)

    def in_segment(name: str) -> list[str]:
        query = {"filter[segment]": name, "count_by": "segment", "sort": "name"}
        page = erp.get("/customer/", query).json()
        counts = page["meta"]["counts"]
        assert (counts["storefront"], counts["no-storefront"]) == (1, 3)
        return [row["name"] for row in page["resources"]]

    assert in_segment("storefront") == ["Joost"]
    assert in_segment("no-storefront") == ["Ahlers", "Joost of another shop", "Without address"]
    assert len(in_segment("storefront,no-storefront")) == 4


def test_customer_reads_and_changes_nothing_of_others(shop, sign_in, host_of, make, bureau):  # noqa: F811
    make("customer", bureau=bureau["uri"], name="Eve", email="eve@example.com")
    mine, other = sign_in(), sign_in("eve@example.com")
    uri = other["account"]["uri"]
    joost = host_of(mine)

    answers = [
        joost.get(uri),
        joost.get(f"{uri}orders/"),
        joost.get(f"{uri}parts/"),
        joost.put(uri, {"name": "Mallory"}),
        joost.post(f"{uri}sign-out/"),
        joost.delete(uri),
    ]

    assert {answer.status_code for answer in answers} == {404}
    for host in ("users", "models", "erp"):
        assert host_of(mine, host).get("/").status_code in (403, 404)


def test_password_needs_the_present_one_after_ten_minutes(shop, sign_in, host_of):
    session = sign_in()
    uri, joost = session["account"]["uri"], host_of(session)
    assert joost.put(uri, {"password": PASSWORD}).status_code == 204
    assert joost.get(uri).json()["has_password"] is True
    CustomerAccount.objects.update(confirmed=timezone.now() - timedelta(minutes=11))
    change = {"password": "another horse battery"}

    missing = joost.put(uri, change)
    wrong = joost.put(uri, change | {"current_password": "wrong"})
    right = joost.put(uri, change | {"current_password": PASSWORD})

    assert refused(missing) == {("missing-parameter", "current_password")}
    assert wrong.status_code == 403
    assert right.status_code == 204


def test_weak_passwords_are_rejected(shop, sign_in, host_of):
    session = sign_in()

    answer = host_of(session).put(session["account"]["uri"], {"password": "joost@example.com"})

    assert {field for _code, field in refused(answer)} == {"password"}


def test_wrong_passwords_are_answered_alike_and_limited(shop, sales):
    body = {"storefront": "parts", "password": "wrong horse battery"}
    path = "/customer-account/sign-in/"

    wrong = [sales.post(path, body | {"email": EMAIL}) for _ in range(6)]
    unknown = sales.post(path, body | {"email": "stranger@example.com"})

    assert [answer.status_code for answer in wrong] == [403] * 5 + [429]
    assert unknown.status_code == 403
    assert unknown.json() == wrong[0].json()


def test_account_ends_with_its_sessions(shop, sign_in, host_of):
    session = sign_in()
    joost = host_of(session)

    assert joost.delete(session["account"]["uri"]).status_code == 204

    assert joost.get("/customer-account/").status_code == 401
    assert not User.objects.filter(username__startswith="guest-", is_active=True).exists()
