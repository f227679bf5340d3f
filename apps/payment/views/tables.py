"""Views: charges and invoices as CSV."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.payment.models import Charge, Invoice
from apps.payment.serializers.charge import ChargeAnswer, charge_resource
from apps.payment.serializers.invoice import invoice_resource
from apps.payment.views.charges import CHARGES
from apps.payment.views.invoices import INVOICES
from core.api.lists.csv_export import table
from core.api.lists.list_queries import ListOptions
from core.api.views import ApiView


class TableView(ApiView):
    """All rows that the caller may see, one a line; filters and sort as in the list."""

    name: str
    kind: str
    listing: ListOptions
    columns: tuple[str, ...]

    def rows(self) -> QuerySet:
        raise NotImplementedError

    def line(self, row: Any) -> Mapping[str, Any]:
        """The row's values, by column."""
        raise NotImplementedError

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request) -> StreamingHttpResponse:
        asked = self.listing.read(request.query_params, kind=self.kind)
        rows = self.rows().filter(asked.conditions).order_by(*asked.order)
        return table(self.name, self.columns, rows.iterator(chunk_size=500), self.line)


class ChargesTable(TableView):
    says = {"get": "Export charges as CSV"}
    name = "charges"
    kind = "charge"
    listing = CHARGES
    columns = (
        "created", "namespace", "action", "type", "source", "amount", "currency", "status",
        "invoice_uuid", "user_uri", "uri",
    )  # fmt: skip

    def rows(self) -> QuerySet[Charge]:
        return Charge.objects.visible_to(self.caller)

    def line(self, row: Charge) -> ChargeAnswer:
        return charge_resource(row)


class InvoicesTable(TableView):
    says = {"get": "Export invoices as CSV"}
    name = "invoices"
    kind = "invoice"
    listing = INVOICES
    columns = (
        "month", "status", "amount", "currency", "charges", "issued", "due", "payment_uuid",
        "user_uri", "uri",
    )  # fmt: skip

    def rows(self) -> QuerySet[Invoice]:
        return Invoice.objects.visible_to(self.caller).with_charges()

    def line(self, row: Invoice) -> Mapping[str, Any]:
        resource = invoice_resource(row)
        return {**resource, **resource["cost"], "charges": len(resource["charges"])}
