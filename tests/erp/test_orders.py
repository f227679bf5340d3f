"""Orders: their line items, currency and products; a status that follows."""

import pytest

from tests.erp.test_legacy_fields import TEXTS
from tests.erp.test_line_items import errors_of


@pytest.fixture
def item(make, bureau):
    """`item(...)`: a line item of a part without a model."""

    def make_one(**fields) -> dict:
        fields = {"quantity": 1, "no_model_upload": True, **fields}
        return make("line-item", bureau=bureau["uri"], **fields)

    return make_one


@pytest.fixture
def order(make, bureau) -> dict:
    return make("order", bureau=bureau["uri"], name="Nr. 1")


def status_of(erp, order: dict) -> str:
    return erp.get(order["uri"]).json()["status"]


def test_order_representation_has_all_fields(make, bureau):
    shipping = make("shipping", bureau=bureau["uri"], name="Parcel")
    sent = {
        "name": "Nr. 7",
        "due_date": "2027-03-01",
        "ip_sensitivity": "high",
        "priority": 5,
        "customer_email": "eve@example.com",
        "customer_name": "Eve",
        "customer_po": "PO-1",
        "notes": "Handle with care.",
        "order_owner": "Ada",
        **{name: f"the {name}" for name in TEXTS},
        "shipping": {
            "address": "1 Main Street",
            "name": "Eve",
            "tracking": None,
            "uri": shipping["uri"],
        },
    }

    made = make("order", bureau=bureau["uri"], **sent)

    told = {name: value for name, value in made.items() if name not in ("created", "updated")}
    assert told == sent | {
        "uri": made["uri"],
        "bureau": bureau["uri"],
        "number": 1,
        "status": "new",
        "currency": "EUR",
        "due_date": "2027-03-01T00:00:00+00:00",
        "line_items": [],
        "quote": None,
        "totals": {
            "parts": 0,
            "charges": 0,
            "net": 0,
            "taxes": [],
            "gross": 0,
            "currency": "EUR",
        },
        "customer": None,
        "price_list": None,
        "payment": None,
        "fulfilment": [],
    }


def test_order_status_cannot_be_set_to_complete(erp, order):
    assert erp.put(order["uri"], {"status": "complete"}).status_code == 409

    assert status_of(erp, order) == "new"


def test_line_item_is_added_from_order_or_from_line_item(erp, make, bureau, item):
    first, second = item(), item()

    order = make("order", bureau=bureau["uri"], name="Nr. 1", line_items=[first["uri"]])
    assert order["line_items"] == [first["uri"]]
    erp.put(second["uri"], {"order": order["uri"]})

    assert erp.get(order["uri"]).json()["line_items"] == [first["uri"], second["uri"]]
    assert erp.get(first["uri"]).json()["order"] == order["uri"]


def test_putting_line_items_replaces_the_whole_list(erp, order, item):
    first, second, third = (item(order=order["uri"]) for _ in range(3))

    uris = [third["uri"], first["uri"]]
    assert erp.put(order["uri"], {"line_items": uris}).status_code == 204

    assert erp.get(order["uri"]).json()["line_items"] == [first["uri"], third["uri"]]
    assert erp.get(second["uri"]).json()["order"] is None


def test_order_representation_can_be_put_unchanged(erp, order, item):
    item(order=order["uri"])
    read = erp.get(order["uri"]).json()

    assert erp.put(order["uri"], read).status_code == 204

    assert erp.get(order["uri"]).json() | {"updated": read["updated"]} == read


def test_unknown_line_item_of_an_order_is_named(erp, order, item):
    ours, gone = item(), item()
    erp.delete(gone["uri"])

    answer = erp.put(order["uri"], {"line_items": [ours["uri"], gone["uri"]]})

    assert errors_of(answer) == [("resource-not-found", "line_items")]
    assert gone["uri"] in answer.json()["errors"][0]["title"]
    assert erp.get(order["uri"]).json()["line_items"] == []


def test_order_rejects_a_line_item_of_another_bureau(erp, make, order):
    other = make("bureau", name="Others")
    foreign = make("line-item", bureau=other["uri"], quantity=1, no_model_upload=True)

    answer = erp.put(order["uri"], {"line_items": [foreign["uri"]]})

    assert errors_of(answer) == [("wrong-bureau", "order")]
    assert erp.get(foreign["uri"]).json()["order"] is None


def test_order_status_is_rolled_up_from_its_line_items(erp, order, item, run_jobs):
    first, second = item(order=order["uri"]), item(order=order["uri"])
    run_jobs()
    assert status_of(erp, order) == "new"

    erp.put(first["uri"], {"status": "confirmed"})
    assert status_of(erp, order) == "confirmed"

    erp.put(second["uri"], {"status": "cancelled"})
    assert status_of(erp, order) == "confirmed"

    erp.put(first["uri"], {"status": "cancelled"})
    assert status_of(erp, order) == "cancelled"

    erp.put(second["uri"], {"status": "pending"})
    assert status_of(erp, order) == "new"


def test_order_is_new_when_its_confirmed_items_move_to_another_order(
    erp, make, bureau, order, item, run_jobs
):
    confirmed = item(order=order["uri"])
    run_jobs()
    erp.put(confirmed["uri"], {"status": "confirmed"})
    other = make("order", bureau=bureau["uri"], name="Nr. 2")

    assert erp.put(confirmed["uri"], {"order": other["uri"]}).status_code == 204

    assert (status_of(erp, order), status_of(erp, other)) == ("new", "confirmed")


def test_order_currency_requires_a_conversion(erp, make, bureau, order):
    answer = erp.put(order["uri"], {"currency": "USD"})
    assert (answer.status_code, errors_of(answer)) == (400, [("not-convertible", "currency")])

    make("currency-conversion", bureau=bureau["uri"], currency="USD", value=1.1)

    assert erp.put(order["uri"], {"currency": "usd"}).status_code == 204
    assert erp.get(order["uri"]).json()["currency"] == "USD"


def test_order_rejects_an_unknown_currency(erp, bureau):
    body = {"bureau": bureau["uri"], "name": "Nr. 1", "currency": "XYZ"}

    answer = erp.post("/order/", body)

    assert errors_of(answer) == [("property-value-not-in-allowed-values", "currency")]


def test_change_of_order_currency_restarts_the_estimates(
    erp, make, bureau, order, pending, estimate
):
    item = pending(quantity=2, order=order["uri"])
    make("currency-conversion", bureau=bureau["uri"], currency="USD", value=1.1)

    assert erp.put(order["uri"], {"currency": "USD"}).status_code == 204

    assert erp.get(item["uri"]).json()["status"] == "calculating_estimates"
    estimate()
    cost = erp.get(item["uri"]).json()["estimates"]["cost"]
    assert cost == {"amount": 80.02, "currency": "USD"}


def test_order_currency_is_fixed_for_confirmed_line_items(erp, make, bureau, order, pending):
    item = pending(order=order["uri"])
    erp.put(item["uri"], {"status": "confirmed"})
    make("currency-conversion", bureau=bureau["uri"], currency="USD", value=1.1)
    export = make("order", bureau=bureau["uri"], name="Export", currency="USD")

    repriced = erp.put(order["uri"], {"currency": "USD"})
    moved = erp.put(item["uri"], {"order": export["uri"]})

    assert errors_of(repriced) == [("already-confirmed", "currency")]
    assert errors_of(moved) == [("already-confirmed", "order")]


def test_product_links_an_order_to_a_library_part_that_cannot_change(
    erp, make, bureau, order, cube_model
):
    uri = bureau["uri"]
    library = make("model-library", bureau=uri, name="Cube", model=cube_model["uri"])
    other = make("model-library", bureau=uri, name="Cube, again", model=cube_model["uri"])

    product = make("product", order=order["uri"], model_library=library["uri"])

    assert (product["bureau"], product["name"]) == (uri, None)
    answer = erp.put(product["uri"], {"model_library": other["uri"]})
    assert errors_of(answer) == [("cannot-set-property", "model_library")]


def test_order_with_line_items_cannot_be_deleted(erp, order, item):
    kept = item(order=order["uri"])

    answer = erp.delete(order["uri"])
    assert (answer.status_code, errors_of(answer)) == (409, [("resource-in-use", None)])
    erp.put(kept["uri"], {"order": None})

    assert erp.delete(order["uri"]).status_code == 204
