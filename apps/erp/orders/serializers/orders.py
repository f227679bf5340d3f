"""Orders, line items and quotes: what they have beside their columns."""

from typing import Annotated, TypedDict

from apps.erp.base.serializers.changes import ChangesField
from apps.erp.base.serializers.resources import (
    LinksField,
    answer_of,
    input_of,
    resource,
    serializer_of,
)
from apps.erp.orders.domain.fulfilment import Fulfilment
from apps.erp.orders.domain.payments import PaymentState, payment_state
from apps.erp.orders.domain.prices.order_totals import OrderTotals, totals_of_quote
from apps.erp.orders.domain.prices.quote_lines import for_customers
from apps.erp.orders.domain.response_types import (
    EstimatesAnswer,
    LineAnswer,
    LinePriceAnswer,
    ManualPriceAnswer,
    TaxAnswer,
    TermAnswer,
    TotalsAnswer,
)
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.serializers.price_visibility import (
    estimates_without_costs,
    quote_without_prices,
)
from apps.erp.orders.serializers.prices import ManualPriceSerializer
from core.api.fields import Choice, StrictSerializer, StrictText, WholeNumber
from core.api.openapi.response_types import FreeJson, Uri
from pricing.manual_review import ReviewAnswer

MAX_DAYS = 366
MAX_LINE_ITEMS = 10_000  # that one request puts into an order


OrderSerializer = serializer_of(
    Order,
    line_items=LinksField(
        LineItem,
        most=MAX_LINE_ITEMS,
        required=False,
        help_text="Complete list of line items; any others are removed from the order.",
    ),
    status=Choice(
        choices=Order.Status.choices,
        required=False,
        help_text="`cancelled` cancels all its line items; nothing else can be set.",
    ),
)
LineItemSerializer = serializer_of(
    LineItem,
    manual_price=ManualPriceSerializer(required=False, allow_null=True),
    quantity=WholeNumber(min_value=1, max_value=LineItem.LARGEST_QUANTITY),
    plate=WholeNumber(
        min_value=1,
        required=False,
        help_text="Plate of a converted file whose objects are ordered.",
    ),
)
QuoteSerializer = serializer_of(
    Quote,
    valid_days=WholeNumber(
        min_value=1,
        max_value=MAX_DAYS,
        required=False,
        help_text="Days for acceptance; default 30.",
    ),
)


class LineItemChangeSerializer(StrictSerializer):
    """When the pieces of one line item are made."""

    uri = StrictText(max_length=2048)
    priority = input_of(LineItem._meta.get_field("priority"))
    position = input_of(LineItem._meta.get_field("position"))
    hold = input_of(LineItem._meta.get_field("hold"))


class LineItemsSerializer(StrictSerializer):
    """Changes of many line items: all are made, or none."""

    line_items = ChangesField(LineItem, LineItemChangeSerializer())


class FulfilmentAnswer(TypedDict):
    """How many pieces of a line item are ready to ship, packed and shipped."""

    line_item: Uri
    name: str
    quantity: int
    ready: Annotated[int, "Pieces that are made and in no shipment."]
    packed: Annotated[int, "Pieces in open shipments."]
    shipped: int


class OrderBeside(TypedDict):
    """What an order tells beside its columns."""

    line_items: Annotated[list[Uri], "Line items in order of creation."]
    quote: Annotated[Uri | None, "Open or accepted quote."]
    totals: Annotated[OrderTotals | None, TotalsAnswer]
    payment: PaymentState | None
    fulfilment: list[FulfilmentAnswer] | None


class LineItemBeside(TypedDict):
    """What a line item tells beside its columns."""

    estimates: EstimatesAnswer | None
    price: LinePriceAnswer | None
    review: list[ReviewAnswer] | None
    manual_price: ManualPriceAnswer | None
    snapshot: Annotated[Uri | None, "Signed URL of a snapshot of the model."]


class QuoteBeside(TypedDict):
    """What the columns of a quote do not say."""

    lines: list[LineAnswer]
    taxes: list[TaxAnswer]
    totals: TotalsAnswer


OrderAnswer = answer_of(Order, OrderBeside)
LineItemAnswer = answer_of(LineItem, LineItemBeside)
QuoteAnswer = answer_of(Quote, QuoteBeside)


def order_resource(
    row: Order, totals: OrderTotals | None, fulfilment: list[Fulfilment] | None
) -> FreeJson:
    """An order, with its line items in the order in which they were made."""
    items = sorted(row.line_items.all(), key=lambda item: item.pk)
    kept = [quote for quote in row.quotes.all() if quote.status != Quote.Status.WITHDRAWN]
    newest = max(kept, key=lambda quote: quote.pk, default=None)
    beside: OrderBeside = {
        "line_items": [item.uri for item in items],
        "quote": newest.uri if newest else None,
        "totals": totals,
        "payment": payment_state(row, totals) if totals else None,
        "fulfilment": None if fulfilment is None else [_fulfilled(each) for each in fulfilment],
    }
    return {**resource(row), **beside}


def _fulfilled(each: Fulfilment) -> FulfilmentAnswer:
    return {
        "line_item": each.item.uri,
        "name": each.item.name,
        "quantity": each.item.quantity,
        "ready": each.ready,
        "packed": each.packed,
        "shipped": each.shipped,
    }


def quote_resource(row: Quote, *, priced: bool) -> FreeJson:
    """A quote, with its totals.

    priced : whether the caller may see amounts
    """
    quote = {**resource(row), "totals": totals_of_quote(row)}
    return quote if priced else quote_without_prices(quote)


def line_item_resource(
    row: LineItem,
    snapshot: str | None,
    *,
    selling: bool,
    priced: bool,
    shortage: TermAnswer | None,
) -> FreeJson:
    """A line item, and where a picture of its model can be fetched.

    selling  : whether the answer says what exactly keeps it from having a price
    priced   : whether the caller may see what it costs, and is sold for
    shortage : the term of what is missing to make it
    """
    estimates: EstimatesAnswer | None = row.estimates
    if estimates and shortage:
        estimates = {**estimates, "terms": [*estimates["terms"], shortage]}
    beside: LineItemBeside = {
        "estimates": estimates if priced else estimates_without_costs(estimates),
        "price": row.price if priced else None,
        "review": row.review if selling else for_customers(row.review),
        "manual_price": row.manual_price if priced else None,
        "snapshot": snapshot,
    }
    return {**resource(row), **beside}
