"""What is missing is told in time, and refuses nothing."""

import pytest

from apps.erp.models import LineItem
from tests.erp.conftest import key_of
from tests.erp.stock.conftest import DENSITY


def test_shortage_lists_the_runs_and_line_items_that_need_the_material(
    erp, bureau, material, lot_of, run_of, confirm
):
    url = f"{bureau['uri']}shortages/"
    run = run_of()
    assert erp.get(url).json()["resources"] == []  # nobody counts it

    lot = lot_of(60)
    short = run_of()
    waiting = confirm(quantity=4)
    estimates = {"per_piece": {"material": 8}}
    LineItem.objects.filter(pk=key_of(waiting)).update(
        base_material=key_of({"uri": material}), estimates=estimates
    )

    (told,) = erp.get(url).json()["resources"]
    assert told == {
        "material": material,
        "name": "PLA",
        "unit": "g",
        "needed": 80,
        "free": 0,
        "missing": 80,
        "runs": [short["uri"]],
        "line_items": [waiting["uri"]],
    }
    came = {"stock": lot["uri"], "kind": "receipt", "amount": 80}
    assert erp.post("/stock-movement/", came).status_code == 201
    assert erp.get(url).json()["resources"] == []
    assert erp.delete(run["uri"]).status_code == 204


def test_shortage_is_an_estimate_term_and_does_not_block_confirmation(
    erp, pending, lot_of, material
):
    item = pending(quantity=10, materials={"base": material, "support": None})
    assert "shortage" not in [term["name"] for term in item["estimates"]["terms"]]

    lot_of(60)

    told = erp.get(item["uri"]).json()
    term = told["estimates"]["terms"][-1]
    assert (term["name"], term["unit"], term["amount"]) == ("shortage", "g", 0)
    assert term["quantity"] == pytest.approx(10 * 8.1 * DENSITY - 60, abs=0.01)
    assert term["reason"].endswith("of what there is 60 g are not needed by others.")
    assert told["estimates"]["cost"] == item["estimates"]["cost"]
    assert erp.put(item["uri"], {"status": "confirmed"}).status_code == 204
