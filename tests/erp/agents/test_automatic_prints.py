"""Prints that start without a person, and runs that are planned for printers without work."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.erp import actors
from apps.erp.automation.domain.attendance import free_times
from apps.erp.models import Attempt, Bureau, LineItem, Location, Piece, Printer, Run, Stock
from machines.start_planning import Attendance
from tests.erp.conftest import key_of

pytestmark = pytest.mark.usefixtures("automatic")


@pytest.fixture
def automatic(erp, machine) -> None:
    """The printer starts prints by itself."""
    assert erp.put(machine["uri"], {"auto_start": True}).status_code == 204


@pytest.fixture
def queued_run(erp, run, send) -> dict:
    assert send(run, "queued") == 204
    return run


@pytest.fixture
def pass_time(queued):
    """Run the half-minutely job, and the jobs that it enqueues."""

    def run() -> None:
        before = len(queued())
        actors.plan_automatic_prints()
        for name, arguments in queued()[before:]:
            if name == "start_automatic_prints":
                actors.start_automatic_prints(*json.loads(arguments))

    return run


def delayed_passes() -> int:
    """Passes of a bureau that are enqueued for later."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM dramatiq.queue WHERE available_at > now()"
            " AND message->>'actor_name' = 'start_automatic_prints'"
        )
        return cursor.fetchone()[0]


def attempts() -> list[tuple[str, str]]:
    return list(Attempt.objects.values_list("status", "notes"))


def test_queued_run_starts_on_a_free_printer(erp, machine, queued_run, pass_time):
    pass_time()

    (attempt,) = Attempt.objects.all()
    assert attempt.uri == erp.get(machine["uri"]).json()["attempt"]
    assert (attempt.run.uri, attempt.notes) == (queued_run["uri"], "Started automatically.")
    pass_time()
    assert Attempt.objects.count() == 1


@pytest.mark.parametrize(
    "change", [{"auto_start": False}, {"maintenance": True}, {"driver": None}], ids=str
)
def test_nothing_starts_where_the_owner_does_not_want_it(
    erp, machine, queued_run, pass_time, change
):
    assert erp.put(machine["uri"], change).status_code == 204

    pass_time()

    assert attempts() == []


@pytest.mark.parametrize("state", ["printing", "attention", "offline"])
def test_nothing_starts_on_a_machine_that_is_not_idle(machine, queued_run, pass_time, see, state):
    see(machine, state)

    pass_time()

    assert attempts() == []


def test_nothing_starts_on_a_bed_that_is_not_clear(machine, queued_run, pass_time):
    Printer.objects.update(plate="occupied")

    pass_time()

    assert attempts() == []


def test_run_that_nobody_queued_does_not_start(run, pass_time):
    pass_time()

    assert attempts() == []


def test_nothing_starts_in_quiet_hours(erp, location, queued_run, pass_time):
    hour = datetime.now(UTC).hour
    hours = {"quiet_from": hour, "quiet_until": (hour + 2) % 24}
    assert erp.put(location["uri"], hours).status_code == 204
    pass_time()
    assert attempts() == []

    assert erp.put(location["uri"], {"quiet_from": None}).status_code == 204
    pass_time()
    assert len(attempts()) == 1


@pytest.mark.parametrize("hours", [{"attended_from": 25}, {"quiet_until": -1}])
def test_hours_of_a_location_are_hours_of_a_day(erp, location, hours):
    assert erp.put(location["uri"], hours).status_code == 400


def test_other_material_does_not_start(erp, make, bureau, machine, queued_run, pass_time):
    pla, petg = (make("material", bureau=bureau["uri"], name=name) for name in ("PLA", "PETG"))
    lot = Stock.objects.create(
        bureau_id=key_of(bureau), material_id=key_of(petg), location=Location.objects.get()
    )
    Printer.objects.get().loaded.add(lot)
    Piece.objects.first().line_item.__class__.objects.update(base_material_id=key_of(pla))

    pass_time()

    assert attempts() == []


def test_print_starts_at_once_when_the_bed_is_cleared(erp, machine, queued_run, run_jobs):
    Printer.objects.update(plate="occupied")
    run_jobs()
    assert attempts() == []

    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200

    run_jobs()
    assert len(attempts()) == 1


@pytest.fixture
def second_printer(erp, make, machine, paired) -> dict:
    """A second printer of the location that starts prints automatically."""
    body = {"location": machine["location"], "printer_type": machine["printer_type"]}
    second = make("printer", name="Second", **body)
    body = {"driver": "octoprint", "agent": paired[0]["uri"], "auto_start": True}
    assert erp.put(second["uri"], body).status_code == 204
    exchange = [{"printer": each["uri"], "state": "idle"} for each in (machine, second)]
    paired[1].post("/agent/exchange/", {"version": "1", "machines": exchange, "reports": []})
    assert erp.post(f"{second['uri']}clear/", {}).status_code == 200
    return second


@pytest.mark.usefixtures("second_printer")
def test_one_print_starts_at_a_location_at_a_time(
    confirm, pieces_of, print_run, send, queued_run, pass_time, run
):
    other = print_run(pieces_of(confirm(quantity=1)))
    Run.objects.filter(pk=key_of(other)).update(gcode_uri=Run.objects.get(pk=key_of(run)).gcode_uri)
    assert send(other, "queued") == 204

    before = delayed_passes()
    pass_time()
    assert len(attempts()) == 1
    assert delayed_passes() == before + 1

    pass_time()
    assert len(attempts()) == 1
    assert delayed_passes() == before + 1

    Attempt.objects.update(created=timezone.now() - timedelta(seconds=20))
    pass_time()
    assert len(attempts()) == 2


@pytest.fixture
def planned(erp, printer_type) -> None:
    """Runs of the printer type are planned automatically."""
    assert erp.put(printer_type["uri"], {"plan_runs": True}).status_code == 204


@pytest.fixture
def waiting(confirm, workflow, cube_model, pieces_of) -> list[dict]:
    """Two pieces of a confirmed line item, at the step of the printer type."""
    item = confirm(quantity=2, workflow=workflow)
    Piece.objects.update(model_uri=cube_model["uri"])
    return pieces_of(item)


@pytest.mark.usefixtures("planned")
def test_waiting_pieces_are_packed_for_a_printer_without_work(erp, waiting, machine, pass_time):
    pass_time()

    (run,) = Run.objects.all()
    assert (run.status, run.any_of_type, run.printer.uri) == ("created", True, machine["uri"])
    assert erp.get(run.uri).json()["pieces"] == [piece["uri"] for piece in waiting]
    pass_time()
    assert Run.objects.count() == 1

    Run.objects.update(status="calculated", slicing="processed")
    pass_time()
    assert Run.objects.get().status == "queued"


@pytest.mark.usefixtures("planned")
def test_sliced_run_starts_in_the_same_pass(waiting, run, pass_time):
    pass_time()
    sliced = Run.objects.filter(packing__automatic=True)
    gcode = Run.objects.get(pk=key_of(run)).gcode_uri
    sliced.update(status="calculated", slicing="processed", gcode_uri=gcode)

    pass_time()

    assert [attempt.run for attempt in Attempt.objects.all()] == list(sliced)


@pytest.mark.usefixtures("planned")
def test_each_printer_without_work_gets_a_run_of_its_material(
    erp, make, bureau, machine, confirm, workflow, cube_model, second_printer, pass_time
):
    loaded = {machine["uri"]: "PLA", second_printer["uri"]: "PETG"}
    for uri, name in loaded.items():
        material = make("material", bureau=bureau["uri"], name=name)
        lot = make("stock", location=machine["location"], material=material["uri"])
        assert erp.put(uri, {"loaded": [lot["uri"]]}).status_code == 204
        item = confirm(quantity=1, workflow=workflow)
        LineItem.objects.filter(pk=key_of(item)).update(base_material_id=key_of(material))
    Piece.objects.update(model_uri=cube_model["uri"])

    pass_time()

    assert {run.printer.uri for run in Run.objects.all()} == set(loaded)


def test_new_pieces_are_collected_for_some_seconds_before_a_pass(confirm, workflow):
    before = delayed_passes()

    confirm(quantity=2, workflow=workflow)

    assert delayed_passes() == before + 1


def test_no_pass_is_begun_without_a_printer_that_starts_prints(erp, machine, confirm, workflow):
    assert erp.put(machine["uri"], {"auto_start": False}).status_code == 204
    before = delayed_passes()

    confirm(quantity=2, workflow=workflow)

    assert delayed_passes() == before


@pytest.mark.usefixtures("planned", "waiting")
def test_pieces_are_not_packed_again_right_after_a_failure(pass_time):
    pass_time()
    Run.objects.get().move("error")

    pass_time()

    assert Run.objects.count() == 1


@pytest.mark.usefixtures("planned")
def test_pieces_of_a_print_without_a_good_piece_are_packed_again(erp, waiting, machine, pass_time):
    pass_time()
    run = Run.objects.get()
    owner = {"bureau": run.bureau, "creator": run.creator}
    Attempt.objects.create(run=run, printer=run.printer, status="done", **owner)
    Run.objects.update(status="in-progress")
    run.refresh_from_db()
    run.move("error")
    Piece.objects.update(status="created", place=None)

    pass_time()

    assert Run.objects.filter(status="created").count() == 1


@pytest.mark.usefixtures("waiting")
def test_runs_are_planned_for_types_that_want_it_only(pass_time):
    pass_time()

    assert not Run.objects.exists()


@pytest.mark.usefixtures("planned")
def test_held_line_items_are_planned_once_they_are_released(erp, waiting, pass_time, queued):
    assert erp.put(waiting[0]["line_item"], {"hold": True}).status_code == 204
    pass_time()
    assert not Run.objects.exists()
    before = len(queued())

    assert erp.put(waiting[0]["line_item"], {"hold": False}).status_code == 204

    ((name, arguments),) = queued()[before:]
    assert name == "start_automatic_prints"
    actors.start_automatic_prints(*json.loads(arguments))
    assert Run.objects.count() == 1


def test_running_print_ends_when_the_rest_of_it_is_printed(run, machine):
    now = timezone.now()
    Run.objects.filter(pk=key_of(run)).update(estimates={"print_time": 3600})
    Attempt.objects.create(
        bureau=Bureau.objects.get(),
        creator=Bureau.objects.get().creator,
        run=Run.objects.get(pk=key_of(run)),
        printer=Printer.objects.get(),
        name="running",
        status="printing",
        printing_seconds=1000,
        printing_since=now - timedelta(seconds=600),
    )

    (free,) = free_times(Printer.objects.all(), now, Attendance())

    assert (free - now).total_seconds() == pytest.approx(2000)
