"""Shipments of orders: parcels with pieces of line items."""

from typing import ClassVar, Self

from django.core.validators import MinValueValidator
from django.db import models

from apps.erp.base.model_fields import BureauForeignKey, short_text_field, text_field, user_field
from apps.erp.base.models.abstract import BureauResource, RowQuerySet
from apps.erp.orders.models.orders import LineItem, Order
from core.state_machine import Stateful, Targets

MAX_URL = 500  # characters


class ShipmentQuerySet(RowQuerySet):
    """Questions about shipments."""

    def with_related(self) -> Self:
        """With their lines and the names of these, and the delivery note."""
        return self.prefetch_related("lines__line_item", "documents")


class Shipment(BureauResource, Stateful):
    """A parcel with pieces of an order's line items.

    number       : within its order, from 1
    tracking_url : https; by the carrier's pattern where none is sent
    address      : of the recipient when it was shipped; empty before
    shipped      : when it was
    """

    class Status(models.TextChoices):
        OPEN = "open"
        SHIPPED = "shipped"
        CANCELLED = "cancelled"

    TRANSITIONS = {Status.OPEN: Targets(asked={Status.SHIPPED, Status.CANCELLED})}
    NEWS: ClassVar = {
        Status.SHIPPED: {
            "carrier": {"type": "string"},
            "tracking_number": {"type": "string"},
            "tracking_url": {"type": "string"},
        }
    }

    KIND = "shipment"
    PARENT = "order"
    FIXED = frozenset({"lines"})
    READ_ONLY = frozenset({"number", "address", "shipped"})
    PRIVATE = frozenset({"creator"})
    SORTED: ClassVar[tuple[str, ...]] = ("number", "shipped")

    order = BureauForeignKey(Order, related_name="shipments")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=Status, default=Status.OPEN)
    carrier = short_text_field()
    tracking_number = short_text_field()
    tracking_url = models.CharField(max_length=MAX_URL, blank=True, default="")
    address = text_field()
    shipped = models.DateTimeField(null=True, blank=True)
    creator = user_field()

    objects: ClassVar = ShipmentQuerySet.as_manager()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(fields=["order", "number"], name="shipment_number_once")
        ]

    def __str__(self) -> str:
        return f"shipment {self.number} of {self.order_id}"


class ShipmentLine(models.Model):
    """So many pieces of a line item in a shipment."""

    shipment = models.ForeignKey(Shipment, models.CASCADE, related_name="lines")
    line_item = models.ForeignKey(LineItem, models.PROTECT, related_name="+")
    quantity = models.PositiveIntegerField(validators=[MinValueValidator(1)])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["shipment", "line_item"], name="shipment_line_once"),
            models.CheckConstraint(
                condition=models.Q(quantity__gt=0), name="shipment_line_above_0"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} of {self.line_item_id}"
