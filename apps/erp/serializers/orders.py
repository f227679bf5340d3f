"""Orders, line items and quotes: what they have beside their columns."""

from typing import Any

from rest_framework import serializers

from apps.erp.models import LineItem, Order, Quote
from apps.erp.models.access import readable
from apps.erp.serializers.estimates import (
    EstimatesSerializer,
    LineSerializer,
    PriceSerializer,
    ReviewSerializer,
    TaxSerializer,
)
from apps.erp.serializers.prices import ManualPriceSerializer
from apps.erp.serializers.rows import resource, serializer_of
from core.api.fields import Choice, WholeNumber

MOST_DAYS = 366


class LineItemsField(serializers.ListField):
    """URIs of line items that the caller reads; its value is the rows."""

    child = serializers.CharField()

    def to_internal_value(self, data: Any) -> list[LineItem]:
        named = super().to_internal_value(data)
        keys = {uri: key for uri in named for key in LineItem.keys_of(uri)}
        found = readable(LineItem, self.context["request"].user).in_bulk(set(keys.values()))
        if missing := [uri for uri in named if keys.get(uri) not in found]:
            words = f"{', '.join(missing[:10])}: not a line item that you may read."
            raise serializers.ValidationError(words, code="resource-not-found")
        return list(found.values())


OrderSerializer = serializer_of(
    Order,
    line_items=LineItemsField(
        required=False, help_text="Its line items, all of them: others are taken out of it."
    ),
    status=Choice(
        choices=Order.Status.choices,
        required=False,
        help_text="`cancelled` cancels all its line items; nothing else can be set.",
    ),
    quote=serializers.CharField(
        read_only=True, allow_null=True, help_text="The quote that is open or was accepted."
    ),
)
LineItemSerializer = serializer_of(
    LineItem,
    estimates=EstimatesSerializer(read_only=True, allow_null=True),
    price=PriceSerializer(read_only=True, allow_null=True),
    review=ReviewSerializer(many=True, read_only=True, allow_null=True),
    manual_price=ManualPriceSerializer(required=False, allow_null=True),
    quantity=WholeNumber(min_value=1, max_value=LineItem.LARGEST_QUANTITY),
    snapshot=serializers.URLField(
        read_only=True, allow_null=True, help_text="Where a picture of the model can be fetched."
    ),
)
QuoteSerializer = serializer_of(
    Quote,
    lines=LineSerializer(many=True, read_only=True),
    taxes=TaxSerializer(many=True, read_only=True),
    valid_days=WholeNumber(
        min_value=1,
        max_value=MOST_DAYS,
        required=False,
        write_only=True,
        help_text="How long it can be accepted; 30 where nothing is said.",
    ),
)


def order_resource(row: Order) -> dict[str, Any]:
    """An order, with its line items in the order in which they were made."""
    items = sorted(row.line_items.all(), key=lambda item: item.pk)
    kept = [quote for quote in row.quotes.all() if quote.status != Quote.Status.WITHDRAWN]
    newest = max(kept, key=lambda quote: quote.pk, default=None)
    return resource(row) | {
        "line_items": [item.uri for item in items],
        "quote": newest.uri if newest else None,
    }


def line_item_resource(row: LineItem, snapshot: str | None, *, selling: bool) -> dict[str, Any]:
    """A line item, and where a picture of its model can be fetched.

    selling : whether the caller is told what exactly keeps it from having a price
    """
    review = (
        row.review
        if selling or row.review is None
        else [{"code": each["code"], "title": each["title"]} for each in row.review]
    )
    return resource(row) | {"snapshot": snapshot, "review": review}
