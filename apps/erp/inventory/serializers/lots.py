"""Movements of lots, as JSON and back."""

from dataclasses import replace
from typing import Annotated, Literal, TypedDict

from apps.erp.base.serializers.resources import AmountField, listing_of, serializer_of
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from apps.erp.organisation.models.master_data import Material
from core.api.lists.list_queries import Column


class StockExtras(TypedDict):
    """Fields of a lot beside its columns."""

    level: Annotated[
        str,
        Literal[*Material.StockLevel.values],
        "Stock level of its material: low below the reorder point.",
    ]


_OWN = listing_of(Stock)
STOCK_LISTING = replace(_OWN, filters={**_OWN.filters, "level": Column("material__stock_level")})


class StockMovementSerializer(
    serializer_of(  # type: ignore[misc]
        StockMovement,
        amount=AmountField(
            required=False, help_text="Change of the lot: negative for consumption."
        ),
        left=AmountField(
            required=False,
            help_text="Counted remaining amount, for a correction, instead of amount.",
        ),
    )
):
    """An entry in the book of a lot."""
