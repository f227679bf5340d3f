"""Files of documents: their signed URLs, and what a customer sees of them."""

from typing import Annotated, TypedDict

from django.db.models import Q

from apps.erp.orders.domain.response_types import Day
from apps.erp.orders.models.documents import Document
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
    with_file = order.documents.exclude(content=None).defer("data").order_by("-pk")
    shipped = Q(shipment=None) | Q(shipment__status=Shipment.Status.SHIPPED)
    rows = with_file.filter(shipped)[:MAX_SHARED]
    return [
        {
            "type": row.type,
            "number": row.number,
            "issued_on": row.issued_on.isoformat(),
            "download": download_of(row) or "",
        }
        for row in rows
    ]
