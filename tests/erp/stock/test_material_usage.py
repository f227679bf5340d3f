"""What runs set aside, and what prints take of lots."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.models import Agent, Material, Printer, Run, Stock
from apps.erp.production.domain import reservations
from tests.erp.conftest import key_of


def codes(answer) -> list[str]:
    return [error["code"] for error in answer.json()["errors"]]


def test_run_reserves_its_material_and_releases_it_when_deleted(erp, lot_of, run_of, left):
    lot = lot_of(1000)
    run = run_of()
    assert left(lot) == (1000, 100)

    assert erp.delete(run["uri"]).status_code == 204

    assert left(lot) == (1000, 0)


def test_run_set_to_error_before_printing_releases_its_material(erp, lot_of, run_of, left):
    lot = lot_of(1000)
    run = run_of()

    assert erp.put(run["uri"], {"status": "error"}).status_code == 204

    assert left(lot) == (1000, 0)


def test_reservation_prefers_loaded_lots_and_then_the_earliest_expiry(
    erp, machine, lot_of, run_of, left
):
    late, soon = lot_of(1000, expires="2031-01-01"), lot_of(30, expires="2030-01-01")
    gone, loaded = lot_of(1000, expires="2020-01-01"), lot_of(40)
    erp.put(machine["uri"], {"loaded": [loaded["uri"]]})

    run_of()

    assert [left(lot)[1] for lot in (loaded, soon, late, gone)] == [40, 30, 30, 0]


def test_print_consumes_the_loaded_lot_and_releases_the_reservation(
    erp, make, machine, lot_of, run_of, left, book
):
    shelf = lot_of(1000, expires="2030-01-01")
    run = run_of()
    assert left(shelf) == (1000, 100)
    loaded = lot_of(500)
    erp.put(machine["uri"], {"loaded": [loaded["uri"]]})

    attempt = make("attempt", run=run["uri"], printer=machine["uri"])
    assert (left(shelf), left(loaded)) == ((1000, 0), (500, 100))
    erp.put(attempt["uri"], {"status": "printing"})
    erp.put(attempt["uri"], {"status": "done"})

    assert (left(shelf), left(loaded)) == ((1000, 0), (400, 0))
    (used,) = erp.get(f"/stock-movement/?filter[attempt]={attempt['uri']}").json()["resources"]
    assert (used["kind"], used["amount"], used["source"]) == ("use", -100, "model")
    assert (used["run"], used["stock"]) == (run["uri"], loaded["uri"])
    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200
    assert book(loaded) == [["receipt", 500], ["use", -100]]


def test_consumption_is_split_between_spools_changed_during_the_print(
    erp, make, machine, lot_of, run_of, left
):
    first, second = lot_of(150), lot_of(1000)
    erp.put(machine["uri"], {"loaded": [first["uri"]]})
    attempt = make("attempt", run=run_of()["uri"], printer=machine["uri"])
    erp.put(attempt["uri"], {"status": "printing"})
    began = timezone.now() - timedelta(minutes=30)
    row = Run.objects.get().attempts
    row.update(estimated_seconds=3600, printing_since=began)

    assert erp.put(machine["uri"], {"loaded": [second["uri"]]}).status_code == 204
    assert left(first)[0] == pytest.approx(100, abs=1)
    erp.put(attempt["uri"], {"status": "done"})

    assert left(first)[0] + left(second)[0] == 1050
    assert sorted(erp.get(attempt["uri"]).json()["loaded"]) == sorted([first["uri"], second["uri"]])


def test_putting_a_printer_unchanged_keeps_its_spools(erp, make, machine, lot_of, run_of, left):
    lot = lot_of(1000)
    erp.put(machine["uri"], {"loaded": [lot["uri"]]})
    attempt = make("attempt", run=run_of()["uri"], printer=machine["uri"])
    erp.put(attempt["uri"], {"status": "printing"})

    assert erp.put(machine["uri"], erp.get(machine["uri"]).json()).status_code == 204

    assert left(lot)[0] == 1000


def test_reserved_lot_cannot_be_deleted(erp, lot_of, run_of):
    lot = lot_of(1000)
    run = run_of()

    refused = erp.delete(lot["uri"])

    assert refused.status_code == 409
    assert refused.json()["errors"][0]["details"]["used_by"] == [run["uri"]]


def test_opened_lot_is_consumed_before_the_full_one(erp, make, machine, lot_of, run_of, left):
    full = lot_of(1000)
    opened = lot_of(40, opened="2026-01-01")
    erp.put(machine["uri"], {"loaded": [full["uri"], opened["uri"]]})
    attempt = make("attempt", run=run_of()["uri"], printer=machine["uri"])

    erp.put(attempt["uri"], {"status": "printing"})
    erp.put(attempt["uri"], {"status": "done"})

    assert (left(opened)[0], left(full)[0]) == (0, 940)


def test_run_completed_by_hand_consumes_its_reservation(erp, lot_of, run_of, send, left):
    lot = lot_of(1000)
    run = run_of()

    assert send(run, "queued", "in-progress") == 204
    assert left(lot) == (1000, 100)
    assert send(run, "complete") == 204

    assert left(lot) == (900, 0)


def test_run_completed_by_hand_during_its_attempt_is_consumed_once(
    erp, make, machine, lot_of, run_of, left
):
    lot = lot_of(1000)
    erp.put(machine["uri"], {"loaded": [lot["uri"]]})
    run = run_of()
    attempt = make("attempt", run=run["uri"], printer=machine["uri"])
    erp.put(attempt["uri"], {"status": "printing"})

    assert erp.put(run["uri"], {"status": "complete"}).status_code == 204
    assert left(lot) == (1000, 0)
    erp.put(attempt["uri"], {"status": "done"})

    assert left(lot) == (900, 0)


def test_attempt_requires_loaded_material_with_a_reserve(erp, make, machine, lot_of, run_of):
    lot = lot_of(109)
    erp.put(machine["uri"], {"loaded": [lot["uri"]]})
    run = run_of()

    refused = erp.post("/attempt/", {"run": run["uri"], "printer": machine["uri"]})
    assert (refused.status_code, codes(refused)) == (409, ["too-little-material"])
    title = refused.json()["errors"][0]["title"]
    name = f"stock {key_of(lot)}"
    assert title.startswith(f"PLA: 109 g are left in {name}, and 110 g are needed to begin")

    weighed = {"stock": lot["uri"], "kind": "correction", "left": 110}
    erp.post("/stock-movement/", weighed)
    assert make("attempt", run=run["uri"], printer=machine["uri"])["status"] == "planned"


@pytest.mark.parametrize(
    ("colors", "slot"),
    [
        ([None, "#000000"], "A2"),
        (["#ffffff", "#000000"], "A2"),
        (["#000000", "#000000"], None),
        (["#000000"], "A1"),
        (["#ffffff"], "A1"),
    ],
)
def test_reason_of_too_little_material_names_lot_and_slot(
    erp, person, machine, lot_of, run_of, colors, slot
):
    lot = lot_of(109)
    assert erp.put(lot["uri"], {"lot": "4711"}).status_code == 204
    erp.put(machine["uri"], {"loaded": [lot["uri"]]})
    Material.objects.update(color="#000000")
    printer = Printer.objects.get(pk=key_of(machine))
    location = printer.location
    trays = [
        {"slot": f"A{number}", "material": "PLA", "color": color, "remaining": None}
        for number, color in enumerate(colors, 1)
    ]
    petg = {"slot": "B1", "material": "PETG", "color": "#000000", "remaining": None}
    agent = Agent.objects.create(
        bureau=location.bureau,
        location=location,
        name="Shop",
        creator=person,
        seen=timezone.now(),
        machines={str(printer.pk): {"state": "idle", "trays": [*trays, petg]}},
    )
    Printer.objects.update(driver="bambu", agent=agent)

    (candidate,) = erp.get(f"{run_of()['uri']}candidates/").json()["resources"]

    titles = [reason["title"] for reason in candidate["reasons"]]
    shown = f"4711 (slot {slot})" if slot else "4711"
    assert [title for title in titles if f"left in {shown}, and" in title]


def test_resin_lot_is_reserved_in_millilitres(
    erp, make, location, bureau, lot_of, run_of, material
):
    Stock.objects.all().delete()
    lot = make("stock", location=location["uri"], material=material, initial=500, unit="ml")

    run_of()

    assert erp.get(lot["uri"]).json()["reserved"] == 80


def test_powder_is_reserved_by_refresh_ratio_and_build_height(
    erp, lot_of, run_of, material, printer_type, left
):
    assert erp.put(material, {"powder_density": 0.5}).status_code == 204
    assert erp.put(printer_type["uri"], {"refresh_ratio": 0.4}).status_code == 204
    lot = lot_of(100_000)
    run = Run.objects.get(pk=key_of(run_of()))

    run.report = {"height": 100}  # 340 x 340 x 100 mm are 5.78 kg
    run.save(update_fields=["report"])
    reservations.reserve(run)

    assert left(lot)[1] == pytest.approx(0.4 * 5780)


@pytest.mark.parametrize(("progress", "taken"), [(0.3, 30), (0, 0), (None, 0)])
def test_failed_print_without_gcode_consumes_the_reported_part(
    erp, make, machine, lot_of, run_of, left, progress, taken
):
    lot = lot_of(1000)
    erp.put(machine["uri"], {"loaded": [lot["uri"]]})
    attempt = make("attempt", run=run_of()["uri"], printer=machine["uri"])
    erp.put(attempt["uri"], {"status": "printing"})

    answer = erp.put(attempt["uri"], {"status": "failed", "progress": progress})

    assert answer.status_code == 204
    assert left(lot) == (1000 - taken, 0)
    shown = erp.get(attempt["uri"]).json()
    assert (shown["progress"], shown["used"] and shown["used"]["mass"]) == (
        progress,
        None if progress is None else taken,
    )


def test_progress_of_an_attempt_is_a_part_of_one(erp, make, machine, run_of):
    run = run_of()["uri"]
    body = {"run": run, "printer": machine["uri"], "progress": 0.5}
    assert erp.post("/attempt/", body).status_code == 400
    attempt = make("attempt", run=run, printer=machine["uri"])
    for progress in (-0.1, 1.5, "x"):
        body = {"status": "failed", "progress": progress}
        assert erp.put(attempt["uri"], body).status_code == 400
