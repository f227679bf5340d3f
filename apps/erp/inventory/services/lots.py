"""Create, update and delete lots."""

from typing import Any

from django.db import transaction

from apps.erp.base.services import resources
from apps.erp.inventory.domain import lots
from apps.erp.inventory.domain.reorder_points import follow_levels, forget_level
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from core.auth_user import Person
from core.errors import ServiceError


@transaction.atomic
def create(*, actor: Person, initial: int | None = None, **values: Any) -> Stock:
    """A lot, which is counted from now on where it is said how much came."""
    lot: Stock = resources.create(actor=actor, kind=Stock, **values)
    if initial is not None:
        lots.book(lot, StockMovement.Kind.RECEIPT, initial, actor=actor)
        lot.material.refresh_from_db(fields=["stock_level"])
    return lot


@transaction.atomic
def change(*, actor: Person, row: Stock, **values: Any) -> None:
    """Change what was given; of what a lot is that is counted stays."""
    if row.remaining is not None and values.get("material", row.material) != row.material:
        words = "The lot is counted as what it is: make another, and correct this one to nothing."
        raise ServiceError(words, code="cannot-set-property", field="material")
    if values.get("spoolman_id", row.spoolman_id) != row.spoolman_id:
        row.spoolman_left = None  # that was another spool
        row.save(update_fields=["spoolman_left", "updated"])
    expires = row.expires
    resources.change(actor=actor, row=row, **values)
    if row.expires != expires:
        follow_levels([row.material_id])


@transaction.atomic
def delete(*, row: Stock) -> None:
    """Delete a lot of which no run took anything, with what people wrote into its book."""
    (lot,) = lots.locked(Stock.objects.filter(pk=row.pk))
    if not lot.movements.filter(run__isnull=False).exists():
        lot.movements.all().delete()
    resources.delete(row=lot)
    follow_levels([row.material_id])
    forget_level(row.material_id)
