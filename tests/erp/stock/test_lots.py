"""Lots of material, and the books that are kept of them."""

import pytest
from django.core.management import call_command

from apps.erp import interface
from apps.erp.models import Stock
from tests.erp.conftest import key_of


def codes(answer) -> list[str]:
    return [error["code"] for error in answer.json()["errors"]]


def test_lot_starts_with_its_receipt_and_its_amounts_are_read_only(erp, lot_of, book):
    lot = lot_of(1000, lot="B-2217", supplier="Acme", price=21.9, expires="2030-01-01")

    assert (lot["initial"], lot["remaining"], lot["reserved"]) == (1000, 1000, 0)
    assert (lot["lot"], lot["supplier"], lot["price"], lot["unit"]) == (
        "B-2217",
        "Acme",
        21.9,
        "g",
    )
    assert book(lot) == [["receipt", 1000]]
    assert erp.put(lot["uri"], lot).status_code == 204
    for change in ({"initial": 900}, {"unit": "ml"}, {"remaining": 900}):
        refused = erp.put(lot["uri"], change)
        assert (refused.status_code, codes(refused)) == (400, ["cannot-set-property"])


@pytest.mark.parametrize("initial", [0, -1, 1e12, "much"])
def test_lot_rejects_an_invalid_initial_amount(erp, location, material, initial):
    body = {"location": location["uri"], "material": material, "initial": initial}

    assert erp.post("/stock/", body).status_code == 400


def test_lot_without_initial_amount_is_uncounted_until_its_first_receipt(
    erp, make, location, material
):
    row = make("stock", location=location["uri"], material=material, quantity=2.5)

    assert (row["quantity"], row["initial"], row["remaining"]) == (2.5, None, None)
    early = erp.post("/stock-movement/", {"stock": row["uri"], "kind": "use", "amount": -5})
    assert (early.status_code, codes(early)) == (409, ["not-counted"])
    came = {"stock": row["uri"], "kind": "receipt", "amount": 750}
    assert erp.post("/stock-movement/", came).status_code == 201
    assert erp.get(row["uri"]).json()["initial"] == 750


def test_manual_stock_movements_change_the_remaining_amount(erp, lot_of, book, left):
    lot = lot_of(1000)

    for kind, fields in [
        ("use", {"amount": -200.5}),
        ("reject", {"amount": -60}),
        ("return", {"amount": 10.25}),
        ("correction", {"left": 512.125, "notes": "Weighed."}),
    ]:
        answer = erp.post("/stock-movement/", {"stock": lot["uri"], "kind": kind, **fields})
        assert answer.status_code == 201, answer.json()

    assert left(lot) == (512.125, 0)
    assert book(lot)[1:] == [
        ["use", -200.5],
        ["reject", -60],
        ["return", 10.25],
        ["correction", -237.625],
    ]
    last = answer.json()
    assert (last["source"], last["run"], last["notes"]) == ("person", None, "Weighed.")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"kind": "receipt", "amount": -1}, 400),
        ({"kind": "use", "amount": 1}, 400),
        ({"kind": "correction", "amount": 0}, 400),
        ({"kind": "correction"}, 400),
        ({"kind": "correction", "amount": 1, "left": 1}, 400),
        ({"kind": "correction", "left": -1}, 400),
        ({"kind": "use", "left": 1}, 400),
        ({"kind": "theft", "amount": -1}, 400),
        ({"kind": "use", "amount": "much"}, 400),
        ({"kind": "receipt", "amount": 1e300}, 400),
        ({"kind": "correction", "left": 1000}, 409),
    ],
)
def test_invalid_stock_movement_is_rejected(erp, lot_of, book, fields, status):
    lot = lot_of(1000)

    answer = erp.post("/stock-movement/", {"stock": lot["uri"], **fields})

    assert answer.status_code == status, answer.json()
    assert book(lot) == [["receipt", 1000]]


def test_stock_movements_cannot_be_changed_or_deleted(erp, lot_of):
    lot = lot_of(1000)
    (entry,) = erp.get(f"/stock-movement/?filter[stock]={lot['uri']}").json()["resources"]

    assert erp.put(entry["uri"], {"amount": 900}).status_code == 405
    assert erp.delete(entry["uri"]).status_code == 405


def test_unused_lot_can_be_deleted_and_used_lot_cannot(erp, lot_of, machine, run_of, make):
    wrong, lot = lot_of(10_000), lot_of(1000)
    assert erp.delete(wrong["uri"]).status_code == 204
    erp.put(machine["uri"], {"loaded": [lot["uri"]]})
    attempt = make("attempt", run=run_of()["uri"], printer=machine["uri"])
    erp.put(attempt["uri"], {"status": "printing"})
    erp.put(attempt["uri"], {"status": "done"})
    erp.put(machine["uri"], {"loaded": []})

    assert erp.delete(lot["uri"]).status_code == 409


def test_lots_are_filtered_and_sorted_by_remaining_amount(erp, lot_of):
    full, low = lot_of(1000), lot_of(80)

    found = erp.get("/stock/?filter[remaining]<=100&sort=remaining").json()["resources"]

    assert [row["uri"] for row in found] == [low["uri"]] != [full["uri"]]


@pytest.mark.parametrize(
    ("asked", "status", "count"),
    [
        ("filter[remaining]=1.001", 200, 1),
        ("filter[remaining]=1e308", 200, 0),
        ("filter[remaining]<=1e308", 200, 1),
        ("filter[remaining]>=-1e308", 200, 1),
        ("filter[remaining]<=nan", 400, None),
    ],
)
def test_remaining_amount_filter_accepts_any_finite_number(erp, lot_of, asked, status, count):
    lot_of(1.001)

    answer = erp.get(f"/stock/?{asked}")

    assert (answer.status_code, answer.json().get("meta", {}).get("count")) == (status, count)


def test_members_write_movements_and_strangers_cannot_read_shortages(
    client_of, member, lot_of, make
):
    lot = lot_of(1000)
    used = {"stock": lot["uri"], "kind": "use", "amount": -1}
    other = make("bureau", name="Elsewhere")

    assert client_of("erp", member).post("/stock-movement/", used).status_code == 201
    assert client_of("erp", member).get(f"{other['uri']}shortages/").status_code == 404


def test_consistency_check_reports_wrong_stock_balances(lot_of):
    lot = lot_of(1000)
    Stock.objects.filter(pk=key_of(lot)).update(remaining=999_000, reserved=5)

    wrong = interface.broken_rules()

    assert wrong == [
        f"{lot['uri']}: 999000 remain, and its movements come to 1000000.",
        f"{lot['uri']}: 5 are reserved, and for its runs 0.",
    ]
    Stock.objects.filter(pk=key_of(lot)).update(remaining=1_000_000, reserved=0)
    call_command("check_consistency")
