"""Amounts of invoices and credit notes: what of an order or an invoice is open, and its taxes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from apps.erp.orders.domain.documents.document_content import SignedBill
from apps.erp.orders.domain.prices.order_totals import confirmed_lines
from apps.erp.orders.domain.response_types import LineAnswer, TaxAnswer
from apps.erp.orders.models.documents import Document, DocumentType
from apps.erp.orders.models.orders import Order
from core.errors import Conflict
from core.money import rounded
from pricing.making import exact

PERCENT = Decimal(100)
MAX_ROUNDING = Decimal("0.05")  # by which the taxes of parts may differ from that of the sale
BILLED = {DocumentType.INVOICE: 1, DocumentType.CREDIT_NOTE: -1}


class NothingToInvoice(Conflict):
    """All that is confirmed of the order is invoiced."""

    code = "nothing-to-invoice"


class MoreThanOpen(Conflict):
    """More of a line is to be invoiced or credited than is open."""

    code = "more-than-open"


class TaxUnclear(Conflict):
    """A price or a tax of the order is missing."""

    code = "tax-unclear"


@dataclass(frozen=True)
class OpenLine:
    """What of a line can be invoiced or credited.

    line_item : its URI; None for what is asked once of the order
    quantity, net : open, of `of` pieces
    tax       : by which it is sold; its `amount` and `basis` are those of all of the sale
    """

    line_item: str | None
    name: str
    detail: str
    of: int
    quantity: int
    net: Decimal
    tax: TaxAnswer

    @property
    def rate(self) -> tuple[str, float]:
        """What its tax is summed by."""
        return self.tax["category"], self.tax["rate"]


@dataclass(frozen=True)
class BilledLine:
    """A line of an invoice or a credit note."""

    line: OpenLine
    quantity: int
    net: Decimal

    @property
    def ends(self) -> bool:
        """Whether nothing of the line is open afterwards."""
        return self.quantity == self.line.quantity


def open_lines(
    order: Order,
    names: Mapping[str, tuple[str, str]],
    *,
    billed: Iterable[SignedBill] | None = None,
) -> list[OpenLine]:
    """Return what of the confirmed line items of an order is not invoiced yet.

    billed : invoices and credit notes; by default those of the order
    names : URI of a line item -> its name, and how it is made; "" for the charges of the order

    Raises TaxUnclear.
    """
    sums = _billed(earlier_bills(order) if billed is None else billed)
    lines = []
    charges: list[tuple[LineAnswer, TaxAnswer]] = []
    for line, tax in confirmed_lines(order):
        amount = line["amount"]
        if amount is None or tax is None:
            raise TaxUnclear(
                f"The price or the tax of {line['name'] or 'a line'} is missing: sell the order "
                "by a price list with tax rules."
            )
        uri = line["line_item"]
        if uri is None:
            charges.append((line, tax))
            continue
        quantity, net = sums.get(uri, (0, Decimal()))
        name, detail = names.get(uri, (line["name"], ""))
        if left := line["quantity"] - quantity:
            lines.append(
                OpenLine(uri, name, detail, line["quantity"], left, exact(amount) - net, tax)
            )
    _, net = sums.get("", (0, Decimal()))
    total = sum((exact(line["amount"] or 0) for line, _ in charges), Decimal()) - net
    if charges and total:
        name, detail = names[""]
        lines.append(OpenLine(None, name, detail, 1, 1, total, charges[-1][1]))
    return lines


def credit_lines(invoice: Document) -> list[OpenLine]:
    """Return what of an invoice is not credited yet."""
    sums = _billed(earlier_credits(invoice))
    taxes = {(tax["category"], tax["rate"]): tax for tax in invoice.data["taxes"]}
    lines = []
    for line in invoice.data["lines"]:
        quantity, net = sums.get(line["line_item"] or "", (0, Decimal()))
        if left := line["quantity"] - quantity:
            tax = taxes[line["category"], line["rate"]]
            rest = exact(line["net"] or 0) - net
            uri, name, detail = line["line_item"], line["name"], line["detail"]
            lines.append(OpenLine(uri, name, detail, line["quantity"], left, rest, tax))
    return lines


def billed_lines(
    lines: list[OpenLine], wanted: Mapping[str, int] | None, currency: str
) -> list[BilledLine]:
    """Return the lines of an invoice or a credit note.

    wanted : URI of a line item -> quantity; None: all that is open. What is asked once of the order
             goes with the first invoice, and is credited with everything

    Raises MoreThanOpen, NothingToInvoice.
    """
    if not lines:
        raise NothingToInvoice("Nothing is open: all of it is on invoices or credit notes.")
    if wanted is None:
        return [BilledLine(line, line.quantity, line.net) for line in lines]
    by_uri = {line.line_item or "": line for line in lines}
    chosen = []
    for uri, quantity in wanted.items():
        line = by_uri.get(uri)
        if line is None or quantity > line.quantity:
            is_open = line.quantity if line else 0
            raise MoreThanOpen(
                f"{quantity} of {uri} are more than the {is_open} that are open: send less.",
                field="lines",
                details={"line_item": uri, "open": is_open},
            )
        share = line.net * quantity / line.quantity
        net = line.net if quantity == line.quantity else rounded(share, currency)
        chosen.append(BilledLine(line, quantity, net))
    return chosen


def taxes_of(
    billed: Iterable[BilledLine],
    open_before: Iterable[OpenLine],
    earlier: Iterable[SignedBill],
    currency: str,
) -> list[TaxAnswer]:
    """Return the taxes of an invoice or a credit note, by category and rate.

    The last one of a sale has what the earlier ones left of the tax of the sale.

    open_before : what was open before it
    earlier     : the documents before it
    """
    billed = list(billed)
    ended = {id(each.line) for each in billed if each.ends}
    going_on = {line.rate for line in open_before if id(line) not in ended}
    earlier = list(earlier)
    taxes: list[TaxAnswer] = []
    for rate in dict.fromkeys(each.line.rate for each in billed):
        same = [each for each in billed if each.line.rate == rate]
        basis = sum((each.net for each in same), Decimal())
        amount = rounded(basis * exact(rate[1]) / PERCENT, currency)
        if rate not in going_on:
            sales = {id(each.line.tax): each.line.tax for each in same}.values()
            total = sum((exact(tax["amount"]) for tax in sales), Decimal())
            rest = total - _taxed(earlier, rate)
            amount = rest if abs(rest - amount) <= MAX_ROUNDING else amount
        sentence = same[0].line.tax["sentence"]
        taxes.append(
            {
                "category": rate[0],
                "rate": rate[1],
                "basis": float(basis),
                "amount": float(amount),
                "sentence": sentence,
            }
        )
    return taxes


def earlier_bills(order: Order) -> list[SignedBill]:
    """Return the invoices and credit notes of an order."""
    rows = order.documents.filter(type__in=BILLED).values_list("type", "data")
    return [SignedBill(BILLED[DocumentType(kind)], data) for kind, data in rows]


def earlier_credits(invoice: Document) -> list[SignedBill]:
    """Return the credit notes of an invoice."""
    return [SignedBill(1, data) for data in invoice.corrections.values_list("data", flat=True)]


def _billed(earlier: Iterable[SignedBill]) -> dict[str, tuple[int, Decimal]]:
    """What documents bill together: URI of a line item, or "" -> (quantity, net)."""
    sums: dict[str, tuple[int, Decimal]] = {}
    for sign, data in earlier:
        for line in data["lines"]:
            uri = line["line_item"] or ""
            quantity, net = sums.get(uri, (0, Decimal()))
            sums[uri] = quantity + sign * line["quantity"], net + sign * exact(line["net"] or 0)
    return sums


def _taxed(earlier: Iterable[SignedBill], rate: tuple[str, float]) -> Decimal:
    amounts = (
        sign * exact(tax["amount"])
        for sign, data in earlier
        for tax in data["taxes"]
        if (tax["category"], tax["rate"]) == rate
    )
    return sum(amounts, Decimal())
