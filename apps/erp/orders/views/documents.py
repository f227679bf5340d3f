"""Views: documents of orders, and the series that number them."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.orders.models.documents import Document, DocumentSeries
from apps.erp.orders.serializers.documents import (
    DocumentAnswer,
    DocumentSerializer,
    DocumentSeriesSerializer,
    document_listing,
    document_resource,
)
from apps.erp.orders.services import document_series, documents
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

    says = {"create": "Issue a document", "retry": "Make the PDF of a document again"}
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
