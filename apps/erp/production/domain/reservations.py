"""Reservations of material for runs, of what is loaded first, then of what expires first."""

from collections.abc import Iterable
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Q

from apps.erp.inventory.domain.lots import book, counted, locked, units_of, usable
from apps.erp.inventory.domain.material_amounts import Need, amount_of
from apps.erp.inventory.domain.reorder_points import follow_levels, one_change
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import Reservation, StockMovement
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.domain.material_needs import needs_of
from apps.erp.production.models.runs import Run


class Wanted(NamedTuple):
    """How much of a material, in the unit in which it is counted."""

    material: Material
    amount: int
    unit: str


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
    reservable = locked(counted().filter(Q(pk__in=lots.values("pk")) | reserved_for(run)))
    _release(run, reservable)
    loaded = set(run.printer.loaded.values_list("pk", flat=True))
    allowed = set(lots.values_list("pk", flat=True))
    for want in wanted:
        fit = [lot for lot in reservable if lot.pk in allowed and _fits(lot, want)]
        _set_aside(run, want, sorted(fit, key=lambda lot: _turn(lot, loaded)))
    if reservable:
        follow_levels({lot.material_id for lot in reservable})


def release(run: Run) -> None:
    """Set nothing aside any more for a locked run."""
    if run.reservations.exists():
        lots = locked(counted().filter(reserved_for(run)))
        _release(run, lots)
        follow_levels({lot.material_id for lot in lots})


def reserved_for(run: Run) -> Q:
    """The lots of which something is set aside for a run."""
    return Q(pk__in=run.reservations.exclude(stock=None).values("stock"))


@one_change()
def close(run: Run) -> None:
    """A locked run that began has ended: what was set aside for it is used.

    Where a machine of ours printed it, its attempts have taken what they took.
    """
    if not run.reservations.exists() or run.attempts.filter(began__isnull=False).exists():
        release(run)
        return
    source = needs_of(run).source
    lots = locked(counted().filter(reserved_for(run)))
    taken = [(kept.stock_id, kept.amount) for kept in run.reservations.exclude(stock=None)]
    _release(run, lots)
    for lot in lots:
        amount = sum(amount for key, amount in taken if key == lot.pk)
        book(lot, StockMovement.Kind.USE, -amount, actor=run.creator, source=source, run_id=run.pk)


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
