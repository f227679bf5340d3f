"""Totals of an order and of a quote: net, charges of the order, taxes, gross."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from operator import attrgetter
from typing import Annotated, TypedDict

from apps.erp.orders.domain.prices import line_prices, quote_lines
from apps.erp.orders.domain.response_types import LineAnswer, TaxAnswer
from apps.erp.orders.models.orders import LineItem, Order, Quote
from core.api.openapi.schema_hints import FreeJson
from pricing.making import exact


class OrderTotals(TypedDict):
    """What a number of line items come to; amounts are null where that of one is not known.

    parts   : net, of the line items
    charges : net, asked once of the order, such as shipping
    net     : of both
    gross   : with taxes; the net amount where no list of prices sells them, and none are known
    """

    parts: float | None
    charges: float | None
    net: float | None
    taxes: Annotated[list[TaxAnswer], list[FreeJson]]
    gross: float | None
    currency: str


def totals_of_quote(quote: Quote) -> OrderTotals:
    """Return the totals of a quote."""
    return _totals(quote.lines, quote.taxes, quote.gross, quote.currency)


def latest_quote(order: Order) -> Quote | None:
    """Return the newest quote of an order that is not withdrawn."""
    quotes = [row for row in order.quotes.all() if row.status != Quote.Status.WITHDRAWN]
    return max(quotes, key=attrgetter("pk"), default=None)


def current_totals(order: Order) -> OrderTotals:
    """The totals of an order: as offered by its open quote, so that prices are not read again."""
    quote = latest_quote(order)
    is_open = quote is not None and quote.status == Quote.Status.OPEN
    return totals_of_quote(quote) if quote and is_open else totals_of_order(order)


def totals_of_order(order: Order) -> OrderTotals:
    """The totals of all line items that are not cancelled, before and after a quote is accepted.

    What was accepted counts as it was offered, as long as none of it is cancelled; the rest as it
    would be offered now.
    """
    quotes, rest = _agreed(order)
    offers = [totals_of_quote(quote) for quote in quotes]
    if rest or not offers:
        offers.append(totals_of_items(order, rest))
    return _sum(offers)


def confirmed_lines(order: Order) -> list[tuple[LineAnswer, TaxAnswer | None]]:
    """Return the lines of the confirmed line items of an order, and by which tax each is sold.

    As they count in the totals: as they were offered, or as they would be offered now.
    """
    quotes, rest = _agreed(order)
    lines = [(line, _only(quote.taxes)) for quote in quotes for line in quote.lines]
    confirmed = [item for item in rest if item.status not in LineItem.OPEN]
    if confirmed:
        sold = line_prices.sum_of(order, confirmed)
        tax = _only(sold.taxes) if sold else None
        lines += [(line, tax) for line in quote_lines.lines_of(order, confirmed, sold)]
    return lines


def _agreed(order: Order) -> tuple[list[Quote], list[LineItem]]:
    """The accepted quotes that count, and the other line items that are not cancelled."""
    items = sorted(order.line_items.all(), key=attrgetter("pk"))
    rest = {item.uri: item for item in items if item.status != LineItem.Status.CANCELLED}
    quotes = []
    for quote in sorted(order.quotes.all(), key=attrgetter("pk")):
        uris = {line["line_item"] for line in quote.lines if line["line_item"]}
        if quote.status == Quote.Status.ACCEPTED and uris and uris <= rest.keys():
            quotes.append(quote)
            rest = {uri: item for uri, item in rest.items() if uri not in uris}
    return quotes, list(rest.values())


def _only(taxes: list[TaxAnswer]) -> TaxAnswer | None:
    """The tax of a sale; None where none is known."""
    return taxes[0] if taxes else None


def totals_of_items(order: Order, items: Iterable[LineItem]) -> OrderTotals:
    """Return what these line items of an order come to as it would be offered now.

    They may be rows that are not stored.
    """
    items = sorted(items, key=lambda item: item.pk)
    sold = line_prices.sum_of(order, items)
    lines = quote_lines.lines_of(order, items, sold) if items else []
    taxes, gross = (sold.taxes, sold.gross) if sold else ([], None)
    return _totals(lines, taxes, gross, order.currency)


def _totals(
    lines: Iterable[LineAnswer],
    taxes: list[TaxAnswer],
    gross: Decimal | None,
    currency: str,
) -> OrderTotals:
    lines = list(lines)
    parts = _added(line["amount"] for line in lines if line["line_item"])
    charges = _added(line["amount"] for line in lines if not line["line_item"])
    charges = None if parts is None else charges  # they may depend on the parts
    net = _added([parts, charges])
    return {
        "parts": parts,
        "charges": charges,
        "net": net,
        "taxes": taxes,
        "gross": net if gross is None else float(gross),
        "currency": currency,
    }


def _sum(offers: list[OrderTotals]) -> OrderTotals:
    if len(offers) == 1:
        return offers[0]
    by_rate: dict[tuple[str, float], list[TaxAnswer]] = defaultdict(list)
    for tax in (tax for each in offers for tax in each["taxes"]):
        by_rate[tax["category"], tax["rate"]].append(tax)
    taxes: list[TaxAnswer] = [
        {
            **same[0],
            "basis": _total(tax["basis"] for tax in same),
            "amount": _total(tax["amount"] for tax in same),
        }
        for same in by_rate.values()
    ]
    return {
        "parts": _added(each["parts"] for each in offers),
        "charges": _added(each["charges"] for each in offers),
        "net": _added(each["net"] for each in offers),
        "taxes": taxes,
        "gross": _added(each["gross"] for each in offers),
        "currency": offers[0]["currency"],
    }


def _added(amounts: Iterable[float | None]) -> float | None:
    values = list(amounts)
    numbers = [value for value in values if value is not None]
    return _total(numbers) if len(numbers) == len(values) else None


def _total(amounts: Iterable[float]) -> float:
    return float(sum(map(exact, amounts), Decimal()))
