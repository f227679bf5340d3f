"""Estimates: what a line item costs and how long it takes, and why where that is not known."""

import json
from decimal import Decimal

import pytest
from jsonschema import Draft202012Validator

from apps.callbacks import interface as callbacks
from apps.erp.actors import estimate_line_item
from apps.erp.orders.domain.prices.cost_estimate import Rate
from apps.erp.orders.domain.prices.cost_estimate import estimate as estimate_of
from core.queue.row_jobs import fail_permanently
from pricing.making import CostRates, Making, PieceCost, UnitPrice
from project.event_catalogue import SCHEMAS
from tests.conftest import A_SLICE
from tests.erp.conftest import key_of


def terms_of(item: dict) -> dict[str, dict]:
    return {term["name"]: term for term in item["estimates"]["terms"]}


def amounts_of(item: dict) -> dict[str, float | None]:
    return {name: term["amount"] for name, term in terms_of(item).items()}


@pytest.fixture
def item_of(erp, make, bureau, cube_model, estimate):
    """`item_of(quantity=2, ...)`: a line item of cubes whose estimate was begun."""

    def make_one(quantity: int = 2, **fields) -> dict:
        fields = {"model": cube_model["uri"], **fields}
        item = make("line-item", bureau=bureau["uri"], quantity=quantity, **fields)
        assert item["status"] == "new"
        estimate()
        return erp.get(item["uri"]).json()

    return make_one


def test_estimate_includes_all_priced_terms(pending):
    item = pending(quantity=2)

    assert item["status"] == "pending"
    found = item["estimates"]
    assert (found["print_time"], found["material"]) == (7200, 16.2)
    assert amounts_of(item) == {
        "material": 6.237,  # 16.2 cc x 0.35 x 1.1
        "support_material": 0.11,  # 1.0 cc x 0.10 x 1.1
        "machine_time": 54,  # 2 h x 18 x 1.5
        "overhead": 4,
        "post_processing": 2.5,
        "shipping": 5.9,
    }
    assert found["cost"] == {"amount": 72.75, "currency": "EUR"}
    assert found["per_piece"] == {
        "print_time": 3600,
        "material": 8.1,
        "cost": {"amount": 33.42, "currency": "EUR"},  # without shipping
    }
    assert (found["lead_time"], found["lead_time_reason"]) == (2 * (3600 + 600), None)
    assert found["conversion"] is None


def test_estimate_term_lists_its_inputs_and_source(pending, priced):
    item = pending(quantity=3)

    assert terms_of(item)["material"] == {
        "name": "material",
        "quantity": pytest.approx(24.3),
        "unit": "cc",
        "price": 0.35,
        "factor": 1.1,
        "amount": pytest.approx(9.3555),
        "reason": None,
        "source": priced["materials"]["base"],
    }


def test_estimate_cost_is_converted_to_the_order_currency(make, bureau, pending):
    make("currency-conversion", bureau=bureau["uri"], currency="USD", value=1.1)
    order = make("order", bureau=bureau["uri"], name="Export", currency="USD")

    found = pending(quantity=2, order=order["uri"])["estimates"]

    assert found["cost"] == {"amount": 80.02, "currency": "USD"}  # 72.747 x 1.1
    assert found["conversion"] == {"from": "EUR", "to": "USD", "factor": 1.1, "reason": None}


def test_estimate_cost_is_unknown_when_the_currency_conversion_is_deleted(
    erp, make, bureau, pending
):
    conversion = make("currency-conversion", bureau=bureau["uri"], currency="USD", value=1.1)
    order = make("order", bureau=bureau["uri"], name="Export", currency="USD")
    assert erp.delete(conversion["uri"]).status_code == 204

    found = pending(order=order["uri"])["estimates"]

    assert found["cost"] == {"amount": None, "currency": "USD"}
    assert "currency-conversion to USD" in found["conversion"]["reason"]


def test_unknown_estimate_terms_have_reasons_and_do_not_block(item_of):
    item = item_of()

    assert item["status"] == "pending"
    assert amounts_of(item) == {"material": None, "support_material": None, "machine_time": None}
    reasons = {name: term["reason"] for name, term in terms_of(item).items()}
    assert reasons["material"] == "The line item has no base material: set materials.base."
    assert "no config to slice the model with" in reasons["support_material"]
    assert "no workflow" in reasons["machine_time"]
    assert item["estimates"]["cost"] == {"amount": None, "currency": "EUR"}
    assert item["estimates"]["lead_time"] is None
    assert "config" in item["estimates"]["lead_time_reason"]


def test_material_is_the_model_volume_when_there_is_no_slice(item_of, priced):
    item = item_of(quantity=2, materials=priced["materials"])

    material = terms_of(item)["material"]
    assert (material["quantity"], material["amount"]) == (16, 5.6)
    assert item["estimates"]["material"] == 16


def test_material_without_cost_is_named_in_the_reason(erp, pending, priced):
    assert erp.put(priced["materials"]["base"], {"cost": None}).status_code == 204

    item = pending()

    words = "The material PA 12 has no cost: set it, to 0 if it costs nothing."
    assert terms_of(item)["material"]["reason"] == words


def test_line_item_without_model_is_estimated_by_its_other_steps(
    make, bureau, priced, run_jobs, erp
):
    item = make("line-item", bureau=bureau["uri"], quantity=2, no_model_upload=True, **priced)
    run_jobs()

    item = erp.get(item["uri"]).json()
    assert item["status"] == "pending"
    assert amounts_of(item)["post_processing"] == 2.5
    assert "no_model_upload" in terms_of(item)["machine_time"]["reason"]


def test_config_of_line_item_overrides_that_of_printer_type(client_of, person, item_of, priced):
    slicing = client_of("slicing", person)
    own = slicing.post("/config/curated/", {"engine": "slic3r", "description": "own"}).json()

    item = item_of(config=own["uri"], **priced)

    assert slicing.get(item["slice"]).json()["config"] == own["uri"]


def test_line_item_waits_for_its_slice_while_calculating_estimates(
    item_of, priced, config, client_of, person
):
    item = item_of(**priced)

    assert (item["status"], item["estimates"]) == ("calculating_estimates", None)
    made = client_of("slicing", person).get(item["slice"]).json()
    assert (made["model"], made["config"]) == (item["model"], config["uri"])


def test_existing_slice_is_reused_for_the_same_model_and_config(item_of, priced, finish_slice):
    first = finish_slice(item_of(**priced))

    second = item_of(quantity=5, **priced)

    assert (second["status"], second["slice"]) == ("pending", first["slice"])


def test_failed_slice_is_the_reason_of_unknown_machine_time(item_of, priced, finish_slice):
    errors = [{"code": "too-large", "title": "The part is larger than the bed."}]

    item = finish_slice(item_of(**priced), "error", errors=errors)

    assert item["status"] == "pending"
    assert terms_of(item)["machine_time"]["reason"].endswith("The part is larger than the bed.")
    assert terms_of(item)["material"]["quantity"] == 16
    assert item["estimates"]["print_time"] is None


def test_deleted_slice_does_not_block_the_estimate(
    item_of, priced, client_of, person, run_jobs, erp
):
    item = item_of(**priced)
    assert client_of("slicing", person).delete(item["slice"]).status_code == 204

    run_jobs()

    item = erp.get(item["uri"]).json()
    assert item["status"] == "pending"
    assert "was deleted" in terms_of(item)["machine_time"]["reason"]


def test_slice_without_consent_leaves_machine_time_unknown(item_of, priced, price):
    price(1.5, **A_SLICE)

    item = item_of(**priced)

    assert (item["status"], item["slice"]) == ("pending", None)
    assert "consent" in terms_of(item)["machine_time"]["reason"].lower()


def test_estimate_waits_for_the_model_analysis(
    client_of, person, make, bureau, erp, upload, run_jobs, cube
):
    model = client_of("models", person).post("/model/", {"name": "cube"}).json()
    item = make("line-item", bureau=bureau["uri"], quantity=1, model=model["uri"])
    run_jobs()
    assert erp.get(item["uri"]).json()["status"] == "calculating_estimates"

    upload(model, cube)
    run_jobs()

    assert erp.get(item["uri"]).json()["estimates"]["material"] == 8


def test_line_item_is_in_error_until_its_failed_model_is_replaced(
    client_of, person, make, bureau, erp, upload, run_jobs, cube_model
):
    model = client_of("models", person).post("/model/", {"name": "nothing"}).json()
    upload(model, b"no model")
    item = make("line-item", bureau=bureau["uri"], quantity=1, model=model["uri"])
    run_jobs()
    broken = erp.get(item["uri"]).json()
    assert broken["status"] == "error"
    assert broken["errors"][-1]["code"] == "model-not-usable"

    assert erp.put(item["uri"], {"model": cube_model["uri"]}).status_code == 204
    again = erp.get(item["uri"]).json()
    assert (again["status"], again["errors"]) == ("calculating_estimates", None)
    run_jobs()

    assert erp.get(item["uri"]).json()["status"] == "pending"


def test_line_item_is_in_error_when_its_model_is_deleted(
    client_of, person, make, bureau, erp, run_jobs, cube_model
):
    item = make("line-item", bureau=bureau["uri"], quantity=1, model=cube_model["uri"])
    assert client_of("models", person).delete(cube_model["uri"]).status_code == 204

    run_jobs()

    broken = erp.get(item["uri"]).json()
    assert (broken["status"], broken["errors"][0]["code"]) == ("error", "model-gone")


def test_change_of_quantity_clears_and_restarts_the_estimate(erp, pending, estimate):
    item = pending(quantity=2)

    assert erp.put(item["uri"], {"quantity": 4}).status_code == 204

    changed = erp.get(item["uri"]).json()
    assert (changed["status"], changed["estimates"]) == ("calculating_estimates", None)
    estimate()
    changed = erp.get(item["uri"]).json()
    assert (changed["status"], changed["estimates"]["print_time"]) == ("pending", 4 * 3600)


def test_outdated_slice_does_not_finish_the_estimate(
    client_of, person, erp, item_of, priced, estimate, finish_slice
):
    item = item_of(**priced)
    own = client_of("slicing", person).post("/config/curated/", {"engine": "slic3r"}).json()
    assert erp.put(item["uri"], {"config": own["uri"]}).status_code == 204
    estimate()
    waiting = erp.get(item["uri"]).json()
    assert waiting["slice"] not in (None, item["slice"])

    finish_slice(item)

    assert erp.get(item["uri"]).json() == waiting


def test_late_estimate_job_changes_nothing(erp, pending):
    item = pending()

    estimate_line_item.fn(key_of(item))

    assert erp.get(item["uri"]).json() == item


def test_change_of_notes_and_priority_keeps_the_estimate(erp, pending):
    item = pending()

    assert erp.put(item["uri"], {"notes": "Soon.", "priority": 3}).status_code == 204

    assert erp.get(item["uri"]).json()["estimates"] == item["estimates"]


def test_requested_estimate_uses_the_current_prices(erp, pending, priced, estimate):
    item = pending(quantity=2)
    assert erp.put(priced["materials"]["base"], {"cost": 1}).status_code == 204

    assert erp.put(item["uri"], {"status": "calculating_estimates"}).status_code == 204
    estimate()

    assert amounts_of(erp.get(item["uri"]).json())["material"] == pytest.approx(17.82)


def test_estimate_job_that_fails_permanently_sets_the_line_item_to_error(erp, item_of, priced):
    item = item_of(**priced)

    fail_permanently("estimate_line_item", key_of(item), {"reason": "internal-error", "retries": 3})

    broken = erp.get(item["uri"]).json()
    assert (broken["status"], broken["errors"][0]["code"]) == ("error", "internal-error")


def test_estimate_emits_events_with_its_results(pending, person):
    item = pending(quantity=2)

    events = callbacks.events_after(
        owner_id=person.pk, position=0, limit=100, types=["line-item.*"]
    )
    for event in events:
        told = {"uri": event.uri, **event.changes}
        Draft202012Validator(SCHEMAS[event.type]).validate(told)
    assert [event.type for event in events] == [
        "line-item.calculating_estimates",
        "line-item.pending",
    ]
    assert events[-1].uri == item["uri"]
    assert events[-1].changes == {
        "status": "pending",
        "estimates.print_time": 7200,
        "estimates.material": 16.2,
        "estimates.cost.amount": 72.75,
        "estimates.cost.currency": "EUR",
    }


@pytest.mark.engine
def test_estimate_uses_the_real_slicer(make, bureau, cube_model, priced, erp, run_jobs):
    item = make("line-item", bureau=bureau["uri"], quantity=2, model=cube_model["uri"], **priced)

    run_jobs()

    found = erp.get(item["uri"]).json()["estimates"]
    assert found["print_time"] > 600
    assert 2 < found["material"] < 16  # two hollow cubes of 8 cm3 each
    assert found["cost"]["amount"] > 0


@pytest.mark.parametrize(
    ("currency", "cost", "each"), [("EUR", 0.12, 0.06), ("JPY", 0, 0), ("BHD", 0.125, 0.062)]
)
def test_money_is_rounded_once_and_half_to_even(currency, cost, each):
    half, nothing = UnitPrice(Decimal("0.0625")), UnitPrice(Decimal(0))
    rates = CostRates(nothing, nothing, nothing, overhead=half)

    found = estimate_of(
        quantity=2,
        piece=PieceCost(Making(Decimal(1), Decimal(1), Decimal(1)), rates),
        charges=[],
        durations=[],
        rate=Rate(currency, currency, Decimal(1)),
    )

    assert found["cost"] == {"amount": cost, "currency": currency}
    assert found["per_piece"]["cost"]["amount"] == each
    assert json.loads(json.dumps(found)) == found
