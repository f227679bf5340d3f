"""Admin: charges and invoices."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.payment.actors import collect_invoice, settle_invoices
from apps.payment.models import Charge, Invoice, InvoiceEvent, Payment
from apps.payment.services import invoices
from core.auth_user import admin_user
from core.errors import ServiceError
from core.web.admin_base import ReadOnlyInline, ReadOnlyPage


@admin.register(Charge)
class ChargeAdmin(ReadOnlyPage):
    """Charges: made by work alone."""

    list_display = ["uuid", "owner", "namespace", "action", "amount", "currency", "status"]
    list_filter = ["status", "namespace", "action", "currency", "created"]
    search_fields = ["uuid", "owner__username", "source", "invoice__uuid"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]


class ChargeRows(ReadOnlyInline):
    model = Charge
    columns = ("created", "namespace", "action", "source", "amount", "currency")


class PaymentRows(ReadOnlyInline):
    model = Payment
    columns = ("created", "type", "status", "reference", "error")


class EventRows(ReadOnlyInline):
    model = InvoiceEvent
    columns = ("created", "action", "cost", "actor", "note")


@admin.register(Invoice)
class InvoiceAdmin(ReadOnlyPage):
    """Invoices, their charges, the attempts to collect them, and what was done to them."""

    list_display = ["uuid", "owner", "month", "amount", "currency", "status", "issued", "due"]
    list_filter = ["status", "month", "currency", "due"]
    search_fields = ["uuid", "owner__username", "payment_uuid"]
    ordering = ["-uuid"]
    inlines = [ChargeRows, PaymentRows, EventRows]
    actions = ["mark_paid", "collect", "settle"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Invoice]:
        return super().get_queryset(request).with_charges()  # type: ignore[attr-defined]

    @admin.display(description="cost")
    def amount(self, row: Invoice) -> str:
        return f"{row.cost:f}"

    @admin.action(description="Mark as paid", permissions=["act"])
    def mark_paid(self, request: HttpRequest, chosen: QuerySet[Invoice]) -> None:
        for invoice in chosen:
            try:
                invoices.mark_paid(actor=admin_user(request), invoice=invoice)
            except ServiceError as error:
                messages.error(request, f"{invoice}: {error.title}")

    @admin.action(description="Charge selected invoices with Stripe", permissions=["act"])
    def collect(self, request: HttpRequest, chosen: QuerySet[Invoice]) -> None:
        for uuid in chosen.values_list("pk", flat=True):
            collect_invoice.send(str(uuid))

    @admin.action(description="Issue due invoices and send reminders", permissions=["act"])
    def settle(self, request: HttpRequest, chosen: QuerySet[Invoice]) -> None:
        settle_invoices.send()
