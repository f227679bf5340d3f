"""Shipments as JSON, and back."""

from typing import Annotated, TypedDict
from urllib.parse import urlsplit

from rest_framework import serializers

from apps.erp.base.serializers.resources import (
    LinkField,
    RowSerializer,
    answer_of,
    resource,
    serializer_of,
)
from apps.erp.orders.domain.documents.document_files import download_of
from apps.erp.orders.models.documents import Document
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.shipments import MAX_URL, Shipment
from core.api import fields
from core.api.openapi.response_types import FreeJson, Uri

MAX_LINES = 1000


class TrackingUrlField(fields.UrlText):
    """The address of a page that tracks a parcel: https, without user name."""

    def to_internal_value(self, data: object) -> str:
        url = super().to_internal_value(data)
        try:
            parts = urlsplit(url)
            is_page = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
        except ValueError:
            is_page = False
        if not is_page or not url.isprintable() or any(sign in url for sign in " \"'<>\\"):
            title = "Send the https address of the page that tracks the parcel."
            raise serializers.ValidationError(title, code="not-allowed")
        return url


class ShipmentLineSerializer(fields.StrictSerializer):
    """Pieces of a line item in a shipment."""

    known_extras = ("name",)

    line_item = LinkField(LineItem, help_text="Line item of the order.")
    quantity = fields.WholeNumber(
        min_value=1, max_value=LineItem.LARGEST_QUANTITY, help_text="Number of pieces."
    )


class ShipmentLinesField(serializers.ListField):
    """Lines of a shipment, each line item once."""

    def to_internal_value(self, data: list[object]) -> list[object]:
        lines = super().to_internal_value(data)
        named = [line.get("line_item") for line in lines]  # of a PUT, whose fields are optional
        if len(set(named)) < len(named):
            raise serializers.ValidationError("Name each line item once.", code="not-allowed")
        return lines


class ShipmentLineAnswer(TypedDict):
    """Pieces of a line item in a shipment."""

    line_item: Uri
    name: str
    quantity: int


class DeliveryNote(TypedDict):
    """The delivery note of a shipment."""

    uri: Uri
    number: str
    download: Annotated[Uri | None, "URL of the PDF; null until it is made."]


class ShipmentBeside(TypedDict):
    """What the columns of a shipment do not say."""

    lines: list[ShipmentLineAnswer]
    delivery_note: DeliveryNote | None


def _value_of(serializer: RowSerializer, name: str) -> object:
    """The present value of a fixed field, as it is read of a body."""
    row = serializer.instance
    if name == "lines" and row is not None:
        lines = row.lines.all()
        return [{"line_item": each.line_item, "quantity": each.quantity} for each in lines]
    return getattr(row, name)


ShipmentSerializer = serializer_of(
    Shipment,
    lines=ShipmentLinesField(
        child=ShipmentLineSerializer(),
        max_length=MAX_LINES,
        allow_empty=False,
        required=False,
        help_text="Pieces of line items; default: all that is ready.",
    ),
    tracking_url=TrackingUrlField(max_length=MAX_URL, required=False, allow_blank=True),
    _current=_value_of,
)


ShipmentAnswer = answer_of(Shipment, ShipmentBeside)


def shipment_resource(row: Shipment) -> FreeJson:
    """A shipment as JSON."""
    beside: ShipmentBeside = {
        "lines": [
            {
                "line_item": line.line_item.uri,
                "name": line.line_item.name,
                "quantity": line.quantity,
            }
            for line in row.lines.all()
        ],
        "delivery_note": next(map(_note, row.documents.all()), None),
    }
    return {**resource(row), **beside}


def _note(row: Document) -> DeliveryNote:
    return {"uri": row.uri, "number": row.number, "download": download_of(row)}
