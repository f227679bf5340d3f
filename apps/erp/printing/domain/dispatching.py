"""Dispatching: which printers can print a run, and why others cannot."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from apps.erp.base.model_fields import THOUSANDTHS
from apps.erp.inventory.domain.material_amounts import Need, amount_of
from apps.erp.inventory.models.lots import Stock
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.domain import run_slicing
from apps.erp.production.domain.attempts import plate_of
from apps.erp.production.domain.material_needs import Needs, contents_of, needs_of_runs
from apps.erp.production.domain.obstacles import Obstacle
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Place, Run
from apps.slicing.interface import GcodeFile
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


class Candidate(NamedTuple):
    """A printer, and why not; it fits where there is no reason."""

    printer: Printer
    obstacles: list[Obstacle]


def printers_for(run: Run) -> QuerySet[Printer]:
    """The printers of the run's type in its bureau, with the attempts that hold them."""
    return printers_for_type(run.bureau_id, run.printer_type_id)


def printers_for_type(bureau: UUID, printer_type: UUID | None) -> QuerySet[Printer]:
    """As `printers_for`, by the keys of a bureau and a printer type."""
    rows = Printer.objects.filter(bureau=bureau, printer_type=printer_type)
    since = timezone.now() - LOOKED_BACK
    hours = Sum("attempts__printing_seconds", filter=Q(attempts__ended__gte=since), default=0.0)
    rows = rows.annotate(printed=hours).select_related("location")
    rows = rows.prefetch_related("loaded__material", "agent", "due_maintenance__task")
    return rows.order_by("printed", "pk")


class RunFacts(NamedTuple):
    """What decides where a run is printed, beside the printers.

    file      : that a machine prints; None without a slice and G-code
    held      : the open attempt that prints it, or is about to
    materials : that its pieces, or a run without any, are to be made of, as far as they say
    """

    run: Run
    file: GcodeFile | None
    held: Attempt | None
    materials: frozenset[Material]


def facts_of(runs: Collection[Run]) -> list[RunFacts]:
    """Read what decides where these runs are printed, in a constant number of statements."""
    files = contents_of(runs)
    open_ones = Attempt.objects.filter(run__in=runs, status__in=Attempt.OPEN, detached=False)
    held = {attempt.run_id: attempt for attempt in open_ones}
    base = "piece__line_item__base_material"
    rows = Place.objects.filter(run__in=runs).exclude(**{base: None}).order_by()
    keys = set(rows.values_list("run", base))
    by_key = Material.objects.in_bulk({key for _run, key in keys})
    materials: dict[UUID, set[Material]] = defaultdict(set)
    for run_key, key in keys:
        materials[run_key].add(by_key[key])
    return [
        RunFacts(
            run,
            files.get(run.pk),
            held.get(run.pk),
            frozenset(materials[run.pk] or ({run.material} if run.material else ())),
        )
        for run in runs
    ]


def candidates(run: Run, printers: Iterable[Printer]) -> list[Candidate]:
    """Each of these printers, in their order, and why the run is not printed on it."""
    return candidates_of_runs([run], printers)[run.pk]


def candidates_of_runs(
    runs: Collection[Run], printers: Iterable[Printer]
) -> dict[UUID, list[Candidate]]:
    """As `candidates`, by the keys of runs, in a constant number of statements."""
    printers = list(printers)
    busy = set(
        Attempt.objects.filter(printer__in=printers, status__in=Attempt.OPEN).values_list(
            "printer", flat=True
        )
    )
    facts = facts_of(runs)
    needs: Mapping[UUID, Needs] = {}
    if any(printer.loaded.all() for printer in printers):
        needs = needs_of_runs(runs, {each.run.pk: each.file for each in facts if each.file})
    machines = [list(_of_machine(printer)) for printer in printers]
    states = [list(_of_state(printer, busy=printer.pk in busy)) for printer in printers]
    result = {}
    for each in facts:
        own = list(obstacles_of_run(each))
        wanted = needs[each.run.pk].of if needs else []
        result[each.run.pk] = [
            Candidate(
                printer,
                [
                    *own,
                    *of_machine,
                    *_of_run_on(printer, each),
                    *of_state,
                    *_of_loaded(printer, each.materials),
                    *_of_lots(printer, wanted),
                ],
            )
            for printer, of_machine, of_state in zip(printers, machines, states, strict=True)
        ]
    return result


def obstacles_of_run(facts: RunFacts) -> Iterator[Obstacle]:
    """Why the run is printed nowhere."""
    run = facts.run
    if run.operation != Run.Operation.PRINTING:
        yield Obstacle("not-a-print", f"The run is {run.operation}, and nothing is printed.")
    elif run.status not in _READY:
        title = f"The run is {run.status}: it is printed once it is {' or '.join(_READY)}."
        yield Obstacle("run-not-ready", title)
    if run.slicing in run_slicing.UNDER_WAY:
        yield Obstacle("slice-not-ready", f"Its slice is {run.slicing}: wait for its end.")
    if facts.file is not None and facts.file.estimate_only:
        yield Obstacle("estimate-only", ESTIMATE_ONLY)
    if (held := facts.held) is not None:
        yield Obstacle("attempt-open", f"The attempt {held.uri} of it is {held.status}.")


def _of_machine(printer: Printer) -> Iterator[Obstacle]:
    if not printer.driver:
        words = "No machine is attached to it: set its driver."
        yield Obstacle("no-machine", words)
    if not printer.driven:
        return
    if printer.agent is None or not printer.agent.online:
        yield Obstacle(
            "agent-offline", "No agent at its location has been heard in the last minute."
        )
    elif printer.doing not in READY:
        yield Obstacle("machine-not-idle", f"Its machine is {printer.doing}.")


def _of_run_on(printer: Printer, facts: RunFacts) -> Iterator[Obstacle]:
    if printer.driven and facts.file is None:
        yield Obstacle("no-gcode", "The run has neither a slice nor gcode that could be printed.")
    if printer.printer_type_id != facts.run.printer_type_id:
        yield Obstacle("other-type", "It is of another type than the run was packed for.")
    yield from _of_place(facts.run, printer)


def _of_state(printer: Printer, *, busy: bool) -> Iterator[Obstacle]:
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


def _of_loaded(printer: Printer, materials: frozenset[Material]) -> Iterator[Obstacle]:
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
            names = ", ".join(_named(lot, printer) for lot in lots)
            words = f"{need.material}: {there / THOUSANDTHS:g} {unit} are left in {names}, and "
            yield Obstacle(
                "too-little-material",
                f"{words}{least / THOUSANDTHS:g} {unit} are needed to begin: load another lot as "
                "well, or correct what is left.",
            )


def _counts(lot: Stock, need: Need) -> bool:
    return lot.remaining is not None and lot.material == need.material


def _named(lot: Stock, printer: Printer) -> str:
    """A loaded lot by its name, and by its slot in a filament changer where one matches."""
    slot = slot_of(lot.material, printer)
    return f"{lot} (slot {slot})" if slot else str(lot)


def slot_of(material: Material, printer: Printer) -> str | None:
    """The only slot of a printer whose tray has this filament, as its machine reports it.

    A colour counts where the material and at least one tray of its filament have one.
    """
    report = printer.agent.sees(printer) if printer.driven and printer.agent else {}
    filament = (material.filament_type or material.name).casefold()
    trays = [tray for tray in report.get("trays", []) if tray["material"].casefold() == filament]
    color = material.color.lower()
    same = [tray for tray in trays if color and tray.get("color") == color]
    slots = [tray["slot"] for tray in same or trays]
    return slots[0] if len(slots) == 1 else None


def _of_place(run: Run, printer: Printer) -> Iterator[Obstacle]:
    if run.printer is None or run.printer == printer:
        return
    if not run.any_of_type:
        words = f"The run names {run.printer.uri}, and is not any_of_type."
        yield Obstacle("other-printer", words)
    elif run.printer.location_id != printer.location_id:
        yield Obstacle("other-location", "It stands at another location than the run's printer.")
