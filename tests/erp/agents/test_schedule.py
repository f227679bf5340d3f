"""The predicted schedule of a bureau: `GET /bureau/<uuid>/schedule/`."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.erp.models import Attempt, Printer, Run
from core.keys import uuid7
from tests.erp.conftest import key_of


@pytest.fixture
def queued_run(erp, run, send) -> dict:
    """A queued run of an hour."""
    assert send(run, "queued") == 204
    Run.objects.filter(pk=key_of(run)).update(estimates={"print_time": 3600})
    return run


@pytest.fixture
def schedule(erp, bureau):
    """`schedule()`: its prints as (run, printer, queued, start, end), and reasons by run.

    Times are hours from now.
    """

    def read() -> tuple[list[tuple], dict[str, str]]:
        answer = erp.get(f"{bureau['uri']}schedule/")
        assert answer.status_code == 200, answer.json()
        now, body = timezone.now().replace(second=0, microsecond=0), answer.json()

        def hours(time: str) -> float:
            return round((datetime.fromisoformat(time) - now).total_seconds() / 3600, 1)

        prints = [
            (row["run"], row["printer"], row["queued"], hours(row["start"]), hours(row["end"]))
            for row in body["prints"]
        ]
        return prints, {row["run"]: row["reason"]["code"] for row in body["unscheduled"]}

    return read


@pytest.fixture
def printing(run, machine):
    """`printing(hours)`: the machine has printed the run for half an hour, of so many."""

    def begin(hours: float | None) -> Attempt:
        row = Run.objects.get(pk=key_of(run))
        estimates = {} if hours is None else {"print_time": hours * 3600}
        Run.objects.filter(pk=row.pk).update(
            status="in-progress", estimates=estimates, gcode_uri=None
        )
        began = timezone.now() - timedelta(minutes=30)
        return Attempt.objects.create(
            bureau=row.bureau,
            creator=row.creator,
            run=row,
            printer=Printer.objects.get(),
            name="running",
            status="printing",
            began=began,
            printing_since=began,
        )

    return begin


@pytest.fixture
def another(run, machine, print_run, pieces_of, confirm, send):
    """A second queued run, of two hours."""
    made = print_run(pieces_of(confirm(quantity=1)))
    assert send(made, "queued") == 204
    gcode = Run.objects.exclude(gcode_uri=None).values_list("gcode_uri", flat=True).first()
    Run.objects.filter(pk=key_of(made)).update(estimates={"print_time": 7200}, gcode_uri=gcode)
    return made


def test_schedule_without_runs_is_empty(schedule, machine):
    assert schedule() == ([], {})


def test_queued_run_is_printed_now_where_the_printer_is_free(schedule, machine, queued_run):
    assert schedule() == ([(queued_run["uri"], machine["uri"], True, 0, 1)], {})


def test_queued_run_follows_the_running_print(schedule, machine, another, run, printing):
    printing(2)

    prints, reasons = schedule()

    assert prints == [
        (run["uri"], machine["uri"], False, -0.5, 1.5),
        (another["uri"], machine["uri"], True, 1.5, 3.5),
    ]
    assert reasons == {}


def test_bed_of_a_print_that_ends_when_nobody_is_there_is_cleared_later(
    erp, bureau, another, printing, location
):
    opens = (timezone.now().hour + 4) % 24
    hours = {"attended_from": opens, "attended_until": (opens + 1) % 24}
    assert erp.put(location["uri"], hours).status_code == 204
    printing(2)

    _running, then = erp.get(f"{bureau['uri']}schedule/").json()["prints"]

    start = datetime.fromisoformat(then["start"])
    assert (then["run"], start.hour, start.minute) == (another["uri"], opens, 0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"maintenance": True}, "in-maintenance"), ({"driver": None}, "no-machine")],
    ids=["maintenance", "no machine"],
)
def test_printer_that_prints_nothing_gets_no_run(
    erp, schedule, machine, queued_run, change, reason
):
    assert erp.put(machine["uri"], change).status_code == 204

    assert schedule() == ([], {queued_run["uri"]: reason})


def test_offline_printer_gets_no_run(schedule, machine, queued_run, see):
    see(machine, "offline")

    assert schedule() == ([], {queued_run["uri"]: "machine-not-idle"})


def test_run_of_an_unknown_print_time_has_no_time(schedule, machine, queued_run):
    Run.objects.filter(pk=key_of(queued_run)).update(estimates={}, gcode_uri=None, slice_uri=None)

    assert schedule() == ([], {queued_run["uri"]: "unknown-print-time"})


def test_nothing_follows_a_print_of_an_unknown_time(schedule, machine, another, printing):
    printing(None)

    assert schedule() == ([], {another["uri"]: "printer-busy"})


def test_schedule_needs_the_right_to_read_the_bureau(client_of, stranger, bureau):
    answer = client_of("erp", stranger).get(f"{bureau['uri']}schedule/")

    assert answer.status_code == 404


def test_statements_do_not_grow_with_queued_runs(
    erp, make, bureau, location, schedule, machine, queued_run
):
    def statements() -> int:
        with CaptureQueriesContext(connection) as counted:
            schedule()
        return len(counted)

    material = make("material", bureau=bureau["uri"], name="PLA", density=1.24)
    lot = make("stock", location=location["uri"], material=material["uri"], initial=900, unit="g")
    assert erp.put(machine["uri"], {"loaded": [lot["uri"]]}).status_code == 204
    few = statements()
    row = Run.objects.get(pk=key_of(queued_run))
    for name in "abcdef":
        place = row.places.first()
        copy = Run.objects.get(pk=row.pk)
        copy.pk, copy.name = uuid7(), name
        copy.save(force_insert=True)
        place.pk, place.run = None, copy
        place.save(force_insert=True)

    assert len(schedule()[0]) == 7
    assert statements() == few
