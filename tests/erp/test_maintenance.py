"""Maintenance of printers: tasks of a printer type, log entries, what is due, notifications."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.actors import check_maintenance
from apps.erp.models import Attempt, DueMaintenance, MaintenanceEntry, Printer
from apps.users.models import Notification, User
from tests.erp.conftest import key_of


@pytest.fixture
def task_of(make, bureau, printer_type):
    """`task_of("Lubricate rods", hours=200)`: a task of the printer type."""

    def create(name: str, *, blocks: bool = False, notes: str | None = None, **interval) -> dict:
        values = {"bureau": bureau["uri"], "printer_type": printer_type["uri"], "name": name}
        return make("maintenance-task", **values, interval=interval, blocks=blocks, notes=notes)

    return create


@pytest.fixture
def end_print(erp, make, print_run, pieces_of, confirm, printer):
    """`end_print("done")`: prints a run by hand, and clears the plate."""
    assert erp.put(printer["uri"], {"driver": "manual"}).status_code == 204
    assert erp.post(f"{printer['uri']}clear/", {}).status_code == 200

    def end(status: str = "done") -> Attempt:
        run = print_run(pieces_of(confirm(quantity=1)))
        attempt = make("attempt", run=run["uri"], printer=printer["uri"])
        for word in ("printing", status):
            assert erp.put(attempt["uri"], {"status": word}).status_code == 204
        assert erp.post(f"{printer['uri']}clear/", {}).status_code == 200
        return Attempt.objects.get(pk=key_of(attempt))

    return end


@pytest.fixture
def printed(end_print):
    """`printed(hours=10, grams=250)`: an ended print took so much; the next one is checked."""

    def add(*, hours: float = 0, grams: float | None = None) -> None:
        attempt = end_print()
        used = None if grams is None else {"volume": 1.0, "mass": grams, "source": "gcode"}
        Attempt.objects.filter(pk=attempt.pk).update(printing_seconds=hours * 3600, used=used)

    return add


@pytest.fixture
def plan(erp, printer):
    """`plan()`: the maintenance plan of the printer."""

    def read() -> dict:
        answer = erp.get(f"{printer['uri']}maintenance/")
        assert answer.status_code == 200, answer.json()
        return answer.json()

    return read


@pytest.fixture
def due_of(erp, printer):
    """`due_of()`: the names of the tasks that the printer says are due."""
    return lambda: [row["name"] for row in erp.get(printer["uri"]).json()["due_maintenance"]]


def notifications() -> list[tuple[str, bool]]:
    """The tasks of all notifications, and whether each is unread."""
    rows = Notification.objects.filter(kind="maintenance-due").order_by("pk")
    return [(row.data["tasks"], row.read is None) for row in rows]


def test_plan_counts_hours_grams_and_prints_since_the_last_entry(
    erp, make, printer, task_of, printed, plan
):
    task = task_of("Change nozzle", hours=400, grams=5000, jobs=300)
    printed(hours=10, grams=250.5)
    printed(hours=2.5)  # whose usage is not known

    before = plan()
    entry = make("maintenance-entry", printer=printer["uri"], task=task["uri"], notes="0.4 mm")
    printed(hours=1, grams=10)
    (after,) = plan()["tasks"]

    assert before["counters"] == {"hours": 12.5, "grams": 250.5, "jobs": 2}
    (row,) = before["tasks"]
    assert (row["hours"], row["days"]) == (
        {"interval": 400, "used": 12.5, "remaining": 387.5},
        None,
    )
    assert row["grams"] == {"interval": 5000, "used": 250.5, "remaining": 4749.5}
    assert (row["last"], row["done"], row["due"]) == (None, None, False)
    assert (entry["hours"], entry["grams"], entry["jobs"]) == (12.5, 250.5, 2)
    assert (after["hours"]["used"], after["grams"]["used"], after["jobs"]["used"]) == (1, 10, 1)
    assert (after["last"], after["done"]) == (entry["uri"], entry["created"])
    assert erp.get(printer["uri"]).json()["due_maintenance"] == []


def test_log_entry_says_who_did_what_and_never_changes(erp, make, printer, person, task_of):
    task = task_of("Clean sheet", jobs=20)

    entry = make("maintenance-entry", printer=printer["uri"], task=task["uri"])
    other = make("maintenance-entry", printer=printer["uri"], name="Belt replaced")

    assert (entry["name"], entry["creator"], entry["jobs"]) == ("Clean sheet", person.uri, 0)
    assert (other["task"], other["name"]) == (None, "Belt replaced")
    assert erp.put(entry["uri"], {"notes": "x"}).status_code == 405
    assert erp.delete(entry["uri"]).status_code == 405
    assert erp.delete(task["uri"]).status_code == 204
    assert erp.get(entry["uri"]).json() == entry | {
        "task": None,
        "updated": erp.get(entry["uri"]).json()["updated"],
    }


def test_task_is_due_once_until_it_is_logged(make, printer, task_of, end_print, due_of):
    task = task_of("Clean sheet", jobs=2)
    end_print()
    assert (due_of(), notifications()) == ([], [])

    end_print("failed")
    end_print()
    check_maintenance.fn()
    assert (due_of(), notifications()) == (["Clean sheet"], [("Clean sheet", True)])
    assert Notification.objects.get(kind="maintenance-due").count == 1

    make("maintenance-entry", printer=printer["uri"], task=task["uri"])
    assert (due_of(), notifications()) == ([], [("Clean sheet", False)])

    end_print()
    end_print()
    assert due_of() == ["Clean sheet"]
    assert notifications() == [("Clean sheet", False), ("Clean sheet", True)]


def test_task_by_days_is_due_without_a_print(erp, printer, task_of, due_of, plan):
    task_of("Check belts", days=30)
    task_of("Change nozzle", hours=400)
    check_maintenance.fn()
    assert due_of() == []

    Printer.objects.update(created=timezone.now() - timedelta(days=31))
    check_maintenance.fn()
    check_maintenance.fn()

    assert (due_of(), notifications()) == (["Check belts"], [("Check belts", True)])
    assert plan()["tasks"][0]["name"] == "Check belts"
    assert plan()["tasks"][0]["days"]["remaining"] == pytest.approx(-1, abs=0.01)


def test_change_of_a_plan_is_followed(erp, task_of, printed, end_print, due_of):
    printed(hours=10)
    task = task_of("Lubricate rods", hours=10)
    assert (due_of(), notifications()) == (["Lubricate rods"], [("Lubricate rods", True)])

    assert erp.put(task["uri"], {"interval": {"hours": 200}}).status_code == 204
    assert (due_of(), notifications()) == ([], [("Lubricate rods", False)])

    assert erp.put(task["uri"], {"interval": {"hours": 5}}).status_code == 204
    assert due_of() == ["Lubricate rods"]
    assert erp.delete(task["uri"]).status_code == 204
    assert (due_of(), notifications()[1]) == ([], ("Lubricate rods", False))


def test_several_due_tasks_are_one_notification(erp, make, printer, task_of, end_print, due_of):
    for name in ("A", "B", "C", "D"):
        task_of(name, jobs=1)

    end_print()

    assert due_of() == ["A", "B", "C", "D"]
    row = Notification.objects.get(kind="maintenance-due")
    assert row.data == {"printer": printer["name"], "tasks": "A, B, C", "more": 1}
    assert (row.subject, row.count) == (printer["uri"], 1)


def test_printer_takes_no_runs_while_a_blocking_task_is_due(
    erp, make, printer, task_of, end_print, print_run, pieces_of, confirm
):
    task_of("Check belts", jobs=1)
    task = task_of("Change nozzle", jobs=1, blocks=True)
    end_print()
    run = print_run(pieces_of(confirm(quantity=1)))

    refused = erp.post("/attempt/", {"run": run["uri"], "printer": printer["uri"]})
    (candidate,) = erp.get(f"{run['uri']}candidates/").json()["resources"]
    make("maintenance-entry", printer=printer["uri"], task=task["uri"])

    assert refused.status_code == 409
    assert [error["code"] for error in refused.json()["errors"]] == ["maintenance-due"]
    assert [reason["code"] for reason in candidate["reasons"]] == ["maintenance-due"]
    assert erp.post("/attempt/", {"run": run["uri"], "printer": printer["uri"]}).status_code == 201


def test_printer_of_another_type_has_the_tasks_of_that_type(
    erp, make, bureau, printer, task_of, end_print, due_of, plan
):
    task_of("Clean sheet", jobs=1)
    end_print()
    box = {"x": 100, "y": 100, "z": 100}
    other = make("printer-type", bureau=bureau["uri"], name="Other", build_volume=box)

    assert erp.put(printer["uri"], {"printer_type": other["uri"]}).status_code == 204

    assert (due_of(), plan()["tasks"]) == ([], [])
    assert plan()["counters"]["jobs"] == 1


@pytest.mark.parametrize(
    ("interval", "code"),
    [
        ({}, "missing-parameter"),
        ({"hours": None}, "missing-parameter"),
        ({"hours": 0}, "property-value-not-in-allowed-values"),
        ({"jobs": 1.5}, "type-validation-error"),
        ({"days": 1_000_001}, "property-value-not-in-allowed-values"),
    ],
)
def test_task_needs_a_positive_interval(erp, bureau, printer_type, interval, code):
    values = {"bureau": bureau["uri"], "printer_type": printer_type["uri"], "name": "Clean"}

    answer = erp.post("/maintenance-task/", {**values, "interval": interval})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == code


def test_last_interval_of_a_task_cannot_be_removed(erp, task_of):
    task = task_of("Clean", jobs=20, days=7)

    assert erp.put(task["uri"], {"interval": {"jobs": None}}).status_code == 204
    answer = erp.put(task["uri"], {"interval": {"days": None}})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "missing-parameter"
    assert erp.get(task["uri"]).json()["interval"]["days"] == 7


def test_log_entry_needs_a_task_of_the_printer_type_or_a_name(erp, make, bureau, printer, task_of):
    box = {"x": 100, "y": 100, "z": 100}
    other = make("printer-type", bureau=bureau["uri"], name="Other", build_volume=box)
    foreign = make(
        "maintenance-task",
        bureau=bureau["uri"],
        printer_type=other["uri"],
        name="Clean",
        interval={"jobs": 1},
    )

    wrong = erp.post("/maintenance-entry/", {"printer": printer["uri"], "task": foreign["uri"]})
    none = erp.post("/maintenance-entry/", {"printer": printer["uri"]})

    assert wrong.json()["errors"][0]["code"] == "property-value-not-in-allowed-values"
    assert none.json()["errors"][0]["code"] == "missing-parameter"
    assert not MaintenanceEntry.objects.exists()


def test_members_log_work_and_owners_set_the_plan(
    client_of, erp, make, bureau, printer, printer_type, member, task_of
):
    task = task_of("Clean sheet", jobs=20)
    outsider = User.objects.create_user("eve", "eve@example.com", "correct horse battery")
    bob, eve = client_of("erp", member), client_of("erp", outsider)
    body = {"printer": printer["uri"], "task": task["uri"]}

    made = bob.post("/maintenance-entry/", body)

    assert made.status_code == 201
    assert made.json()["creator"] == member.uri
    assert bob.put(task["uri"], {"name": "Clean"}).status_code == 403
    assert eve.post("/maintenance-entry/", body).status_code in (400, 403)
    assert eve.get(f"{printer['uri']}maintenance/").status_code == 404
    assert eve.get(made.json()["uri"]).status_code == 404
    assert eve.get(task["uri"]).status_code == 404


def test_due_tasks_take_a_fixed_number_of_statements(
    erp, make, bureau, location, printer_type, printer, task_of, django_assert_max_num_queries
):
    for number in range(5):
        task_of(f"Task {number}", days=1, jobs=10)
    for number in range(5):
        fields = {"location": location["uri"], "printer_type": printer_type["uri"]}
        make("printer", **fields, name=f"Printer {number}")

    with django_assert_max_num_queries(6):
        check_maintenance.fn()

    assert not DueMaintenance.objects.exists()
