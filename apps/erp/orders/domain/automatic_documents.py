"""Documents that a bureau issues automatically: enqueues the job that issues them."""

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.payments import PAYABLE
from apps.erp.orders.models.documents import DocumentType
from apps.erp.orders.models.orders import Order
from core.queue.broker import enqueue_by_name

_When = Bureau.AutomaticInvoices
# Statuses of an order from which on its invoice is issued.
INVOICED_IN = {_When.CONFIRMED: PAYABLE, _When.SHIPPED: (Order.Status.COMPLETE,)}


def enqueue_quote(order: Order) -> None:
    """Have the document of the order's open quote issued, if its bureau issues these."""
    if order.bureau.automatic_quotes:
        _enqueue(order, DocumentType.QUOTE)


def enqueue_invoice(order: Order) -> None:
    """Have the invoice of an order issued, if its bureau issues these at its status.

    Call it in the transaction of each change that may be the last one that the invoice waits for:
    the job issues at most one.
    """
    if order.status in INVOICED_IN.get(_When(order.bureau.automatic_invoices), ()):
        _enqueue(order, DocumentType.INVOICE)


def _enqueue(order: Order, kind: DocumentType) -> None:
    enqueue_by_name("issue_document", str(order.pk), kind.value)
