"""Consumption of material by prints, from the lots in their printer."""

from uuid import UUID

from django.db.models import Q, Sum

from apps.erp.inventory.domain.lots import book, counted, locked
from apps.erp.inventory.domain.material_amounts import Need, amount_of
from apps.erp.inventory.domain.reorder_points import one_change
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.domain.material_usage import needs_kept, part_printed
from apps.erp.production.domain.reservations import release, reserved_for
from apps.erp.production.models.attempts import Attempt

_Kind, _Source = StockMovement.Kind, StockMovement.Source


@one_change()
def settle(attempt: Attempt, printer: Printer) -> None:
    """Take what a print that has ended used, and set nothing aside for its run any more."""
    run = attempt.run
    # All at once, since they are locked by key.
    locked(counted().filter(Q(pk__in=_lots_of(attempt, printer)) | reserved_for(run)))
    use(attempt, printer)
    if not attempt.detached:
        release(run)


def use(attempt: Attempt, printer: Printer) -> None:
    """Take what a print has used by now from the lots in its printer, and no more than once.

    What was taken before, when a spool was changed, stays taken. The printer is locked.
    """
    printed = part_printed(attempt)
    if printed is None:
        return
    part, machine = printed
    source = _Source.MACHINE if machine else attempt.needs.get("source", _Source.MODEL)
    needs = needs_kept(attempt)
    lots = locked(counted().filter(pk__in=_lots_of(attempt, printer)))
    for need in needs:
        fit = [lot for lot in lots if lot.material_id == (need.material and need.material.pk)]
        if not fit:
            continue
        consumed = amount_of(need, fit[0].unit, part)
        if consumed is not None:
            due = consumed - _taken(attempt, need, fit[0].unit)
            _take(attempt, [lot for lot in fit if lot.unit == fit[0].unit], due, source)


def _lots_of(attempt: Attempt, printer: Printer) -> set[UUID]:
    """The lots in the printer; for what none of these is of, those that were."""
    now = {lot.pk: lot.material_id for lot in printer.loaded.all()}
    before = {lot.pk: lot.material_id for lot in attempt.loaded.all()}
    gone = {key for key, material in before.items() if material not in now.values()}
    return {*now, *gone}


def _taken(attempt: Attempt, need: Need, unit: str) -> int:
    rows = attempt.movements.filter(kind=_Kind.USE, stock__material=need.material, stock__unit=unit)
    return -(rows.aggregate(sum=Sum("amount"))["sum"] or 0)


def _take(attempt: Attempt, lots: list[Stock], due: int, source: str) -> None:
    """What is opened first is used up first; the last one has what the others do not."""
    lots = sorted(lots, key=lambda lot: (lot.opened is None, lot.opened or lot.created, lot.pk))
    for lot in lots:
        take = due if lot is lots[-1] else min(due, max(lot.remaining or 0, 0))
        if take > 0:
            book(
                lot,
                _Kind.USE,
                -take,
                actor=attempt.creator,
                source=source,
                attempt_id=attempt.pk,
                run_id=attempt.run_id,
            )
            due -= take
