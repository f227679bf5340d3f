"""Price tables: many ways at once, estimated first and exact when slices are done."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from apps.erp.actors import forget_price_tables, refresh_price_tables
from apps.erp.models import LineItem, PriceTable, PrintSpeed
from apps.erp.price_tables.domain import price_table_cells
from apps.erp.price_tables.domain.ready_dates import backlog_of
from apps.slicing.models import Slice
from tests.erp.conftest import key_of
from tests.erp.test_prices import TERMS, refused


@pytest.fixture
def shop(erp, make, bureau, priced):
    """A list, a tax and two materials that one machine prints; the keys of what is asked for."""
    uri = bureau["uri"]
    make("tax-rule", bureau=uri, name="Full", category="S", country="DE", rate=19)
    sold_by = make("price-list", bureau=uri, name="Retail", country="DE", is_default=True)
    (machine,) = [
        each for each in erp.get("/printer-type/").json()["resources"] if each["name"] == "FDM"
    ]
    nylon = make("material", bureau=uri, name="Nylon", cost=0.5, density=1.1)
    materials = [priced["materials"]["base"], nylon["uri"]]
    assert erp.put(machine["uri"], {"materials": materials}).status_code == 204
    (dyeing,) = erp.get("/post-processor-type/").json()["resources"]
    terms = [dict(term) for term in TERMS]
    terms[2]["post_processor_types"] = [dyeing["uri"]]
    for at, term in enumerate(terms):
        make("price-term", price_list=sold_by["uri"], position=at, **term)
    return {"list": sold_by, "materials": materials, "dyeing": dyeing["uri"], "machine": machine}


@pytest.fixture
def ask(erp, bureau, shop, cube_model):
    """`ask(quantities=[1])`: the answer to the request for a table."""

    def post(client=None, **fields):
        body = {
            "bureau": bureau["uri"],
            "models": [cube_model["uri"]],
            "materials": shop["materials"],
            "quantities": [1, 10],
            **fields,
        }
        return (client or erp).post("/price-table/", body)

    return post


@pytest.fixture
def slice_all():
    """`slice_all()`: every slice that waits is done, and what waits for it goes on."""

    def run(status="processed", **fields) -> list[str]:
        figures = {"build_time_seconds": 3600, "build_volume_cc": 8.1, "support_volume_cc": 0.5}
        done = []
        for row in Slice.objects.filter(status="queued"):
            row.move("processing")
            row.move(status, estimates=figures, figures={"layers": 100}, **fields)
            refresh_price_tables.fn(row.uri)
            done.append(row.uri)
        return done

    return run


def test_price_table_is_estimated_at_once_and_exact_after_slicing(
    erp, ask, shop, slice_all, cube_model
):
    answer = ask(finishes=[[], [shop["dyeing"]]])

    assert answer.status_code == 201, answer.json()
    table = answer.json()
    assert answer["Location"] == table["uri"]
    assert (table["status"], table["currency"], len(table["cells"])) == ("estimated", "EUR", 8)
    first = table["cells"][0]
    assert (first["basis"], first["within"], first["review"]) == ("estimate", 50, None)
    assert first["net"] > 5.9 and first["gross"] > first["net"] and first["ready"]
    assert [cell["quantity"] for cell in table["cells"]] == [1, 1, 10, 10, 1, 1, 10, 10]
    assert [len(cell["finish"]) for cell in table["cells"][:2]] == [0, 1]

    assert len(slice_all()) == 1  # two materials, one config
    table = erp.get(table["uri"]).json()

    assert table["status"] == "exact"
    cell = table["cells"][2]
    # 10 x 8.1 x 0.4 + 10 x 3.9 + 5, and the parcel
    assert (cell["net"], cell["tax"], cell["gross"]) == (82.3, 15.64, 97.94)
    assert (cell["unit"], cell["unit_of"], cell["basis"], cell["within"]) == (7.64, 1, "slice", 0)
    assert [term["sentence"] for term in cell["terms"]] == [
        "Material, 10 x 8.1 cm³ at 0.40",
        "Machine time, 10 x 1 h 0 min at 3.90",
        "Setting up",
        "Parcel",
    ]
    assert sum(term["amount"] for term in cell["terms"]) == pytest.approx(cell["net"])


def test_equal_request_returns_the_same_price_table_until_the_list_changes(erp, ask, shop):
    first = ask()

    assert ask()["Location"] == first["Location"]
    assert ask(quantities=[1, 11])["Location"] != first["Location"]
    (material,) = erp.get("/price-term/", {"filter[name]": "Material"}).json()["resources"]
    assert erp.put(material["uri"], {"amount": 0.5}).status_code == 204
    second = ask()
    assert second["Location"] != first["Location"]
    assert second.json()["cells"][0]["net"] > first.json()["cells"][0]["net"]
    assert erp.get(first["Location"]).json()["cells"] == first.json()["cells"]
    assert Slice.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_equal_requests_create_one_price_table_and_one_slice(
    erp, ask, client_of, person
):
    ask_once = ask

    def request(_: int) -> str:
        try:
            return ask_once(client_of("erp", type(person).objects.get(pk=person.pk)))["Location"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        places = list(threads.map(request, range(40)))

    assert len(set(places)) == 1
    assert (PriceTable.objects.count(), Slice.objects.count()) == (1, 1)


def test_ordered_cell_uses_the_workflow_with_exactly_its_finishes(
    erp, make, bureau, ask, shop, priced, slice_all
):
    table = ask(quantities=[10], finishes=[[], [shop["dyeing"]]]).json()
    order = make("order", bureau=bureau["uri"], name="1")
    body = {"order": order["uri"], "cells": [1]}
    assert refused(erp.put(table["uri"], body)) == {("cell-not-priced", "cells")}
    slice_all()

    assert erp.put(table["uri"], body).status_code == 204
    (uri,) = erp.get(table["uri"]).json()["line_items"]
    assert erp.get(uri).json()["workflow"] == priced["workflow"]
    for step in erp.get("/process-step/").json()["resources"]:
        if step["process_type"] == shop["dyeing"]:
            assert erp.delete(step["uri"]).status_code == 204
    assert refused(erp.put(table["uri"], body)) == {("no-workflow", None)}


def test_ordered_cell_keeps_its_price_through_quote_and_confirmation(
    erp, make, bureau, ask, slice_all, estimate, shop
):
    table = ask().json()
    slice_all()
    cell = erp.get(table["uri"]).json()["cells"][1]
    order = make("order", bureau=bureau["uri"], name="1")

    answer = erp.put(table["uri"], {"order": order["uri"], "cells": [1]})

    assert answer.status_code == 204, answer.json()
    (uri,) = erp.get(table["uri"]).json()["line_items"]
    estimate()
    item = erp.get(uri).json()
    assert item["status"] == "pending"
    assert (item["quantity"], item["order"]) == (10, order["uri"])
    assert item["price"]["agreed"] == table["uri"]
    assert item["price"]["net"] == pytest.approx(cell["net"] - 5.9)
    quote = make("quote", order=order["uri"])
    assert (quote["net"], quote["gross"]) == (cell["net"], cell["gross"])
    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204
    assert LineItem.objects.get(pk=key_of(item)).status == "confirmed"
    assert erp.get(uri).json()["price"] == item["price"]


def test_order_of_a_cell_is_rejected_with_both_prices_if_the_list_changed(
    erp, make, bureau, ask, slice_all, shop
):
    table = ask().json()
    slice_all()
    before = erp.get(table["uri"]).json()["cells"][1]
    (material,) = erp.get("/price-term/", {"filter[name]": "Material"}).json()["resources"]
    assert erp.put(material["uri"], {"amount": 0.5}).status_code == 204
    order = make("order", bureau=bureau["uri"], name="1")

    answer = erp.put(table["uri"], {"order": order["uri"], "cells": [1]})

    assert refused(answer) == {("price-changed", None)}
    (changed,) = answer.json()["errors"][0]["details"]["cells"]
    assert changed["was"] == {name: before[name] for name in ("net", "tax", "gross")}
    assert changed["now"]["net"] == pytest.approx(before["net"] + 8.1)
    assert LineItem.objects.count() == 0
    assert erp.get(table["uri"]).json()["line_items"] == []


def test_backlog_counts_a_line_item_once_however_many_steps_print_it(
    erp, make, bureau, shop, pending
):
    machine = shop["machine"]["uri"]
    workflow = make("workflow", bureau=bureau["uri"], name="Printed twice")["uri"]
    for at in (1, 2):
        make("process-step", workflow=workflow, step_position=at, process_type=machine)
    item = pending(quantity=24, workflow=workflow)  # of one hour each
    assert erp.put(item["uri"], {"status": "confirmed"}).status_code == 204
    basis = {"materials": [{"machine": machine}], "hours_a_day": 24}

    assert backlog_of(basis) == {machine: 1.0}


def test_cell_that_cannot_be_priced_is_empty_with_reasons(erp, make, bureau, ask, slice_all):
    steel = make("material", bureau=bureau["uri"], name="Steel")

    cells = ask(materials=[steel["uri"]], due=[None, "2020-01-01"]).json()["cells"]

    assert [[each["code"] for each in cell["review"]] for cell in cells] == [
        ["no-rule"],
        ["no-rule", "not-due"],
    ] * 2
    assert {cell[name] for cell in cells for name in ("unit", "net", "tax", "gross")} == {None}
    assert cells[0]["terms"] == []


def test_failed_slice_leaves_an_empty_cell(erp, ask, slice_all):
    table = ask().json()

    slice_all("error", errors=[{"code": "time-limit", "title": "It took too long."}])

    told = erp.get(table["uri"]).json()
    assert table["cells"][0]["net"] is not None
    assert (told["status"], told["cells"][0]["net"]) == ("exact", None)
    assert [each["code"] for each in told["cells"][0]["review"]] == ["too-large"]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"quantities": [0]}, ("property-value-not-in-allowed-values", "quantities.0")),
        ({"quantities": []}, ("property-value-not-in-allowed-values", "quantities")),
        ({"models": ["nothing"]}, ("resource-not-found", "models")),
        ({"materials": ["nothing"]}, ("resource-not-found", "materials")),
        ({"finishes": [["nothing"]]}, ("resource-not-found", "finishes.0")),
        ({"vat_number": "FR00"}, ("property-value-not-in-allowed-values", "vat_number")),
        ({"due": ["soon"]}, ("type-validation-error", "due.0")),
        ({"order": None}, ("type-validation-error", "order")),
        ({"nested": "yes"}, ("type-validation-error", "nested")),
    ],
)
def test_invalid_price_table_request_is_rejected_with_its_field(ask, fields, fault):
    found = refused(ask(**fields))

    assert {where for _, where in found} == {fault[1]}


def test_price_table_requires_a_price_list(erp, ask, shop):
    assert erp.put(shop["list"]["uri"], {"is_default": False}).status_code == 204

    assert refused(ask()) == {("no-price-list", None)}


SECRET = ("factor", "source", "cost", "formula", "why", "price_list", "breaks", "rate")


def test_price_table_reveals_no_costs_to_its_readers(
    erp, make, client_of, operator, bureau, member, ask, shop, slice_all, person
):
    user = type(person).objects.create_user("eve", "eve@example.com", "correct horse battery")
    customer = make("customer", bureau=bureau["uri"], name="Eve", country="DE", user=user.uri)
    uri = ask(customer=customer["uri"]).json()["uri"]
    slice_all()

    hers, theirs = client_of("erp", user), client_of("erp", member)
    for client in (hers, theirs, erp):
        told = client.get(uri)
        assert told.status_code == 200
        text = json.dumps(told.json())
        assert [word for word in SECRET if f'"{word}"' in text] == []
    paths = client_of("erp", user).get("/openapi.json").json()["paths"]
    seen = {}
    for path in paths:
        if "{" not in path and path not in ("/trace/", "/recall/", "/role/"):
            answer = hers.get(path)
            if answer.status_code == 200 and answer.json().get("resources"):
                seen[path] = len(answer.json()["resources"])
    assert seen == {"/price-table/": 1}
    assert hers.put(uri, {"order": "x", "cells": [0]}).status_code == 403
    assert hers.get(customer["uri"]).status_code == 404


def test_expired_price_tables_are_deleted(ask):
    uri = ask().json()["uri"]
    PriceTable.objects.update(expires="2020-01-01T00:00:00Z")

    forget_price_tables.fn()

    assert PriceTable.objects.count() == 0 and uri
    assert PrintSpeed.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_tables_of_concurrent_requests_are_computed_one_at_a_time(ask, monkeypatch):
    at_work, together = [], []
    compute = price_table_cells.cells_of

    def watched(*args, **options):
        at_work.append(1)
        together.append(len(at_work))
        time.sleep(0.05)
        try:
            return compute(*args, **options)
        finally:
            at_work.pop()

    def request(quantity: int) -> int:
        try:
            return ask(quantities=[quantity]).status_code
        finally:
            connections.close_all()

    monkeypatch.setattr(price_table_cells, "cells_of", watched)
    with ThreadPoolExecutor(4) as threads:
        statuses = list(threads.map(request, range(1, 5)))

    assert statuses == [201] * 4
    assert together == [1] * 4


@pytest.mark.django_db(transaction=True)
def test_cells_are_computed_outside_of_a_transaction(erp, ask, monkeypatch):
    inside = []
    compute = price_table_cells.cells_of

    def watched(*args, **options):
        inside.append(connections["default"].in_atomic_block)
        return compute(*args, **options)

    monkeypatch.setattr(price_table_cells, "cells_of", watched)

    assert ask().status_code == 201
    assert inside == [False]
