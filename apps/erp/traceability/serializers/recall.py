"""Pieces that came from something, as JSON and as lines of a table: flat."""

from typing import Annotated, Any

from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.pieces import Piece
from core.api.openapi.response_types import ResourceAnswer, Uri


class RecalledPieceAnswer(ResourceAnswer):
    """A piece, with whose it is."""

    status: Annotated[str, Piece.Status]
    number: int
    quantity: int
    model: Uri | None
    config: Uri | None
    line_item: Uri
    line_item_name: str | None
    customer_id: str | None
    order: Uri | None
    order_name: str | None
    customer_name: str | None
    customer_email: str | None
    customer_po: str | None
    bureau: Uri


def recalled_piece(piece: Piece) -> RecalledPieceAnswer:
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
