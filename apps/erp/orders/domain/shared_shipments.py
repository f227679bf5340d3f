"""Shipments of an order as its customer sees them."""

from datetime import datetime
from typing import TypedDict

from django.db.models import Max

from apps.erp.orders.domain.fulfilment import fulfilment_of
from apps.erp.orders.models.orders import Order
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
    rows = order.shipments.exclude(status=Shipment.Status.CANCELLED)
    return rows.exists() and not all(each.is_shipped for each in fulfilment_of(order))


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
