"""Notifications of printers that need a person."""

from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.models.attempts import Attempt
from machines.drivers import MachineStatus
from machines.states import AttemptState

_STOPS = (AttemptState.PAUSED, AttemptState.UNCLEAR, AttemptState.FAILED)
_FAULTS = (MachineStatus.FAILED, MachineStatus.ATTENTION)


def notify_of_attempt(attempt: Attempt, printer: Printer, *, is_wanted: bool) -> None:
    """Notify of the state that an attempt has just come to: a full bed, or a print that stands.

    is_wanted : whether a person has asked for it
    """
    state, data = attempt.state, {"printer": printer.name, "build": attempt.run.name}
    if state in (AttemptState.DONE, AttemptState.STOPPED):
        notify(Kind.BED_TO_CLEAR, printer, Work.PRODUCTION, **data)
    elif state in _STOPS and not is_wanted:
        notify(Kind.PRINTER_ATTENTION, printer, Work.PRODUCTION, reason=state.value, **data)


def notify_of_status(printer: Printer, *, before: str, holding: Attempt | None) -> None:
    """Notify of a machine that has gone offline, or reports a fault.

    before  : its status until now
    holding : the attempt that holds it, whose own failure is notified of by itself
    """
    if holding is not None and holding.state in _STOPS:
        return
    if printer.status == Printer.Status.OFFLINE and before != Printer.Status.UNKNOWN:
        reason = "offline"
    elif printer.status == Printer.Status.ERROR and printer.doing in _FAULTS:
        reason = "fault"
    else:
        return
    notify(Kind.PRINTER_ATTENTION, printer, Work.PRODUCTION, printer=printer.name, reason=reason)
