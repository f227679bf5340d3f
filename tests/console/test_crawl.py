"""Every link and form of every role leads to a page that is complete."""

import re

import pytest

from apps.erp.models import Bureau, LineItem, Location, Material, Order, Printer
from apps.users.models import User
from core.web import rate_limits
from tests.console.crawler import Crawl, crawl
from tests.console.visitor import (
    PASSWORD,
    Browser,
    ask,
    confirmed_order,
    drop,
    order,
    pack,
    sell,
    set_up,
)

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _no_rate_limit(monkeypatch) -> None:
    """A crawl sends more requests than one browser may."""
    monkeypatch.setattr(rate_limits.TokenBucket, "take", lambda *_arguments: 0.0)


@pytest.fixture
def filled(ada, made_by, upload, cube, open_box, run_jobs, client_of, person) -> str:
    """A shop with all kinds of things, some with nothing but what is required; its bureau's URI."""
    parts = (upload, cube, open_box, run_jobs, client_of, person)
    return made_by(ada, "filled", lambda: fill(ada, *parts))


def fill(ada, upload, cube, open_box, run_jobs, client_of, person) -> str:
    shop = set_up(ada)

    def send(model: dict) -> None:
        upload({"uri": model}, cube)

    confirmed_order(ada, send, run_jobs)
    pack(ada, shop)
    erp, uri = client_of("erp", person), Bureau.objects.get().uri

    def make(kind: str, **fields) -> str:
        made = erp.post(f"/{kind}/", fields)
        assert made.status_code == 201, (kind, made.json())
        return made.headers["Location"]

    bare = make("order", bureau=uri, name="Bare")
    for extra in ({}, {"order": bare}, {"order": bare}):
        make("line-item", bureau=uri, no_model_upload=True, quantity=1, **extra)
    run_jobs()
    LineItem.objects.filter(no_model_upload=True).update(name="")  # as those of earlier versions
    last = LineItem.objects.latest("pk")
    assert erp.put(last.uri, {"status": "confirmed"}).status_code == 204
    upload({"uri": drop(ada, "broken")["Location"]}, b"solid nothing")
    run_jobs()
    assert sell(ada, shop).status_code == 303
    broken = drop(ada, "box")["Location"]
    upload({"uri": broken}, open_box)
    run_jobs()
    drop(ada, "waits for its file")
    model = f"/model/{LineItem.objects.first().model_uri.split('/')[-2]}/"
    assert ask(ada, model).status_code == 303
    assert order(ada, model).status_code == 303
    run_jobs()

    material = Material.objects.first().uri
    customer = make("customer", bureau=uri, name="Smith GmbH", country="DE")
    make("customer-group", bureau=uri, name="Schools")
    company = make("customer-company", bureau=uri, name="Smith GmbH", approval_limit=500)
    make("company-member", company=company, email="smith@example.com", role="approver")
    make("order", bureau=uri, name="Empty", customer=customer)
    hall = Location.objects.first().uri
    make("stock", location=hall, material=material, lot="L-1", initial=1000, unit="g")
    make("working-calendar", bureau=uri, name="Weekdays", time_zone="Europe/Berlin")
    make("shipping", bureau=uri, name="Parcel", cost=5)
    make("invitation", bureau=uri, role="sales", name="Bo")
    offer = make("quote", order=Order.objects.filter(status="new").exclude(name="Empty").get().uri)
    assert offer and LineItem.objects.count() > 2 and Printer.objects.exists()
    return uri


@pytest.fixture
def join(filled, client_of, person, nova):
    """`join("sales")`: the browser of somebody with this role in the shop."""
    erp = client_of("erp", person)

    def signed_in(role: str) -> Browser:
        user = User.objects.create_user(role, f"{role}@example.com", PASSWORD, name=role.title())
        if role != "nobody":
            body = {"bureau": filled, "role": role, "name": role}
            invitation = erp.post("/invitation/", body).headers["Location"]
            token = erp.post(f"{invitation}link/").json()["token"]
            accepted = client_of("erp", user).post("/invitation/accept/", {"token": token})
            assert accepted.status_code == 200 and Location.objects.exists()
        browser = Browser()
        assert browser.send("/sign-in/", username=role, password=PASSWORD).status_code == 303
        return browser

    return signed_in


def test_every_page_of_the_owner_is_complete_in_english_and_german(join):
    browser = join("owner")

    english, german = crawl(browser, "/"), crawl(browser, "/", alike=1, accept_language="de")

    assert len(english.pages) > 100
    assert not (faults := [*english.faults, *german.faults]), "\n".join(faults)
    left = {text: path for text, path in german.texts.items() if _is_english(text, english)}
    assert not left, "\n".join(f"{path}: {text}" for text, path in left.items())


@pytest.mark.parametrize("role", ["production", "sales", "viewer", "nobody"])
def test_every_page_that_a_role_reaches_is_complete(join, role):
    result = crawl(join(role), "/", alike=1)

    assert len(result.pages) > 15
    assert not result.faults, "\n".join(result.faults)


def _is_english(text: str, english: Crawl) -> bool:
    """Whether a text of a German page is a sentence that the English page has as well."""
    is_sentence = re.search("[A-Za-z]{2,} [a-z]{2,}", text) and not re.search(r"\d", text)
    return text in english.texts and bool(is_sentence)
