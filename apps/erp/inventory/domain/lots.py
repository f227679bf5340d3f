"""Lots: reserve for runs, post consumption, FEFO selection, invariant checks.

Whatever changes lots locks them by key, after printers and the run, before line items. Amounts are
whole thousandths of a lot's unit.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from apps.erp.inventory.domain.material_amounts import Need, amount_of
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import Reservation, StockMovement
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.master_data import Material
from apps.erp.printing.domain.material_usage import needs_kept, needs_of, part_printed
from apps.erp.printing.models.attempts import Attempt
from apps.erp.production.models.runs import Piece, Run
from core.auth_user import Person

_Kind, _Source = StockMovement.Kind, StockMovement.Source


class Wanted(NamedTuple):
    """How much of a material, in the unit in which it is counted."""

    material: Material
    amount: int
    unit: str


def counted() -> QuerySet[Stock]:
    """Lots whose amount is known."""
    rows: QuerySet[Stock] = Stock.objects.filter(remaining__isnull=False)
    return rows


def usable(at: datetime | None = None) -> QuerySet[Stock]:
    """Counted lots of which something may be taken: not those that have expired."""
    return counted().filter(Q(expires=None) | Q(expires__gt=at or timezone.now()))


def locked(lots: QuerySet[Stock]) -> list[Stock]:
    """These lots, locked until the transaction ends."""
    return list(lots.select_for_update(no_key=True, of=("self",)).order_by("pk"))


def book(
    lot: Stock,
    kind: str,
    amount: int,
    *,
    actor: Person,
    source: str = _Source.PERSON,
    attempt: Attempt | None = None,
    run: Run | None = None,
    notes: str = "",
) -> StockMovement:
    """Write a movement into the book of a locked lot, whose first one is its receipt."""
    lot.initial = amount if lot.initial is None else lot.initial
    lot.remaining = (lot.remaining or 0) + amount
    lot.save(update_fields=["initial", "remaining", "updated"])
    made: StockMovement = StockMovement.objects.create(
        bureau_id=lot.bureau_id,
        stock=lot,
        kind=kind,
        amount=amount,
        source=source,
        attempt=attempt,
        run=run,
        notes=notes,
        creator=actor,
    )
    return made


# ---------------------------------------------------------------- before a run begins


def reserve(run: Run, *, without: Iterable[Piece] = ()) -> None:
    """Set aside what a locked run will take, at the place of its printer; what was is released.

    Of what is in the printer first, then of what expires first, then of the oldest. What no lot
    has is kept as well: it is missing.

    without : pieces that leave the run
    """
    if run.printer is None:
        return
    wanted = _wanted(needs_of(run, without=without).of, run)
    lots = usable().filter(
        location=run.printer.location_id, material__in=[want.material for want in wanted]
    )
    found = locked(counted().filter(Q(pk__in=lots.values("pk")) | _of(run)))
    _release(run, found)
    loaded = set(run.printer.loaded.values_list("pk", flat=True))
    allowed = set(lots.values_list("pk", flat=True))
    for want in wanted:
        fit = [lot for lot in found if lot.pk in allowed and _fits(lot, want)]
        _set_aside(run, want, sorted(fit, key=lambda lot: _turn(lot, loaded)))


def release(run: Run) -> None:
    """Set nothing aside any more for a locked run."""
    if run.reservations.exists():
        _release(run, locked(counted().filter(_of(run))))


def _of(run: Run) -> Q:
    """The lots of which something is set aside for a run."""
    return Q(pk__in=run.reservations.exclude(stock=None).values("stock"))


def close(run: Run) -> None:
    """A locked run that began has ended: what was set aside for it is used.

    Where a machine of ours printed it, its attempts have taken what they took.
    """
    if not run.reservations.exists() or run.attempts.filter(began__isnull=False).exists():
        release(run)
        return
    source = needs_of(run).source
    lots = locked(counted().filter(_of(run)))
    taken = [(kept.stock_id, kept.amount) for kept in run.reservations.exclude(stock=None)]
    _release(run, lots)
    for lot in lots:
        amount = sum(amount for key, amount in taken if key == lot.pk)
        book(lot, _Kind.USE, -amount, actor=run.creator, source=source, run=run)


def _wanted(needs: list[Need], run: Run) -> list[Wanted]:
    """How much of each material that the bureau counts, and of which that is known."""
    units = units_of([need.material for need in needs if need.material])
    found = []
    for need in needs:
        unit = units.get(need.material.pk) if need.material else None
        amount = amount_of(need, unit) if unit else None
        if need.material and unit and amount:
            found.append(Wanted(need.material, amount, unit))
    return found


def units_of(materials: Iterable[Material]) -> Mapping[UUID, str]:
    """In which unit the lots of each material are counted; others are not."""
    rows = counted().filter(material__in=list(materials)).order_by("-pk")
    return dict(rows.values_list("material", "unit"))


def _fits(lot: Stock, want: Wanted) -> bool:
    return (lot.material_id, lot.unit) == (want.material.pk, want.unit)


def _turn(lot: Stock, loaded: set[UUID]) -> tuple[Any, ...]:
    """What of several lots is taken first."""
    last = lot.expires is None
    return lot.pk not in loaded, last, lot.expires or lot.created, lot.pk


def _set_aside(run: Run, want: Wanted, lots: list[Stock]) -> None:
    left = want.amount
    for lot in lots:
        take = min(left, max(lot.free, 0))
        if take:
            lot.reserved += take
            lot.save(update_fields=["reserved", "updated"])
            Reservation.objects.create(run=run, material=want.material, stock=lot, amount=take)
            left -= take
    if left:
        Reservation.objects.create(run=run, material=want.material, amount=left)


def _release(run: Run, lots: Iterable[Stock]) -> None:
    kept = list(run.reservations.exclude(stock=None).values_list("stock", "amount"))
    for lot in lots:
        lot.reserved -= sum(amount for key, amount in kept if key == lot.pk)
        lot.save(update_fields=["reserved", "updated"])
    run.reservations.all().delete()


# ---------------------------------------------------------------- what prints take


def settle(attempt: Attempt, printer: Printer) -> None:
    """Take what a print that has ended used, and set nothing aside for its run any more."""
    run = attempt.run
    # All at once, since they are locked by key.
    locked(counted().filter(Q(pk__in=_lots_of(attempt, printer)) | _of(run)))
    use(attempt, printer)
    if not attempt.detached:
        release(run)


def use(attempt: Attempt, printer: Printer) -> None:
    """Take what a print has used by now from the lots in its printer, and no more than once.

    What was taken before, when a spool was changed, stays taken. The printer is locked.
    """
    part, machine = part_printed(attempt)
    source = _Source.MACHINE if machine else attempt.needs.get("source", _Source.MODEL)
    needs = needs_kept(attempt)
    lots = locked(counted().filter(pk__in=_lots_of(attempt, printer)))
    for need in needs:
        fit = [lot for lot in lots if lot.material_id == (need.material and need.material.pk)]
        if not fit:
            continue
        whole = amount_of(need, fit[0].unit, part)
        if whole is not None:
            due = whole - _taken(attempt, need, fit[0].unit)
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
                attempt=attempt,
                run=attempt.run,
            )
            due -= take


# ---------------------------------------------------------------- the books


def broken_rules() -> list[str]:
    """Lots whose amounts are not what their books say, in words."""
    booked = counted().annotate(sum=Sum("movements__amount", default=0))
    kept = Stock.objects.annotate(sum=Sum("reservations__amount", default=0))
    return [
        *(
            f"{lot.uri}: {lot.remaining} remain, and its movements come to {lot.sum}."
            for lot in booked.exclude(sum=F("remaining"))
        ),
        *(
            f"{lot.uri}: {lot.reserved} are reserved, and for its runs {lot.sum}."
            for lot in kept.exclude(sum=F("reserved"))
        ),
    ]
