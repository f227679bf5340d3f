"""Files of documents: their signed URLs, and what a customer sees of them."""

from collections.abc import Iterable
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.erp.orders.domain.response_types import Day
from apps.erp.orders.models.documents import Document, DocumentType
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.shipments import Shipment
from core.api.openapi.schema_hints import Uri
from core.files.signed_urls import download_url
from core.text.file_names import safe_file_name

PDF = "application/pdf"
MAX_SHARED = 100  # documents that a customer sees


class SharedDocument(TypedDict):
    """A document of an order as its customer sees it."""

    type: str
    number: str
    issued_on: Day
    download: Annotated[Uri, "URL of the PDF, valid for some hours."]


def download_of(row: Document) -> str | None:
    """Return the signed URL of the PDF of a document; None until it is made."""
    if row.content_id is None:
        return None
    name = safe_file_name(row.number or row.type, "pdf")
    return download_url(row.content_id, media_type=PDF, filename=name)


def shared_documents(order: Order) -> list[SharedDocument]:
    """Return the documents of an order whose PDF is made, the newest first.

    Delivery notes are among them once their shipment has left.
    """
    shipped = Q(shipment=None) | Q(shipment__status=Shipment.Status.SHIPPED)
    rows = _with_file().filter(shipped, order=order)[:MAX_SHARED]
    return [_shared(row) for row in rows]


def listed_documents(orders: Iterable[Order]) -> dict[UUID, list[SharedDocument]]:
    """Return the documents of each order but delivery notes, by the key of the order: one query."""
    documents: dict[UUID, list[SharedDocument]] = {order.pk: [] for order in orders}
    rows = _with_file().filter(order__in=documents).exclude(type=DocumentType.DELIVERY_NOTE)
    for row in rows:
        if len(documents[row.order_id]) < MAX_SHARED:
            documents[row.order_id].append(_shared(row))
    return documents


def _with_file() -> QuerySet[Document]:
    return Document.objects.exclude(content=None).defer("data").order_by("-pk")


def _shared(row: Document) -> SharedDocument:
    return {
        "type": row.type,
        "number": row.number,
        "issued_on": row.issued_on.isoformat(),
        "download": download_of(row) or "",
    }
