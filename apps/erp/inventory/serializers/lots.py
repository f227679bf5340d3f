"""Movements of lots, as JSON and back."""

from apps.erp.base.serializers.resources import AmountField, serializer_of
from apps.erp.inventory.models.movements import StockMovement


class StockMovementSerializer(
    serializer_of(  # type: ignore[misc]
        StockMovement,
        amount=AmountField(
            required=False, help_text="What it adds to the lot: what is taken is below 0."
        ),
        left=AmountField(
            required=False, help_text="For a correction, in place of the amount: what is left."
        ),
    )
):
    """An entry in the book of a lot."""
