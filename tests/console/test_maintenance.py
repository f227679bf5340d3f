"""Maintenance in the console: plan and log of a printer, form, dashboard, notification."""

import re

import pytest

from apps.erp.actors import check_maintenance
from apps.erp.models import MaintenanceEntry, MaintenanceTask, Printer
from tests.console.test_printers import clear, pack, press, printer, run, start  # noqa: F401
from tests.console.visitor import main_of


@pytest.fixture
def add_task(printer):  # noqa: F811
    """`add_task("Clean sheet", interval_jobs=1)`: a task of the printer's type."""

    def add(name: str, **values) -> MaintenanceTask:
        row = Printer.objects.get()
        common = {"bureau": row.bureau, "printer_type": row.printer_type, "name": name}
        return MaintenanceTask.objects.create(**common, **values)

    return add


def submit(ada, path: str, **fields):
    """Send the form of the page as it is, with these fields."""
    form = ada.get(path).content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]
    return ada.send(path, key=key, **fields)


def test_plan_is_shown_on_the_page_of_the_printer(ada, printer, add_task):  # noqa: F811
    assert "No maintenance tasks for this printer type." in main_of(ada.get(printer))
    add_task("Clean sheet", interval_jobs=20, notes="Isopropanol")

    assert "Clean sheet every 20 prints 20 prints left" in main_of(ada.get(printer))
    page = main_of(ada.get(f"{printer}maintenance/"))
    assert "Isopropanol Never logged" in page
    assert "Print time 0 h Filament 0.0 kg Prints 0" in page


def test_task_that_is_due_waits_on_the_dashboard_until_it_is_logged(
    ada,
    clear,  # noqa: F811
    run,  # noqa: F811
    add_task,
    person,
):
    task = add_task("Clean sheet", interval_jobs=1, blocks=True)
    start(ada, clear, run)
    press(ada, clear, "done")
    press(ada, clear, "clear")
    assert "Printer 1: maintenance due Clean sheet Open maintenance" in main_of(ada.get("/"))
    assert "Printer 1: Clean sheet due" in main_of(ada.get("/notifications/"))
    page = main_of(ada.get(clear))
    assert "Clean sheet Due The printer takes no builds until the task is logged." in page

    answer = submit(ada, f"{clear}maintenance/", tasks=[task.uri], notes="Isopropanol")

    assert answer["Location"] == f"{clear}maintenance/?done=saved"
    entry = MaintenanceEntry.objects.get()
    assert (entry.task, entry.name, entry.notes) == (task, "Clean sheet", "Isopropanol")
    assert (entry.jobs, entry.creator) == (1, person)
    page = main_of(ada.get(f"{clear}maintenance/"))
    assert "Clean sheet every 1 print 1 print left" in page
    assert "at 0 h, 1 print" in page
    assert "maintenance due" not in main_of(ada.get("/"))
    assert "Printer 1: Clean sheet due" not in main_of(ada.get("/notifications/?state=unread"))


def test_form_logs_other_work_and_puts_the_printer_into_maintenance(ada, printer):  # noqa: F811
    path = f"{printer}maintenance/"

    submit(ada, path, name="Belt replaced", maintenance="on")

    row = Printer.objects.get()
    assert (row.maintenance, MaintenanceEntry.objects.get().name) == (True, "Belt replaced")
    submit(ada, path)
    row.refresh_from_db()
    assert (row.maintenance, MaintenanceEntry.objects.count()) == (False, 1)


def test_form_without_any_work_is_refused(ada, printer):  # noqa: F811
    answer = submit(ada, f"{printer}maintenance/", notes="Looked at the belt")

    assert answer.status_code == 400
    assert "Select a task, or name the other work." in main_of(answer)
    assert not MaintenanceEntry.objects.exists()


def test_form_that_is_sent_twice_logs_once(ada, printer, add_task):  # noqa: F811
    task = add_task("Clean sheet", interval_jobs=1)
    path = f"{printer}maintenance/"
    form = ada.get(path).content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]

    for _ in range(2):
        assert ada.send(path, key=key, tasks=[task.uri]).status_code == 303

    assert MaintenanceEntry.objects.count() == 1


def test_several_due_tasks_are_one_sentence(ada, printer, add_task):  # noqa: F811
    for name in ("A", "B", "C", "D"):
        add_task(name, interval_days=1)
    Printer.objects.update(created="2026-01-01T00:00:00Z")

    check_maintenance.fn()

    assert "Printer 1: A, B, C and 1 more due" in main_of(ada.get("/notifications/"))
