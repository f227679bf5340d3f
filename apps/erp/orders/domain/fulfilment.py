"""Fulfilment of orders: how many pieces of each line item are ready, packed and shipped."""

from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Q, Sum

from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.pieces import Piece
from apps.erp.orders.models.shipments import Shipment, ShipmentLine

# Made: only shipping, if anything, is left to do.
WAITS_FOR_SHIPPING = Q(status=Piece.Status.CREATED, step__shipping__isnull=False)
_COMPLETE = Q(status=Piece.Status.COMPLETE)
MADE = _COMPLETE | WAITS_FOR_SHIPPING


class Fulfilment(NamedTuple):
    """How many pieces of a line item are where.

    made     : complete, or waiting for the shipping step of their workflow
    complete : of these, through all steps
    packed   : in shipments that are open
    shipped  : in shipments that have left
    """

    item: LineItem
    made: int
    complete: int
    packed: int
    shipped: int

    @property
    def ready(self) -> int:
        """Pieces that a further shipment can have."""
        return max(0, min(self.made, self.item.quantity) - self.packed - self.shipped)

    @property
    def is_shipped(self) -> bool:
        """Whether all of it has left."""
        return self.shipped >= self.item.quantity


def fulfilment_of(order: Order) -> list[Fulfilment]:
    """Return the fulfilment of the line items of an order that are not cancelled, by key."""
    items = order.line_items.exclude(status=LineItem.Status.CANCELLED).order_by("pk")
    pieces = Piece.objects.filter(line_item__order=order).order_by().values_list("line_item")
    counts: dict[UUID, tuple[int, int]] = {
        key: (made, done)
        for key, made, done in pieces.annotate(
            made=Count("pk", filter=MADE),
            done=Count("pk", filter=_COMPLETE),
        )
    }
    lines = ShipmentLine.objects.filter(shipment__order=order).order_by()
    sums = {
        (key, status): total
        for key, status, total in lines.values_list("line_item", "shipment__status").annotate(
            total=Sum("quantity")
        )
    }
    return [
        Fulfilment(
            item,
            *counts.get(item.pk, (0, 0)),
            packed=sums.get((item.pk, Shipment.Status.OPEN), 0),
            shipped=sums.get((item.pk, Shipment.Status.SHIPPED), 0),
        )
        for item in items
    ]
