"""Visits of storefronts: what a guest may do, and what becomes of it."""

import base64
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.sales.actors import end_visits
from apps.sales.models import Visit
from apps.sales.services import visits
from apps.users.models import User
from apps.warehouse.models import Model
from tests.erp.conftest import bureau, make  # noqa: F401  fixtures
from tests.erp.test_prices import refused


@pytest.fixture
def storefront(make, bureau):  # noqa: F811
    """`storefront(max_files=1)`: an enabled storefront."""

    def create(**values) -> dict:
        uri = bureau["uri"]
        return make(
            "storefront",
            bureau=uri,
            slug="parts",
            price_list=make("price-list", bureau=uri, name="Retail")["uri"],
            materials=[make("material", bureau=uri, name="PA 12")["uri"]],
            **{"enabled": True, **values},
        )

    return create


@pytest.fixture
def begin(client_of):
    """`begin()`: the answer to the beginning of a visit."""
    return lambda **options: client_of("sales", **options).post("/visit/", {"storefront": "parts"})


@pytest.fixture
def host_of(client_of):
    """`host_of(visit, "models")`: a host as the guest of a visit reaches it."""

    def make_client(visit: dict, host: str):
        pair = base64.b64encode(f"{visit['token']}:{visit['secret']}".encode()).decode()
        return client_of(host, HTTP_AUTHORIZATION=f"Basic {pair}")

    return make_client


def test_anybody_begins_a_visit_of_an_enabled_storefront(storefront, begin, host_of, bureau):  # noqa: F811
    storefront()

    answer = begin()

    assert answer.status_code == 201
    visit = answer.json()
    assert (visit["storefront"], visit["bureau"]) == ("parts", bureau["uri"])
    again = host_of(visit, "sales").get(visit["uri"]).json()
    assert again == {**visit, "token": None, "secret": None}
    assert Visit.objects.get().expires < timezone.now() + timedelta(days=14, minutes=1)


def test_storefront_that_is_not_enabled_has_no_visits(storefront, begin):
    storefront(enabled=False)

    answer = begin()

    assert answer.status_code == 404
    assert answer.json()["errors"][0]["field"] == "storefront"
    assert not Visit.objects.exists()


def test_visits_of_an_address_are_limited(storefront, begin):
    storefront(visits_per_hour=2)
    first, second, third = (begin() for _ in range(3))

    assert (first.status_code, second.status_code, third.status_code) == (201, 201, 429)
    assert "Retry-After" in third.headers
    assert begin(REMOTE_ADDR="203.0.113.7").status_code == 201


def test_files_of_a_visit_are_limited(storefront, begin, host_of):
    storefront(max_files=1)
    models = host_of(begin().json(), "models")

    assert models.post("/model/", {"name": "bracket"}).status_code == 201
    assert models.post("/model/", {"name": "lid"}).status_code == 429


def test_guest_reads_no_other_visit(storefront, begin, host_of, client_of, stranger):
    storefront()
    one, other = begin().json(), begin().json()
    sales = host_of(one, "sales")

    assert sales.get(other["uri"]).status_code == 404
    assert [row["uri"] for row in sales.get("/visit/").json()["resources"]] == [one["uri"]]
    assert client_of("sales", stranger).get(one["uri"]).status_code == 404
    assert client_of("sales").get(one["uri"]).status_code == 401


def test_visit_ends_with_its_models(storefront, begin, host_of, run_jobs):
    storefront()
    over, open_ = begin().json(), begin().json()
    for visit in (over, open_):
        host_of(visit, "models").post("/model/", {"name": "bracket"})
    guest = Visit.objects.get(pk=over["uri"].split("/")[-2]).guest
    User.objects.filter(pk=guest.pk).update(guest_until=timezone.now() - timedelta(hours=1))

    end_visits()
    run_jobs()

    assert [row.uri for row in Visit.objects.all()] == [open_["uri"]]
    assert Model.objects.get(owner=guest).deleted
    assert host_of(over, "models").get("/model/").status_code == 401
    assert len(host_of(open_, "models").get("/model/").json()["resources"]) == 1


def test_visit_names_a_storefront(begin, client_of):
    assert refused(client_of("sales").post("/visit/", {})) == {("empty-payload", None)}


def test_orders_and_price_tables_of_a_visit_are_limited(storefront, begin, host_of, monkeypatch):
    storefront()
    visit = begin().json()
    sales = host_of(visit, "sales")
    monkeypatch.setattr(visits, "MAX_TABLES", 1)
    monkeypatch.setattr(visits, "MAX_ORDERS", 1)
    models = {"models": ["http://models.platform.test/model/01900000-0000-7000-8000-000000000000/"]}
    address = {"street": "A 1", "postcode": "1", "city": "B", "country": "DE"}
    buyer = {"name": "Joost", "email": "joost@example.com", "address": address}

    for path, body in (("price-table", models), ("order", buyer)):
        answers = [sales.post(f"{visit['uri']}{path}/", body).status_code for _ in range(2)]
        assert answers == [400, 429], path


def test_table_takes_the_print_options_that_are_offered(storefront, begin, host_of):
    storefront(infill_strategies=["20%"], layer_thicknesses=[0.2])
    visit = begin().json()
    models = ["http://models.platform.test/model/01900000-0000-7000-8000-000000000000/"]
    options = {"support_strategy": "on", "infill_strategy": "20%", "layer_thickness": 0.3}

    answer = host_of(visit, "sales").post(
        f"{visit['uri']}price-table/", {"models": models, **options}
    )

    code = "property-value-not-in-allowed-values"
    assert refused(answer) == {(code, "support_strategy"), (code, "layer_thickness")}
    front = host_of(visit, "sales").get("/store/parts/").json()
    offered = ("support_strategies", "infill_strategies", "layer_thicknesses")
    assert [front[name] for name in offered] == [[], ["20%"], [0.2]]


def test_cart_takes_cells_of_own_tables_only(storefront, begin, host_of):
    storefront()
    visit = begin().json()
    foreign = "http://sales.platform.test/visit/x/price-table/01900000-0000-7000-8000-000000000000/"

    answer = host_of(visit, "sales").put(
        visit["uri"], {"cart": [{"price_table": foreign, "cell": 0}]}
    )

    assert refused(answer) == {("property-value-not-in-allowed-values", "cart")}
    half = host_of(visit, "sales").put(visit["uri"], {"cart": [{"cell": 0}]})
    assert refused(half) == {("missing-parameter", "cart")}


def test_date_by_which_parts_are_needed_is_not_over(storefront, begin, host_of):
    storefront()
    visit = begin().json()
    address = {"street": "A 1", "postcode": "1", "city": "B", "country": "DE"}
    buyer = {"name": "Joost", "email": "joost@example.com", "address": address}

    answer = host_of(visit, "sales").post(
        f"{visit['uri']}order/", {**buyer, "needed_by": "2020-01-31"}
    )

    assert refused(answer) == {("property-value-not-in-allowed-values", "needed_by")}
