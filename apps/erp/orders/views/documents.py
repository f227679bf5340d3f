"""Views: documents of orders, and the series that number them."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.views.resources import Below
from apps.erp.orders.models.documents import Document, DocumentSeries
from apps.erp.orders.models.orders import Order
from apps.erp.orders.serializers.documents import (
    DocumentAnswer,
    DocumentSerializer,
    DocumentSeriesSerializer,
    OpenLinesAnswer,
    document_listing,
    document_resource,
    open_lines_resource,
)
from apps.erp.orders.services import document_series, documents, price_lists
from apps.erp.orders.views.prices import SellingViewSet
from core.api.renderers import Response


class DocumentSeriesViewSet(SellingViewSet):
    says = {
        "list": "List number series of documents",
        "create": "Create a number series of documents",
        "retrieve": "Get a number series of documents",
        "update": "Change a number series of documents",
        "destroy": "Delete a number series of documents",
    }
    kind = DocumentSeries
    serializer_class = DocumentSeriesSerializer
    writes = document_series


class DocumentViewSet(SellingViewSet):
    """Documents of orders: issued once, never changed."""

    says = {
        "create": "Issue a document",
        "retry": "Make the PDF of a document again",
        "open_lines": "List what of an invoice is not credited",
    }
    kind = Document
    serializer_class = DocumentSerializer
    answers = DocumentAnswer
    listing = document_listing()
    represent = staticmethod(document_resource)
    writes = documents

    @extend_schema(request=None, responses={204: None})
    def retry(self, request: Request, uuid: UUID) -> Response:
        """Make the PDF of a document again that could not be made."""
        row = self.row(uuid)
        self.require(row)
        documents.retry(row=row)
        return Response(status=204)

    @extend_schema(responses={200: OpenLinesAnswer})
    def open_lines(self, request: Request, uuid: UUID) -> Response:
        """What of an invoice a credit note can take back; nothing for any other document."""
        return Response(open_lines_resource(documents.open_to_credit(row=self.row(uuid))))


class OpenLinesView(Below):
    """What of an order can be invoiced."""

    says = {"get": "List what of an order is not invoiced"}
    kind = Order

    @extend_schema(responses={200: OpenLinesAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        order = self.row(uuid)
        price_lists.require(self.caller, order.bureau)
        return Response(open_lines_resource(documents.open_to_invoice(order=order)))
