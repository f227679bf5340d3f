"""Inventory of a bureau in figures: what is left and reserved, its value, what was used."""

from datetime import timedelta
from typing import Annotated, TypedDict

from django.db.models import Count, ExpressionWrapper, F, FloatField, Q, Sum
from django.db.models.functions import Cast
from django.utils import timezone

from apps.erp.base.model_fields import THOUSANDTHS
from apps.erp.base.models.bureaus import Bureau
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from apps.erp.organisation.models.master_data import Material
from core.api.openapi.response_types import Uri
from core.keys import first_key

MONTH = timedelta(days=30)
MAX_LOW = 100  # materials that are named
# The share of its price that is left of a lot whose price is known; what was received later has
# no price of its own.
WORTH = ExpressionWrapper(
    Cast("price", FloatField()) * F("remaining") / F("initial"), output_field=FloatField()
)


class UnitFigures(TypedDict):
    """Lots that are counted in the same unit."""

    unit: Annotated[str, "`g` or `ml`."]
    lots: Annotated[int, "Lots of which something is left."]
    remaining: Annotated[float, "What is left of them."]
    reserved: Annotated[float, "What runs that have not begun will take."]
    used: Annotated[float, "What was used or thrown away in the last 30 days."]


class StockFigures(TypedDict):
    """Inventory of a bureau in figures."""

    bureau: Uri
    currency: Annotated[str, "Currency of the value: that of the bureau."]
    value: Annotated[float, "Price of what is left, of lots whose price is known."]
    units: Annotated[list[UnitFigures], "One for each unit in which lots are counted."]
    low_materials: Annotated[
        list[Uri], f"Materials below their reorder point by name, at most {MAX_LOW}."
    ]


def stock_figures(bureau: Bureau) -> StockFigures:
    """Return the inventory of a bureau in figures. Lots that are not counted do not count."""
    counted = Stock.objects.filter(bureau=bureau, remaining__isnull=False).order_by()
    is_left, is_priced = Q(remaining__gt=0), Q(price__isnull=False, initial__gt=0)
    sums = counted.values_list("unit").annotate(
        lots=Count("pk", filter=is_left),
        left=Sum("remaining"),
        held=Sum("reserved"),
        worth=Sum(WORTH, filter=is_left & is_priced),
    )
    rows = sorted(sums)
    used = _used(bureau)
    low = Material.objects.filter(bureau=bureau, stock_level=Material.StockLevel.LOW)
    return {
        "bureau": bureau.uri,
        "currency": bureau.currency,
        "value": round(sum(worth or 0 for *_others, worth in rows), 2),
        "units": [
            {
                "unit": unit,
                "lots": lots,
                "remaining": left / THOUSANDTHS,
                "reserved": held / THOUSANDTHS,
                "used": used.get(unit, 0) / THOUSANDTHS,
            }
            for unit, lots, left, held, _worth in rows
        ],
        "low_materials": [row.uri for row in low.order_by("name", "pk")[:MAX_LOW]],
    }


def _used(bureau: Bureau) -> dict[str, int]:
    """What was taken in the last 30 days by unit, thousandths."""
    taken = StockMovement.objects.filter(
        bureau=bureau, kind__in=StockMovement.TAKING, pk__gte=first_key(timezone.now() - MONTH)
    )
    sums = taken.order_by().values_list("stock__unit").annotate(Sum("amount"))
    return {unit: -amount for unit, amount in sums}
