"""Pieces that came from something, as JSON and as lines of a table: flat."""

from typing import Any

from rest_framework import serializers

from apps.erp.models import LineItem, Order, Piece
from core.api.fields import Choice, StrictSerializer


class RecalledPieceSerializer(StrictSerializer):
    """A piece, with whose it is."""

    uri = serializers.CharField(read_only=True)
    status = Choice(choices=Piece.Status.choices, read_only=True)
    number = serializers.IntegerField(read_only=True)
    quantity = serializers.IntegerField(read_only=True)
    model = serializers.CharField(read_only=True, allow_null=True)
    config = serializers.CharField(read_only=True, allow_null=True)
    line_item = serializers.CharField(read_only=True)
    line_item_name = serializers.CharField(read_only=True, allow_null=True)
    customer_id = serializers.CharField(read_only=True, allow_null=True)
    order = serializers.CharField(read_only=True, allow_null=True)
    order_name = serializers.CharField(read_only=True, allow_null=True)
    customer_name = serializers.CharField(read_only=True, allow_null=True)
    customer_email = serializers.CharField(read_only=True, allow_null=True)
    customer_po = serializers.CharField(read_only=True, allow_null=True)
    bureau = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)


def recalled_piece(piece: Piece) -> dict[str, Any]:
    """A piece, its line item, order and customer; null where it has no order."""
    line_item: Any = piece.line_item
    order = line_item.order
    return {
        "uri": piece.uri,
        "status": piece.status,
        "number": piece.number,
        "quantity": line_item.quantity,
        "model": piece.model_uri,
        "config": piece.config_uri,
        "line_item": LineItem.uri_of(line_item.pk),
        "line_item_name": line_item.name or None,
        "customer_id": line_item.customer_id or None,
        "order": Order.uri_of(order.pk) if order else None,
        "order_name": order.name if order else None,
        "customer_name": order and (order.customer_name or None),
        "customer_email": order and (order.customer_email or None),
        "customer_po": order and (order.customer_po or None),
        "bureau": piece.bureau.uri,
        "created": piece.created,
        "updated": piece.updated,
    }
