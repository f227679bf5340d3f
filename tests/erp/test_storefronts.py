"""Storefronts of a bureau, over HTTP."""

import pytest

from tests.conftest import HostClient
from tests.erp.test_prices import refused


@pytest.fixture
def retail(make, bureau) -> dict:
    return make("price-list", bureau=bureau["uri"], name="Retail", country="DE")


@pytest.fixture
def body(bureau, retail) -> dict:
    return {"bureau": bureau["uri"], "slug": "nordform-3d", "price_list": retail["uri"]}


def test_storefront_has_defaults_and_is_not_served(erp: HostClient, body, retail):
    answer = erp.post("/storefront/", body)

    assert answer.status_code == 201, answer.json()
    row = answer.json()
    values = {name: row[name] for name in ("enabled", "review", "review_above", "materials")}
    assert values == {"enabled": False, "review": "always", "review_above": None, "materials": []}
    assert (row["max_files"], row["max_megabytes"], row["days_kept"]) == (5, 100, 14)
    assert erp.delete(retail["uri"]).status_code == 409


def test_enabled_storefront_offers_materials(erp: HostClient, body, make, bureau):
    uri = erp.post("/storefront/", body).json()["uri"]
    nylon = make("material", bureau=bureau["uri"], name="PA 12")["uri"]

    assert refused(erp.put(uri, {"enabled": True})) == {("missing-parameter", "materials")}
    assert erp.get(uri).json()["enabled"] is False
    assert erp.put(uri, {"enabled": True, "materials": [nylon]}).status_code == 204


def test_review_above_needs_an_amount(erp: HostClient, body):
    answer = erp.post("/storefront/", body | {"review": "above"})

    assert refused(answer) == {("missing-parameter", "review_above")}
    made = erp.post("/storefront/", body | {"review": "above", "review_above": 500})
    assert made.json()["review_above"] == 500


@pytest.mark.parametrize(
    "values",
    [
        {"slug": "Nordform"},
        {"slug": "a"},
        {"slug": "-nordform"},
        {"max_files": 21},
        {"max_megabytes": 0},
        {"days_kept": 366},
        {"visits_per_hour": 10_001},
        {"review": "sometimes"},
    ],
)
def test_values_are_bounded(erp: HostClient, body, values):
    (name,) = values

    answer = erp.post("/storefront/", body | values)

    is_form = name == "slug"
    code = "type-validation-error" if is_form else "property-value-not-in-allowed-values"
    assert refused(answer) == {(code, name)}


def test_choices_of_print_options_are_those_of_line_items(erp: HostClient, body):
    choices = {"support_strategies": ["often"], "infill_strategies": ["101%"]}

    answer = erp.post("/storefront/", body | choices | {"layer_thicknesses": [0, 0.2]})

    assert {error["field"] for error in answer.json()["errors"]} == {
        "support_strategies.0",
        "infill_strategies.0",
        "layer_thicknesses.0",
    }


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://www.Example.com/", "https://www.example.com"),
        ("https://example.com:443", "https://example.com"),
        ("https://example.com:8443", "https://example.com:8443"),
        ("http://localhost:4000", "http://localhost:4000"),
    ],
)
def test_origins_of_websites_are_stored_as_browsers_write_them(erp, body, text, origin):
    answer = erp.post("/storefront/", body | {"origins": [text]})

    assert answer.json()["origins"] == [origin]


@pytest.mark.parametrize(
    "origin",
    [
        "http://www.example.com",
        "https://*.example.com",
        "https://example.com/shop",
        "https://example.com:0",
        "https://example.com:65536",
        "https://example.com:",
        "https://example.com; script-src *",
        "https://example.com https://example.org",
        "https://user@example.com",
        "https://192.168.1.5",
        "www.example.com",
        "https://münchen.example",
    ],
)
def test_what_is_no_origin_of_a_website_is_rejected(erp, body, origin):
    answer = erp.post("/storefront/", body | {"origins": ["https://example.com", origin]})

    assert refused(answer) == {("type-validation-error", "origins.1")}
    assert "such as https://www.example.com" in answer.json()["errors"][0]["title"]


def test_storefront_names_no_more_than_20_websites(erp, body):
    origins = [f"https://{number}.example.com" for number in range(21)]

    answer = erp.post("/storefront/", body | {"origins": origins})

    assert refused(answer) == {("property-value-not-in-allowed-values", "origins")}


def test_slug_is_unique_in_the_installation(erp: HostClient, body, make):
    erp.post("/storefront/", body)
    other = make("bureau", name="Others")["uri"]
    sold_by = make("price-list", bureau=other, name="List")["uri"]

    again = erp.post("/storefront/", body | {"bureau": other, "price_list": sold_by})

    assert again.status_code == 409


def test_storefront_is_of_those_who_make_prices(erp: HostClient, body, client_of, member):
    uri = erp.post("/storefront/", body).json()["uri"]
    bob = client_of("erp", member)

    assert bob.get(uri).status_code == 404
    assert bob.post("/storefront/", body | {"slug": "bobs"}).status_code == 403
