"""What a client may do with printers."""

from typing import Any

from django.db import transaction

from apps.erp.domain import attempts
from apps.erp.domain.attempts import AttemptOpen
from apps.erp.models import Attempt, Printer
from apps.erp.services import rows
from core.errors import Conflict
from core.person import Person
from machines.states import Plate


class SetByMachine(Conflict):
    """The status of a printer with a machine is what that does."""

    code = "set-by-machine"


@transaction.atomic
def create(*, actor: Person, **values: Any) -> Printer:
    """A printer; with a machine, it shows what that is at."""
    if values.get("driver"):
        _require_status(values.pop("status", Printer.Status.UNKNOWN), Printer.Status.UNKNOWN)
    printer: Printer = rows.create(actor=actor, kind=Printer, **values)
    if printer.driver:
        attempts.show(printer)
    return printer


@transaction.atomic
def change(*, actor: Person, row: Printer, put_back: bool = False, **values: Any) -> None:
    """Change what was given.

    put_back : whether it is a GET put back, in which the machine's own word means nothing
    """
    (printer,) = attempts.locked_printers([row.pk])
    driver = values.get("driver", printer.driver)
    if driver and "status" in values:
        status = values.pop("status")
        if not put_back:
            _require_status(status, printer.status)
    attached = driver != printer.driver
    if attached:
        _require_free(printer)
    rows.change(actor=actor, row=printer, **values)
    if attached:
        printer.plate = Plate.UNKNOWN.value
        attempts.show(printer)


def delete(*, row: Printer) -> None:
    """Delete a printer that nothing points at."""
    rows.delete(row=row)


def _require_status(given: str, present: str) -> None:
    if given != present:
        words = "A machine is attached to this printer, and its status is what that does: leave "
        raise SetByMachine(f"{words}status out, or set driver to null.", field="status")


def _require_free(printer: Printer) -> None:
    held = Attempt.objects.filter(printer=printer, status__in=Attempt.OPEN).first()
    if held is not None:
        words = f"The attempt {held.uri} is {held.status}: another driver would lose sight of it."
        raise AttemptOpen(words, field="driver", details={"attempt": held.uri})
