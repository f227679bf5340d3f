"""Job: issue the quote or the invoice of an order by the settings of its bureau."""

from uuid import UUID

import dramatiq
from django.db import transaction

from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.automatic_documents import INVOICED_IN
from apps.erp.orders.domain.documents import billing, document_data
from apps.erp.orders.domain.shared_shipments import is_partly_shipped
from apps.erp.orders.models.documents import Document, DocumentType
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.services import documents
from core.errors import Conflict

_When = Bureau.AutomaticInvoices


PARTLY_INVOICED = "partly-invoiced"


@dramatiq.actor(queue_name="default", max_retries=5)
@transaction.atomic
def issue_document(order: str, kind: str) -> None:
    """Issue the document of the open quote of an order, or its invoice, unless there is one.

    What keeps a document from being issued is a notification of the members who sell.

    order : key; kind : `quote` or `invoice`
    """
    row = _locked(UUID(order))
    if row is None:
        return
    type_ = DocumentType(kind)
    try:
        with transaction.atomic():
            is_due = _is_quote_due(row) if type_ == DocumentType.QUOTE else _is_invoice_due(row)
            if is_due:
                documents.create(actor=row.bureau.creator, order=row, type=type_)
    except Conflict as error:
        _notify(row, type_, error.code)


def _notify(order: Order, kind: DocumentType, reason: str) -> None:
    notify(
        Kind.DOCUMENT_NOT_ISSUED,
        order,
        Work.SALES,
        number=order.number,
        document=kind.value,
        reason=reason,
    )


def _locked(key: UUID) -> Order | None:
    """The order, locked as documents.create locks it: two jobs do not issue the same document."""
    rows = Order.objects.select_for_update(no_key=True, of=("self",))
    return rows.select_related("bureau__creator", "customer").filter(pk=key).first()


def _is_quote_due(order: Order) -> bool:
    """Whether the order has an open quote without a document. Raises TaxUnclear."""
    quote = order.quotes.filter(status=Quote.Status.OPEN).first()
    if quote is None or not order.bureau.automatic_quotes:
        return False
    if Document.objects.filter(quote=quote).exists():
        return False
    if quote.gross is None:
        raise billing.TaxUnclear("The taxes of the quote are not known.")
    return True


def _is_invoice_due(order: Order) -> bool:
    """Whether the order waits for its only invoice. Raises TaxUnclear.

    Where it has one, and something is not on it, a person issues the next one.
    """
    when = _When(order.bureau.automatic_invoices)
    if order.status not in INVOICED_IN.get(when, ()):
        return False
    if order.line_items.filter(status__in=LineItem.OPEN).exists():
        return False  # they are on the same invoice, once they are confirmed
    if when == _When.SHIPPED and is_partly_shipped(order):
        return False
    if not order.documents.filter(type=DocumentType.INVOICE).exists():
        return True
    names = document_data.line_names(order, document_data.language_of(order))
    if billing.open_lines(order, names):
        _notify(order, DocumentType.INVOICE, PARTLY_INVOICED)
    return False
