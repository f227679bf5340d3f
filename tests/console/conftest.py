"""Browsers of a stranger and of somebody who is signed in."""

import pytest
from django.core.handlers.wsgi import WSGIHandler

from apps.erp.price_tables.actors.price_tables import refresh_price_tables
from apps.slicing.models import Slice
from apps.users.models import User
from tests.console.visitor import PASSWORD, Browser, confirmed_order, drop, sell, set_up


@pytest.fixture
def browser(db) -> Browser:
    return Browser()


@pytest.fixture
def made_by(made_once):
    """`made_by(browser, "shop", make)`: as `made_once`, with the session of the browser."""

    def once(browser: Browser, name: str, make):
        value, cookies = made_once(name, lambda: (make(), browser.cookies))
        browser.cookies = cookies
        return value

    return once


@pytest.fixture
def ada(browser, person, made_by) -> Browser:
    """A browser in which `person` is signed in."""

    def sign_in() -> None:
        assert browser.send("/sign-in/", username="ada", password=PASSWORD).status_code == 303

    made_by(browser, "ada", sign_in)
    return browser


@pytest.fixture
def part(ada, upload, cube, run_jobs, made_by) -> str:
    """The page of a model that can be made."""

    def make() -> str:
        path = drop(ada, "cube")["Location"]
        upload({"uri": path}, cube)
        run_jobs()
        return path

    return made_by(ada, "part", make)


@pytest.fixture
def shop(ada, made_by) -> str:
    """The page of a shop of hers."""
    return made_by(ada, "shop", lambda: set_up(ada))


@pytest.fixture
def confirmed(ada, shop, upload, cube, run_jobs, made_by) -> str:
    """The page of a confirmed order of three cubes."""

    def make() -> str:
        return confirmed_order(ada, lambda path: upload({"uri": path}, cube), run_jobs)

    return made_by(ada, "confirmed", make)


@pytest.fixture
def confirmed_sale(ada, shop, upload, cube, run_jobs, made_by) -> str:
    """The page of a confirmed order of three cubes, sold by a price list."""

    def make() -> str:
        assert sell(ada, shop).status_code == 303
        return confirmed_order(ada, lambda path: upload({"uri": path}, cube), run_jobs)

    return made_by(ada, "confirmed sale", make)


@pytest.fixture
def api_requests(monkeypatch) -> list[str]:
    """A list that fills with the paths of all requests: those of pages, and what they ask."""
    paths = []
    real = WSGIHandler.get_response

    def counted(self, request):
        paths.append(request.path)
        return real(self, request)

    monkeypatch.setattr(WSGIHandler, "get_response", counted)
    return paths


@pytest.fixture
def storefront(ada, shop, client_of, made_by):
    """`storefront(review="instant")`: the path of an enabled storefront of Ada's shop."""

    def make(**values) -> str:
        return made_by(ada, f"storefront {values}", lambda: create(**values))

    def create(**values) -> str:
        erp = client_of("erp", User.objects.get(username="ada"))
        bureau = erp.get("/bureau/").json()["resources"][0]["uri"]
        prices = {"bureau": bureau, "name": "Retail", "country": "DE", "is_default": True}
        prices = erp.post("/price-list/", prices).json()["uri"]
        term = {"price_list": prices, "step": "piece", "unit": "cc", "name": "Material"}
        erp.post("/price-term/", {**term, "amount": 2})
        tax = {"bureau": bureau, "name": "VAT", "category": "S", "country": "DE", "rate": 19}
        erp.post("/tax-rule/", tax)
        materials = [row["uri"] for row in erp.get("/material/").json()["resources"]]
        body = {"bureau": bureau, "slug": "parts", "price_list": prices, "enabled": True}
        made = erp.post("/storefront/", {**body, "materials": materials, **values})
        assert made.status_code == 201, made.json()
        return "/s/parts/"

    return make


@pytest.fixture
def sliced(run_jobs):
    """`sliced()`: jobs are run, and what waits for a slice goes on with made-up figures."""

    def run() -> None:
        run_jobs()
        figures = {"build_time_seconds": 3600, "build_volume_cc": 8.1, "support_volume_cc": 0.5}
        for row in Slice.objects.exclude(status="processed"):
            Slice.objects.filter(pk=row.pk).update(
                status="processed", estimates=figures, figures={"layers": 100}
            )
            refresh_price_tables.fn(row.uri)
        run_jobs()

    return run
