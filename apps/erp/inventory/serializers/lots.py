"""Movements of lots, as JSON and back."""

from apps.erp.base.serializers.resources import AmountField, serializer_of
from apps.erp.inventory.models.movements import StockMovement


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
