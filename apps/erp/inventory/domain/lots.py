"""Lots: which can be used, book a movement, check what is booked.

Whatever changes lots locks them by key, after printers and the run, before line items. Amounts are
whole thousandths of a lot's unit.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from apps.erp.inventory.domain.reorder_points import follow_levels
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from apps.erp.organisation.models.master_data import Material
from core.auth_user import Person


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
    source: str = StockMovement.Source.PERSON,
    attempt_id: UUID | None = None,
    run_id: UUID | None = None,
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
        attempt_id=attempt_id,
        run_id=run_id,
        notes=notes,
        creator=actor,
    )
    follow_levels([lot.material_id])
    return made


def units_of(materials: Iterable[Material]) -> Mapping[UUID, str]:
    """In which unit the lots of each material are counted; others are not."""
    rows = counted().filter(material__in=list(materials)).order_by("-pk")
    return dict(rows.values_list("material", "unit"))


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
