"""Automatic runs: pieces that wait are packed, sliced and queued for printers without work.

This is done for printer types with `plan_runs`, each run of one material, in the order of work,
once a printer that starts prints automatically has nothing to print.
"""

import logging
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.erp.automation.domain.attendance import idle_printers
from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.printing.domain.print_queue import queue_of
from apps.erp.production.domain.unscheduled import unscheduled
from apps.erp.production.models.runs import Run
from apps.erp.production.services import runs
from apps.erp.production.services.packing import create_packed_run
from core.errors import ServiceError

logger = logging.getLogger(__name__)

MAX_PIECES = 40  # of an automatic run
MAX_ROWS = 200  # line items that wait, of which these are taken
PAUSE_AFTER_ERROR = timedelta(hours=1)  # before pieces of a type are packed again
_Slicing = Run.Slicing


@transaction.atomic
def queue_sliced(bureau: Bureau) -> None:
    """Queue the automatic runs of a bureau that are sliced."""
    sliced = _prepared().filter(bureau=bureau, slicing=_Slicing.PROCESSED)
    for run in sliced.select_for_update(no_key=True, of=("self",)):
        runs.move(run, Run.Status.QUEUED)


def plan_runs(bureau: Bureau) -> None:
    """Pack waiting pieces for the printers of a bureau that have nothing to print."""
    for printer_type, printers in idle_printers(bureau).items():
        if printer_type.plan_runs:
            _plan(printer_type, printers)


@transaction.atomic
def _plan(printer_type: PrinterType, printers: list[Printer]) -> None:
    # Locked, so that two jobs of a bureau do not plan twice.
    PrinterType.objects.select_for_update(no_key=True, of=("self",)).get(pk=printer_type.pk)
    for _printer in range(_missing_runs(printer_type, len(printers))):
        if not _pack(printer_type, printers):
            break


def _prepared() -> QuerySet[Run]:
    """Automatic runs that are packed and not queued yet."""
    return Run.objects.filter(packing__automatic=True, status=Run.Status.CALCULATED)


def _missing_runs(printer_type: PrinterType, printers: int) -> int:
    """How many runs are to be packed so that each printer has one.

    None for an hour after one that could not be packed; those that could not be sliced
    count until a person has decided about them.
    """
    of_type = Run.objects.filter(bureau=printer_type.bureau_id, printer_type=printer_type)
    preparing = of_type.filter(status__in=(Run.Status.CREATED, Run.Status.CALCULATING))
    failed = of_type.filter(
        packing__automatic=True,
        status=Run.Status.ERROR,
        attempts=None,  # others were printed, and all of their pieces rejected
        updated__gt=timezone.now() - PAUSE_AFTER_ERROR,
    )
    if failed.exists():
        return 0
    prepared = _prepared().filter(bureau=printer_type.bureau_id, printer_type=printer_type)
    return printers - queue_of(printer_type).count() - preparing.count() - prepared.count()


def _pack(printer_type: PrinterType, printers: list[Printer]) -> bool:
    """Pack the first waiting pieces of one material that a printer has loaded, if there are any."""
    rows = unscheduled(printers[0].bureau, printer_type=printer_type, limit=MAX_ROWS)
    for row in rows:
        printer = next((each for each in printers if _takes(each, row["material"])), None)
        if printer is None:
            continue
        alike = [each for each in rows if each["material"] == row["material"]]
        keys = [key for each in alike for key in each["pieces"]][:MAX_PIECES]
        by_key = Piece.objects.select_related("line_item__base_material").in_bulk(keys)
        try:
            with transaction.atomic():
                create_packed_run(
                    actor=printer.bureau.creator,
                    printer=printer,
                    run_name=row["name"] or printer_type.name,
                    pieces=[by_key[key] for key in keys if key in by_key],
                    do_build_volume_check=False,
                    budget="quick",
                    automatic=True,
                )
        except ServiceError as error:
            logger.info("Pieces of %s are not packed automatically: %s", printer_type.uri, error)
            continue
        return True
    return False


def _takes(printer: Printer, material: UUID | None) -> bool:
    loaded = {lot.material_id for lot in printer.loaded.all()}
    return not loaded or material in loaded or material is None
