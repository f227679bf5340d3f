"""Documents and their number series as JSON, and back."""

from collections.abc import Iterable
from typing import Annotated, TypedDict

from rest_framework import serializers

from apps.erp.base.serializers.resources import (
    LinkField,
    answer_of,
    listing_of,
    resource,
    serializer_of,
)
from apps.erp.orders.domain.documents.billing import OpenLine
from apps.erp.orders.domain.documents.document_content import DocumentLine
from apps.erp.orders.domain.documents.document_files import download_of
from apps.erp.orders.domain.response_types import Day, TaxAnswer
from apps.erp.orders.models.documents import MAX_PREFIX, Document, DocumentSeries
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.services.documents import MAX_LINES, WantedLine
from core.api import fields
from core.api.lists.list_queries import ListOptions
from core.api.openapi.response_types import ErrorAnswer, FreeJson, Uri


class DocumentLineSerializer(fields.StrictSerializer):
    """A line item on an invoice or a credit note."""

    line_item = LinkField(LineItem, help_text="Line item of the order.")
    quantity = fields.WholeNumber(min_value=1, max_value=10_000, help_text="Number of pieces.")


class DocumentLinesField(serializers.ListField):
    """Lines of an invoice or a credit note, each line item once."""

    def to_internal_value(self, data: list[object]) -> list[WantedLine]:
        lines: list[WantedLine] = super().to_internal_value(data)
        if len({line["line_item"] for line in lines}) < len(lines):
            raise serializers.ValidationError("Name each line item once.", code="not-allowed")
        return lines


class DocumentBeside(TypedDict):
    """What the columns of a document do not say."""

    issued_on: Day
    lines: list[DocumentLine]
    taxes: list[TaxAnswer]
    due_on: Annotated[Day | None, "Day by which an invoice is paid; null without a bank account."]
    download: Annotated[Uri | None, "URL of the PDF; null until it is made."]
    errors: list[ErrorAnswer] | None


class OpenLineAnswer(TypedDict):
    """A line that can be on an invoice or a credit note."""

    line_item: Annotated[Uri | None, "Line item; null for charges of the order, such as shipping."]
    name: str
    quantity: Annotated[int, "Number of open pieces; 1 for charges."]


class OpenLinesAnswer(TypedDict):
    """What of an order can be invoiced, or of an invoice credited."""

    lines: Annotated[list[OpenLineAnswer], "Open lines, with their open quantities."]


DocumentSeriesSerializer = serializer_of(
    DocumentSeries,
    prefix=fields.PatternText(
        rf"^(?=.{{0,{MAX_PREFIX}}}$)([0-9A-Za-z/._-]*[A-Za-z/._-])?$",
        required=False,
        allow_blank=True,
        error_messages={
            "invalid": f"Send up to {MAX_PREFIX} letters, digits and signs of / . _ - that do "
            "not end with a digit, such as INV-."
        },
    ),
)
DocumentSeriesAnswer = answer_of(DocumentSeries)
DocumentSerializer = serializer_of(
    Document,
    lines=DocumentLinesField(
        child=DocumentLineSerializer(),
        max_length=MAX_LINES,
        allow_empty=False,
        required=False,
        help_text="Line items of an invoice or a credit note; default: all that is open.",
    ),
)
DocumentAnswer = answer_of(Document, DocumentBeside)


def document_listing() -> ListOptions:
    """What a list of documents can be filtered, searched and sorted by."""
    own = listing_of(Document)
    return ListOptions(own.filters, {"number": "number"}, own.sort)


def document_resource(row: Document) -> FreeJson:
    """A document as JSON."""
    data = row.data
    beside: DocumentBeside = {
        "issued_on": row.issued_on.isoformat(),
        "lines": data["lines"],
        "taxes": data["taxes"],
        "due_on": data["due_on"],
        "download": download_of(row),
        "errors": row.errors,
    }
    return {**resource(row), **beside}


def open_lines_resource(lines: Iterable[OpenLine]) -> OpenLinesAnswer:
    """Open lines as JSON."""
    return {
        "lines": [
            {"line_item": line.line_item, "name": line.name, "quantity": line.quantity}
            for line in lines
        ]
    }
