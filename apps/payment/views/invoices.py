"""Views: invoices."""

from datetime import date
from uuid import UUID

from django.db.models import QuerySet

from apps.payment.models import Invoice
from apps.payment.serializers.invoice import InvoiceSerializer, invoice_resource
from apps.payment.services import invoices
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet
from core.errors import NotFound, ServiceError


def month(value: str) -> date:
    """A month written YYYY-MM."""
    return date.fromisoformat(f"{value}-01")


INVOICES = ListOptions(
    filters={
        "status": Column("status"),
        "month": Column("month", month, ordered=True),
        "currency": Column("currency"),
        "user_uri": Column("owner_id", list_queries.key_in_uri),
        "due": Column("due", list_queries.time, ordered=True),
        "issued": Column("issued", list_queries.time, ordered=True),
        "created": Column("created", list_queries.time, ordered=True),
    },
    sort={"created": "uuid", "month": "month", "due": "due", "status": "status"},
)


class InvoiceViewSet(ResourceViewSet):
    kind = Invoice
    serializer_class = InvoiceSerializer
    represent = staticmethod(invoice_resource)
    listing = INVOICES

    def rows(self) -> QuerySet[Invoice]:
        return Invoice.objects.visible_to(self.caller).with_charges()

    def row(self, uuid: UUID) -> Invoice:
        found = self.rows().filter(pk=uuid).first()
        if found is None:
            raise NotFound(
                "There is no such invoice, or not for you.", code="PaymentStatusNotFound"
            )
        return found

    def may(self, row: Invoice, right: str) -> bool:
        return self.caller.is_staff

    def perform_update(self, row: Invoice, values: ValidatedData) -> None:
        status = values.get("status", row.status)
        if status == row.status:
            return
        if status != Invoice.Status.PAID:
            raise ServiceError(
                "Only `paid` can be said of an invoice; the platform does the rest.",
                code="cannot-set-property",
                field="status",
            )
        invoices.mark_paid(actor=self.caller, invoice=row)
