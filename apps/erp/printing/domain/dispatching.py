"""Dispatching: which printers can print a run, and why others cannot."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from apps.erp.base.model_fields import THOUSANDTHS
from apps.erp.inventory.domain.material_amounts import Need, amount_of
from apps.erp.inventory.models.lots import Stock
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.domain import run_slicing
from apps.erp.production.domain.attempts import plate_of
from apps.erp.production.domain.material_needs import content_of, needs_of
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run
from machines.controller import READY
from machines.rules import Rules

LOOKED_BACK = timedelta(days=30)
AT_LEAST = 1.1  # times what a print takes must be loaded
RULES = Rules()
ESTIMATE_ONLY = (
    "Its slice is an estimate: the preset of the printer type has no start and end G-code. Confirm "
    "both on the page of the printer type (printer_gcode), and slice the run again."
)
_READY = (Run.Status.CALCULATED, Run.Status.QUEUED)


class Obstacle(NamedTuple):
    """Why a run is not printed here, or not at all."""

    code: str
    title: str


class Candidate(NamedTuple):
    """A printer, and why not; it fits where there is no reason."""

    printer: Printer
    obstacles: list[Obstacle]


def printers_for(run: Run) -> QuerySet[Printer]:
    """The printers of the run's type in its bureau, with the attempts that hold them."""
    rows = Printer.objects.filter(bureau=run.bureau_id, printer_type=run.printer_type_id)
    since = timezone.now() - LOOKED_BACK
    hours = Sum("attempts__printing_seconds", filter=Q(attempts__ended__gte=since), default=0.0)
    rows = rows.annotate(printed=hours).select_related("location")
    rows = rows.prefetch_related("loaded__material", "agent", "due_maintenance__task")
    return rows.order_by("printed", "pk")


def candidates(run: Run, printers: Iterable[Printer]) -> list[Candidate]:
    """Each of these printers, in their order, and why the run is not printed on it."""
    own = list(of_run(run))
    printers = list(printers)
    busy = set(
        Attempt.objects.filter(printer__in=printers, status__in=Attempt.OPEN).values_list(
            "printer", flat=True
        )
    )
    materials = materials_of(run)
    needs = needs_of(run).of if any(printer.loaded.all() for printer in printers) else []
    return [
        Candidate(
            printer,
            [
                *own,
                *_of_printer(run, printer, materials, busy=printer.pk in busy),
                *_of_lots(printer, needs),
            ],
        )
        for printer in printers
    ]


def of_run(run: Run) -> Iterator[Obstacle]:
    """Why the run is printed nowhere."""
    if run.operation != Run.Operation.PRINTING:
        yield Obstacle("not-a-print", f"The run is {run.operation}, and nothing is printed.")
    elif run.status not in _READY:
        title = f"The run is {run.status}: it is printed once it is {' or '.join(_READY)}."
        yield Obstacle("run-not-ready", title)
    if run.slicing in run_slicing.UNDER_WAY:
        yield Obstacle("slice-not-ready", f"Its slice is {run.slicing}: wait for its end.")
    if (file := content_of(run)) and file.estimate_only:
        yield Obstacle("estimate-only", ESTIMATE_ONLY)
    held = run.attempts.filter(status__in=Attempt.OPEN, detached=False).first()
    if held is not None:
        yield Obstacle("attempt-open", f"The attempt {held.uri} of it is {held.status}.")


def materials_of(run: Run) -> set[Material]:
    """What its pieces, or a run without any, are to be made of, as far as they say."""
    found = Material.objects.filter(
        pk__in=run.places.exclude(piece__line_item__base_material=None).values(
            "piece__line_item__base_material"
        )
    )
    return set(found) or ({run.material} if run.material else set())


def _of_printer(
    run: Run, printer: Printer, materials: set[Material], *, busy: bool
) -> Iterator[Obstacle]:
    if not printer.driver:
        words = "No machine is attached to it: set its driver."
        yield Obstacle("no-machine", words)
    if printer.driven:
        yield from _of_machine(run, printer)
    if printer.printer_type_id != run.printer_type_id:
        yield Obstacle("other-type", "It is of another type than the run was packed for.")
    yield from _of_place(run, printer)
    if printer.maintenance:
        yield Obstacle("in-maintenance", "It is in maintenance.")
    for due in printer.due_maintenance.all():
        if due.task.blocks:
            yield Obstacle("maintenance-due", f"{due.task.name} is due: do it, and log it.")
    if busy:
        yield Obstacle("printer-busy", "Another attempt is open on it.")
    if not RULES.plans(plate_of(printer)):
        words = f"Its plate is {printer.plate}: look, and clear it."
        yield Obstacle("plate-not-clear", words)
    loaded = {lot.material for lot in printer.loaded.all()}
    if loaded and not materials <= loaded:
        missing = ", ".join(sorted(str(material) for material in materials - loaded))
        yield Obstacle("other-material", f"{missing} is not loaded.")


def _of_lots(printer: Printer, needs: list[Need]) -> Iterator[Obstacle]:
    """Where a material is counted, a print begins with some more than it takes."""
    for need in needs:
        lots = [lot for lot in printer.loaded.all() if need.material and _counts(lot, need)]
        if not lots:
            continue
        there, unit = sum(lot.remaining or 0 for lot in lots), lots[0].unit
        least = amount_of(need, unit, AT_LEAST)
        if least is not None and there < least:
            words = f"{need.material}: {there / THOUSANDTHS:g} {unit} are left in it, and "
            yield Obstacle(
                "too-little-material",
                f"{words}{least / THOUSANDTHS:g} {unit} are needed to begin: load another lot as "
                "well, or correct what is left.",
            )


def _counts(lot: Stock, need: Need) -> bool:
    return lot.remaining is not None and lot.material == need.material


def _of_machine(run: Run, printer: Printer) -> Iterator[Obstacle]:
    if printer.agent is None or not printer.agent.online:
        yield Obstacle(
            "agent-offline", "No agent at its location has been heard in the last minute."
        )
    elif printer.doing not in READY:
        yield Obstacle("machine-not-idle", f"Its machine is {printer.doing}.")
    if content_of(run) is None:
        yield Obstacle("no-gcode", "The run has neither a slice nor gcode that could be printed.")


def _of_place(run: Run, printer: Printer) -> Iterator[Obstacle]:
    if run.printer is None or run.printer == printer:
        return
    if not run.any_of_type:
        words = f"The run names {run.printer.uri}, and is not any_of_type."
        yield Obstacle("other-printer", words)
    elif run.printer.location_id != printer.location_id:
        yield Obstacle("other-location", "It stands at another location than the run's printer.")
