"""Issue documents of orders: numbered, frozen, and made as PDF by a job."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TypedDict

from django.db import transaction

from apps.erp.base.domain.events import emit_status
from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.base.models.messages import MessageMoment
from apps.erp.base.services import resources
from apps.erp.orders.actors.documents import COST, make_document
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.documents import billing, document_data, document_numbers
from apps.erp.orders.domain.documents.document_content import DocumentData
from apps.erp.orders.domain.payments import PAYABLE, payment_state
from apps.erp.orders.domain.prices import price_lists
from apps.erp.orders.domain.prices.order_totals import totals_of_order
from apps.erp.orders.models.documents import Document, DocumentType
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.models.shipments import Shipment
from core.auth_user import Person
from core.errors import Conflict, ServiceError
from core.money import amount_text
from core.queue.row_jobs import enqueue
from pricing.making import exact

MAX_LINES = 1000


class NoQuote(Conflict):
    """The order has no quote that is open or accepted."""

    code = "no-quote"


class DocumentIssued(Conflict):
    """The quote or the shipment has its document already."""

    code = "document-issued"


class OrderNotConfirmed(Conflict):
    """The order is not confirmed."""

    code = "order-not-confirmed"


class TooManyLines(Conflict):
    """The order has more line items than a document may have."""

    code = "too-many-lines"


class ShipmentCancelled(Conflict):
    """A cancelled shipment has no delivery note."""

    code = "shipment-cancelled"


class WantedLine(TypedDict):
    """A line of an invoice or a credit note, as it is requested."""

    line_item: LineItem
    quantity: int


Links = dict[str, Quote | Document | Shipment]
Wanted = Mapping[str, int] | None
Source = Document | Shipment | None
Content = Callable[[DocumentData, Order, Wanted, Source], Links]


@transaction.atomic
def create(
    *,
    actor: Person,
    order: Order,
    type: str,  # noqa: A002  the name of the column
    lines: Sequence[WantedLine] | None = None,
    corrects: Document | None = None,
    shipment: Shipment | None = None,
) -> Document:
    """Issue a document of an order: its number, what it says, and the job that makes its PDF.

    lines    : of an invoice or a credit note; None: all that is open
    corrects : the invoice of a credit note
    shipment : of a delivery note

    Raises NoQuote, DocumentIssued, OrderNotConfirmed, ShipmentCancelled, TooManyLines,
    ServiceError, and what domain.billing and domain.document_data raise.
    """
    kind = DocumentType(type)
    # Locked, so that nothing is invoiced twice.
    order = (
        Order.objects.select_for_update(no_key=True, of=("self",))
        .select_related("bureau", "customer")
        .get(pk=order.pk)
    )
    _check_size(order)
    _check_body(order, kind, lines, corrects, shipment)
    wanted = None if lines is None else {each["line_item"].uri: each["quantity"] for each in lines}
    today = price_lists.local_day(order)
    data = document_data.base_data(order, kind, "", today)
    fill = _CONTENT[kind]
    links = fill(data, order, wanted, corrects or shipment)
    return _issue(actor, order, kind, data, links, today)


def open_to_invoice(*, order: Order) -> list[billing.OpenLine]:
    """Return what of the confirmed line items and charges of an order is not invoiced.

    Raises TooManyLines and billing.TaxUnclear.
    """
    _check_size(order)
    names = document_data.line_names(order, document_data.language_of(order))
    return billing.open_lines(order, names)


def open_to_credit(*, row: Document) -> list[billing.OpenLine]:
    """Return what of an invoice is not credited; nothing for any other document."""
    return billing.credit_lines(row) if row.type == DocumentType.INVOICE else []


def retry(*, row: Document) -> None:
    """Have the PDF of a document made again that could not be made. Raises TransitionRefused."""
    with transaction.atomic():
        row = Document.objects.select_for_update(of=("self",)).get(pk=row.pk)
        if row.status != Document.Status.ERROR:
            why = "only the PDF of one in error is made again."
            raise TransitionRefused(row, Document.Status.PROCESSING, why)
        row.move(Document.Status.PROCESSING, errors=None)
        enqueue(make_document, row, cost=COST)
        emit_status(row)


def _check_size(order: Order) -> None:
    if order.line_items.count() > MAX_LINES:
        raise TooManyLines(f"A document has up to {MAX_LINES} lines: divide the order.")


def _check_body(
    order: Order,
    kind: DocumentType,
    lines: object,
    corrects: Document | None,
    shipment: Shipment | None,
) -> None:
    if lines is not None and kind not in billing.BILLED:
        title = f"Lines are chosen of invoices and credit notes: a {kind} has all."
        raise ServiceError(title, code="not-allowed", field="lines")
    is_credit = kind == DocumentType.CREDIT_NOTE
    if is_credit and corrects is None:
        title = "A credit note corrects an invoice: send its URI."
        raise ServiceError(title, code="missing-parameter", field="corrects")
    if corrects is not None and (not is_credit or corrects.type != DocumentType.INVOICE):
        title = "Only credit notes correct a document, and only invoices are corrected."
        raise ServiceError(title, code="not-allowed", field="corrects")
    is_note = kind == DocumentType.DELIVERY_NOTE
    if is_note and shipment is None:
        title = "A delivery note lists a shipment: send its URI."
        raise ServiceError(title, code="missing-parameter", field="shipment")
    if shipment is not None and (not is_note or shipment.order_id != order.pk):
        title = "Only a delivery note is of a shipment, which is one of the same order."
        raise ServiceError(title, code="not-allowed", field="shipment")


def _issue(
    actor: Person, order: Order, kind: DocumentType, data: DocumentData, links: Links, day: date
) -> Document:
    taken = document_numbers.take(order.bureau, kind, data["language"], day, creator=actor)
    data["number"] = taken.number
    document_data.add_transfer_code(data, order.bureau)
    row: Document = resources.create(
        actor=actor,
        kind=Document,
        order=order,
        type=kind,
        series=taken.series,
        year=taken.year,
        sequence=taken.sequence,
        number=taken.number,
        issued_on=day,
        language=data["language"],
        currency=data["currency"],
        net=None if data["net"] is None else exact(data["net"]),
        gross=None if data["gross"] is None else exact(data["gross"]),
        data=data,
        **links,
    )
    enqueue(make_document, row, cost=COST)
    if kind == DocumentType.INVOICE and row.gross is not None:
        amount = amount_text(row.gross, row.currency)
        messages.record(order, MessageMoment.INVOICE, amount=amount, document=row.number)
    return row


def _quote(data: DocumentData, order: Order, wanted: Wanted, source: Source) -> Links:
    quote = order.quotes.exclude(status=Quote.Status.WITHDRAWN).order_by("-pk").first()
    if quote is None:
        raise NoQuote("The order has no quote: create one.")
    issued = Document.objects.filter(quote=quote).first()
    if issued is not None:
        title = f"The quote is the document {issued.number} already."
        raise DocumentIssued(title, details={"document": issued.uri})
    document_data.add_quote(data, order, quote)
    return {"quote": quote}


def _confirmation(data: DocumentData, order: Order, wanted: Wanted, source: Source) -> Links:
    _require_confirmed(order)
    names = document_data.line_names(order, data["language"])
    lines = billing.open_lines(order, names, billed=())
    billed = billing.billed_lines(lines, None, data["currency"])
    taxes = billing.taxes_of(billed, lines, (), data["currency"])
    document_data.add_bill(data, billed, taxes)
    return {}


def _invoice(data: DocumentData, order: Order, wanted: Wanted, source: Source) -> Links:
    _require_confirmed(order)
    document_data.require_parties(order)
    names = document_data.line_names(order, data["language"])
    lines = billing.open_lines(order, names)
    if wanted is not None and any(line.line_item is None for line in lines):
        wanted = {**wanted, "": 1}  # what is asked once of the order is on its first invoice
    billed = billing.billed_lines(lines, wanted, data["currency"])
    earlier = billing.earlier_bills(order)
    taxes = billing.taxes_of(billed, lines, earlier, data["currency"])
    document_data.add_bill(data, billed, taxes)
    state = payment_state(order, totals_of_order(order))
    document_data.add_payment(data, order, is_paid=bool(state and state["status"] == "paid"))
    return {}


def _credit_note(data: DocumentData, order: Order, wanted: Wanted, source: Source) -> Links:
    assert isinstance(source, Document)  # noqa: S101  by _check_body
    corrects = source
    if corrects.order_id != order.pk:
        title = "The invoice is of another order: send that order."
        raise ServiceError(title, code="not-allowed", field="corrects")
    lines = billing.credit_lines(corrects)
    billed = billing.billed_lines(lines, wanted, data["currency"])
    earlier = billing.earlier_credits(corrects)
    taxes = billing.taxes_of(billed, lines, earlier, data["currency"])
    document_data.add_bill(data, billed, taxes)
    data["seller"], data["buyer"] = corrects.data["seller"], corrects.data["buyer"]
    data["currency"] = corrects.currency
    document_data.add_correction(data, corrects)
    return {"corrects": corrects}


def _delivery_note(data: DocumentData, order: Order, wanted: Wanted, source: Source) -> Links:
    assert isinstance(source, Shipment)  # noqa: S101  by _check_body
    if source.status == Shipment.Status.CANCELLED:
        raise ShipmentCancelled("The shipment is cancelled: issue the note of another one.")
    issued = Document.objects.filter(shipment=source).first()
    if issued is not None:
        title = f"The shipment has the delivery note {issued.number} already."
        raise DocumentIssued(title, details={"document": issued.uri})
    document_data.add_shipment(data, order, source)
    return {"shipment": source}


def _require_confirmed(order: Order) -> None:
    if order.status not in PAYABLE:
        title = f"The order is {order.status}: confirm it before this document is issued."
        raise OrderNotConfirmed(title)


_CONTENT: Mapping[DocumentType, Content] = {
    DocumentType.QUOTE: _quote,
    DocumentType.CONFIRMATION: _confirmation,
    DocumentType.INVOICE: _invoice,
    DocumentType.CREDIT_NOTE: _credit_note,
    DocumentType.DELIVERY_NOTE: _delivery_note,
}
