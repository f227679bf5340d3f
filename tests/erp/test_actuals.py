"""What a print came to: times, material, and the lots that it was made of."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.models import Attempt, LineItem, Run
from apps.slicing.models import Gcode
from core.models import Blob
from tests.erp.conftest import key_of

FIGURES = {
    "build_time_seconds": 3600.0,
    "build_volume_cc": 10.0,
    "support_volume_cc": 2.0,
    "filament_mm": 4989.0,
}


@pytest.fixture
def materials(make, bureau) -> dict[str, str]:
    return {
        "base": make("material", bureau=bureau["uri"], name="PLA", density=1.25)["uri"],
        "support": make("material", bureau=bureau["uri"], name="PVA", density=1.2)["uri"],
    }


@pytest.fixture
def machine(erp, make, location, materials, printer) -> dict:
    """A printer whose machine is a person, with a spool of each material and an empty plate."""
    lots = [
        make("stock", location=location["uri"], material=materials[name])["uri"]
        for name in ("base", "support")
    ]
    assert erp.put(printer["uri"], {"driver": "manual", "loaded": lots}).status_code == 204
    assert erp.post(f"{printer['uri']}clear/", {}).status_code == 200
    return erp.get(printer["uri"]).json()


@pytest.fixture
def run_of(confirm, pieces_of, print_run, materials, person):
    """`run_of(2)`: so many pieces of the materials, packed already, with gcode of an hour."""

    def made(quantity: int = 2) -> dict:
        item = confirm(quantity=quantity)
        LineItem.objects.filter(pk=key_of(item)).update(
            base_material=key_of({"uri": materials["base"]}),
            support_material=key_of({"uri": materials["support"]}),
        )
        run = print_run(pieces_of(item))
        blob, _ = Blob.objects.get_or_create(sha256="ab" * 32, defaults={"size": 1234})
        gcode = Gcode.objects.create(
            owner=person, status="processed", content=blob, figures=FIGURES
        )
        Run.objects.filter(pk=key_of(run)).update(gcode_uri=gcode.uri)
        return run

    return made


@pytest.fixture
def print_it(erp, make, machine):
    """`print_it(run, "done", minutes=66)`: printed for so long, and not cleared yet."""

    def printed(run: dict, end: str = "done", *, minutes: float = 60.0) -> dict:
        attempt = make("attempt", run=run["uri"], printer=machine["uri"])
        assert erp.put(attempt["uri"], {"status": "printing"}).status_code == 204
        began = timezone.now() - timedelta(minutes=minutes)
        row = Attempt.objects.filter(pk=key_of(attempt))
        row.update(began=began, printing_since=began)
        assert erp.put(attempt["uri"], {"status": end}).status_code == 204
        return erp.get(attempt["uri"]).json()

    return printed


def test_attempt_reports_printing_time_and_material_used_beside_estimates(
    erp, machine, run_of, print_it
):
    run = run_of()

    attempt = print_it(run, minutes=66)

    assert attempt["estimated_seconds"] == 3600
    assert attempt["printing_seconds"] == pytest.approx(66 * 60, abs=30)
    assert attempt["used"] == {"volume": 12, "mass": 10 * 1.25 + 2 * 1.2, "source": "gcode"}
    erp.post(f"{machine['uri']}clear/", {})
    actuals = erp.get(run["uri"]).json()["actuals"]
    assert actuals["finish"] == attempt["ended"]
    assert actuals["printing_seconds"] == attempt["printing_seconds"]
    piece = erp.get(run["pieces"][0]).json()
    assert piece["actuals"] == {"start": actuals["start"], "finish": actuals["finish"]}


def test_stopped_attempt_uses_material_in_proportion_to_its_time(run_of, print_it):
    used = print_it(run_of(), "stopped", minutes=15)["used"]

    assert used["volume"] == pytest.approx(3, rel=0.05)
    assert used["source"] == "gcode"


def test_attempt_without_gcode_uses_the_volume_of_its_parts(run_of, print_it, cube_model):
    run = run_of(3)
    Run.objects.filter(pk=key_of(run)).update(gcode_uri=None)
    for uri in run["pieces"]:
        piece = Run.objects.get(pk=key_of(run)).places.get(piece=key_of({"uri": uri})).piece
        piece.model_uri = cube_model["uri"]
        piece.save(update_fields=["model_uri"])

    attempt = print_it(run)

    assert attempt["used"] == {"volume": 24, "mass": 30, "source": "model"}
    assert attempt["estimated_seconds"] is None


def test_attempt_without_gcode_or_model_has_unknown_usage(run_of, print_it):
    run = run_of()
    Run.objects.filter(pk=key_of(run)).update(gcode_uri=None)

    assert print_it(run)["used"] is None


def test_printer_type_reports_time_factor_and_yield_of_its_prints(
    erp, machine, printer_type, materials, run_of, print_it
):
    empty = erp.get(f"{printer_type['uri']}actuals/").json()
    assert empty == {"time_factor": 1, "time_factor_seen": None, "prints": [], "parts": []}

    for minutes in (66, 72, 120):
        run = run_of()
        print_it(run, minutes=minutes)
        rejected = [{"piece": run["pieces"][0]}] if minutes == 120 else []
        assert erp.post(f"{machine['uri']}clear/", {"rejected": rejected}).status_code == 200
    print_it(run_of(), "failed", minutes=1)

    told = erp.get(f"{printer_type['uri']}actuals/").json()
    assert told["time_factor_seen"] == pytest.approx(1.2, rel=0.01)
    factors = [one["printing_seconds"] / one["estimated_seconds"] for one in told["prints"]]
    assert factors == pytest.approx([2, 1.2, 1.1], rel=0.01)
    assert told["parts"] == [{"material": materials["base"], "good": 5, "printed": 6}]


def test_actuals_of_printer_type_are_hidden_from_strangers(client_of, stranger, printer_type):
    assert client_of("erp", stranger).get(f"{printer_type['uri']}actuals/").status_code == 404


def test_trace_links_run_to_its_lots_and_recall_of_lot_lists_its_pieces(
    erp, make, machine, run_of, print_it
):
    run, other = run_of(), run_of()
    print_it(run)
    lot = machine["loaded"][0]

    trace = erp.get("/trace/", {"uri": run["pieces"][0]}).json()
    links = {(link["from"], link["relation"], link["to"]) for link in trace["links"]}
    assert {(uri, "lot-of", run["uri"]) for uri in machine["loaded"]} <= links
    found = {node["uri"] for node in trace["nodes"] if node["kind"] == "stock"}
    assert found == set(machine["loaded"])

    answer = erp.get("/recall/", {"stock": lot, "format": "csv"})
    rows = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    assert {row["uri"] for row in rows} == set(run["pieces"])
    assert not set(other["pieces"]) & {row["uri"] for row in rows}


def test_recall_of_lot_is_empty_when_the_attempt_never_began(erp, make, machine, run_of):
    attempt = make("attempt", run=run_of()["uri"], printer=machine["uri"])
    erp.put(attempt["uri"], {"status": "never"})

    told = erp.get("/recall/", {"stock": machine["loaded"][0]}).json()

    assert told["resources"] == []
