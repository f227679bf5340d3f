"""Service layer: list, pay and mark invoices as paid."""

from django.db import transaction

from apps.payment.actors import settle
from apps.payment.models import Invoice, Payment, PaymentMethod
from core.auth_user import Person
from core.errors import Conflict, Forbidden


class NotPayable(Conflict):
    """The invoice is paid, or its month is not over."""

    code = "not-payable"


@transaction.atomic
def mark_paid(*, actor: Person, invoice: Invoice) -> None:
    """The money for an issued invoice has arrived outside the platform; by administrators."""
    if not actor.is_staff:
        raise Forbidden("Administrators say when an invoice is paid: ask one of them.")
    row = Invoice.objects.select_for_update().get(pk=invoice.pk)
    if row.status == Invoice.Status.PAID:
        raise NotPayable("This invoice is paid already.")
    if row.issued is None:
        raise NotPayable("This invoice still grows: it is issued when its month is over.")
    if Payment.objects.filter(invoice=row, status=Payment.Status.STARTED).exists():
        raise NotPayable("Stripe is collecting this invoice: wait until that has ended.")
    payment = Payment.objects.create(invoice=row, type=PaymentMethod.Type.MANUAL)
    settle(row, payment, actor=actor)
