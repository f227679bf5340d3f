"""Shipments of an order as its customer sees them."""

from collections import Counter
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from django.db.models import Max, prefetch_related_objects

from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.shipments import Shipment

MAX_SHARED = 100  # shipments that a customer sees


class SharedShipmentLine(TypedDict):
    """Pieces of a part in a shipment."""

    name: str
    quantity: int


class SharedShipment(TypedDict):
    """A shipment that has left; texts are empty where there are none."""

    number: int
    shipped: datetime
    carrier: str
    tracking_number: str
    tracking_url: str
    lines: list[SharedShipmentLine]


def is_partly_shipped(order: Order) -> bool:
    """Whether an order has shipments, and pieces that have not left."""
    prefetch_related_objects([order], "line_items", "shipments__lines")
    shipments = [row for row in order.shipments.all() if row.status != Shipment.Status.CANCELLED]
    shipped: Counter[UUID] = Counter()
    for row in shipments:
        if row.status == Shipment.Status.SHIPPED:
            shipped.update({line.line_item_id: line.quantity for line in row.lines.all()})
    items = [row for row in order.line_items.all() if row.status != LineItem.Status.CANCELLED]
    return bool(shipments) and any(shipped[row.pk] < row.quantity for row in items)


def last_shipped_at(order: Order) -> datetime | None:
    """Return when the last shipment of an order has left; None without one."""
    last: datetime | None = order.shipments.aggregate(last=Max("shipped"))["last"]
    return last


def shared_shipments(order: Order) -> list[SharedShipment]:
    """Return the shipments of an order that have left, the newest first."""
    rows = order.shipments.filter(status=Shipment.Status.SHIPPED)
    recent = rows.prefetch_related("lines__line_item").order_by("-shipped", "-number")[:MAX_SHARED]
    return [
        {
            "number": row.number,
            "shipped": row.shipped or row.updated,
            "carrier": row.carrier,
            "tracking_number": row.tracking_number,
            "tracking_url": row.tracking_url,
            "lines": [
                {"name": line.line_item.name, "quantity": line.quantity} for line in row.lines.all()
            ],
        }
        for row in recent
    ]
