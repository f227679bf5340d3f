"""Print queue of a printer type."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import F, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.printing.domain.dispatching import Candidate, candidates_of_runs, printers_for_type
from apps.erp.production.domain.obstacles import Obstacle
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run


class Waiting(NamedTuple):
    """A run, the first printer that takes it now, and what holds it up where none does."""

    run: Run
    printer: Printer | None
    obstacle: Obstacle | None


def queue_of(printer_type: PrinterType) -> QuerySet[Run]:
    """The queued runs of a type that no attempt has: by position, priority, due date and age.

    A line item's own priority goes before its order's; the most urgent piece decides for its run.
    """
    held = Attempt.objects.filter(status__in=Attempt.OPEN, detached=False)
    rows = Run.objects.filter(
        bureau=printer_type.bureau_id,
        printer_type=printer_type,
        operation=Run.Operation.PRINTING,
        status=Run.Status.QUEUED,
    ).filter(~Q(pk__in=held.values("run")))
    item = "places__piece__line_item__"
    urgency = Coalesce(f"{item}priority", f"{item}order__priority")
    rows = rows.annotate(
        position=Min(f"{item}position"), urgency=Min(urgency), due=Min(f"{item}order__due_date")
    )
    by = [F(name).asc(nulls_last=True) for name in ("position", "urgency", "due")]
    return rows.order_by(*by, "pk").select_related("printer", "printer_type", "material")


def waiting_of(printer_type: PrinterType, runs: Sequence[Run]) -> list[Waiting]:
    """Return what queued runs of a type wait for, in a constant number of statements."""
    printers = printers_for_type(printer_type.bureau_id, printer_type.pk)
    every = candidates_of_runs(runs, printers) if runs else {}
    return [_waiting(run, every[run.pk]) for run in runs]


def _waiting(run: Run, every: list[Candidate]) -> Waiting:
    free = next((found.printer for found in every if not found.obstacles), None)
    return Waiting(run, free, None if free else _main_obstacle(every))


def _main_obstacle(every: list[Candidate]) -> Obstacle:
    """What holds a run up on most printers."""
    found = Counter(obstacle for candidate in every for obstacle in candidate.obstacles[:1])
    if not found:
        return Obstacle("no-printer", "There is no printer of its type.")
    return found.most_common(1)[0][0]
