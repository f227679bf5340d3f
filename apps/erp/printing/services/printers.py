"""Create, update and delete printers."""

from typing import Any
from uuid import UUID

from django.db import transaction

from apps.erp.base.services import resources
from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.models.agents import Agent
from apps.erp.production.domain import attempts
from apps.erp.production.domain.attempts import AttemptOpen
from apps.erp.production.domain.maintenance import follow_maintenance
from apps.erp.production.models.attempts import Attempt
from core.auth_user import Person
from core.errors import Conflict
from machines.states import PlateState


class SetByMachine(Conflict):
    """The status of a printer with a machine is what that does."""

    code = "set-by-machine"


@transaction.atomic
def create(*, actor: Person, **values: Any) -> Printer:
    """A printer; with a machine, it shows what that is at."""
    _require_near(values.get("agent"), values["location"].pk)
    if values.get("driver"):
        _require_status(values.pop("status", Printer.Status.UNKNOWN), Printer.Status.UNKNOWN)
    printer: Printer = resources.create(actor=actor, kind=Printer, **values)
    if printer.driver:
        attempts.show(printer)
    return printer


@transaction.atomic
def change(*, actor: Person, row: Printer, put_back: bool = False, **values: Any) -> None:
    """Change what was given.

    put_back : whether it is a GET put back, in which the machine's own word means nothing
    """
    (printer,) = attempts.locked_printers([row.pk])
    driver, agent = values.get("driver", printer.driver), values.get("agent", printer.agent)
    _require_near(agent, printer.location_id)
    if driver and "status" in values:
        status = values.pop("status")
        if not put_back:
            _require_status(status, printer.status)
    if "loaded" in values:
        attempts.change_spools(printer, values["loaded"])
    attached = driver != printer.driver or agent != printer.agent
    if attached:
        _require_free(printer)
    resources.change(actor=actor, row=printer, **values)
    if "printer_type" in values:
        follow_maintenance(Printer.objects.filter(pk=printer.pk))
    if attached:
        printer.plate = PlateState.UNKNOWN.value
        attempts.show(printer)


def delete(*, row: Printer) -> None:
    """Delete a printer that nothing points at."""
    resources.delete(row=row)


def _require_status(given: str, present: str) -> None:
    if given != present:
        words = "A machine is attached to this printer, and its status is what that does: leave "
        raise SetByMachine(f"{words}status out, or set driver to null.", field="status")


def _require_near(agent: Agent | None, location: UUID) -> None:
    if agent is not None and agent.location_id != location:
        words = f"{agent.uri} works at another location than the printer."
        raise Conflict(words, code="other-location", field="agent")


def _require_free(printer: Printer) -> None:
    held = Attempt.objects.filter(printer=printer, status__in=Attempt.OPEN).first()
    if held is not None:
        words = f"The attempt {held.uri} is {held.status}: who drives it must not lose sight of it."
        raise AttemptOpen(words, field="driver", details={"attempt": held.uri})
