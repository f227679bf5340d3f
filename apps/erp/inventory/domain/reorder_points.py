"""Reorder points: whether less of a material is free than its bureau wants to have."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

from django.db.models import F, Q, Sum
from django.utils import timezone

from apps.erp.base.domain.notifications import Kind, Work, notify, settle
from apps.erp.base.model_fields import THOUSANDTHS
from apps.erp.inventory.models.lots import Stock
from apps.erp.organisation.models.master_data import Material

Level = Material.StockLevel


# Keys of materials whose levels are followed at the end of `one_change`.
_pending: ContextVar[set[UUID] | None] = ContextVar("pending_stock_levels", default=None)


@contextmanager
def one_change() -> Iterator[None]:
    """Follow levels once, after all that is written within: what is used is also released.

    In between, an amount counts twice or not at all.
    """
    if _pending.get() is not None:
        yield
        return
    keys: set[UUID] = set()
    token = _pending.set(keys)
    try:
        yield
    finally:
        _pending.reset(token)
    if keys:
        follow_levels(keys)


def follow_levels(materials: Collection[UUID] | None = None) -> None:
    """Set the stock level of counted materials by their lots, and notify of those that become low.

    What is free is what remains and no run has set aside, of lots that have not expired. One
    statement where no level changes.

    materials : keys of those whose lots have changed; None: all
    """
    pending = _pending.get()
    if materials is not None and pending is not None:
        pending.update(materials)
        return
    lots = Stock.objects.filter(remaining__isnull=False, material__reorder_point__isnull=False)
    if materials is not None:
        lots = lots.filter(material__in=set(materials))
    usable = Q(expires=None) | Q(expires__gt=timezone.now())
    spare = Sum(F("remaining") - F("reserved"), filter=usable, default=0)
    columns = ("material", "unit", "material__reorder_point", "material__stock_level")
    by_lots = lots.order_by("material").values_list(*columns)
    for key, unit, point, level, free in by_lots.annotate(spare=spare):
        new = Level.LOW if free < point else Level.OK
        if new != level:
            _move(key, new, unit, free / THOUSANDTHS, point / THOUSANDTHS)


def forget_level(material: UUID) -> None:
    """Set the level of a material that has no reorder point or no counted lot any more."""
    rows = Material.objects.filter(pk=material, stock_level=Level.LOW)
    for row in rows:
        counted = Stock.objects.filter(material=row, remaining__isnull=False)
        if row.reorder_point is None or not counted.exists():
            rows.update(stock_level=Level.OK)
            settle(row, Kind.MATERIAL_LOW)


def _move(key: UUID, level: str, unit: str, free: float, point: float) -> None:
    """Write a level, and notify; of two transactions that want to, one does."""
    if not Material.objects.filter(pk=key).exclude(stock_level=level).update(stock_level=level):
        return
    material = Material.objects.get(pk=key)
    if level == Level.OK:
        settle(material, Kind.MATERIAL_LOW)
        return
    data = {"material": material.name, "free": free, "reorder_point": point, "unit": unit}
    notify(Kind.MATERIAL_LOW, material, Work.PRODUCTION, includes_caller=True, **data)
