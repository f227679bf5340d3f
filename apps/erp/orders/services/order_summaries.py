"""Orders in a few figures each, for lists: stage, parts, progress, amounts, payment."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import Count

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.fulfilment import MADE
from apps.erp.orders.domain.payments import payment_state
from apps.erp.orders.domain.prices.order_totals import current_totals
from apps.erp.orders.domain.prices.price_lists import shared_reads
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.pieces import Piece
from apps.erp.orders.services.price_lists import sees_prices
from apps.erp.orders.services.share_links import status_of
from apps.warehouse import interface as warehouse
from core.api.openapi.response_types import Uri
from core.auth_user import Person

# Rows that a summary is made of.
_BESIDE = ("price_list", "shipping", "customer__group__price_list")
_BELOW = ("line_items__base_material", "quotes", "shipments__lines", "payments")


class OrderSummary(TypedDict):
    """An order in a list."""

    order: Annotated[Uri, "The order."]
    stage: Annotated[
        str,
        "Step on the page of the customer: `review`, `quote`, `confirmed`, `production`, `ready`, "
        "`shipped` or `cancelled`.",
    ]
    line_items: Annotated[int, "Line items that are not cancelled."]
    pieces: Annotated[int, "Pieces of these line items."]
    made: Annotated[int, "Pieces that are made: only shipping, if anything, is left to do."]
    picture: Annotated[str | None, "Address of a picture of the first part."]
    color: Annotated[str | None, "Colour of its material, #RRGGBB."]
    net: Annotated[float | None, "Null where it is not known, or not for the caller to see."]
    gross: Annotated[float | None, "Null where it is not known, or not for the caller to see."]
    currency: str
    payment: Annotated[str | None, "`open` or `paid`; null while nothing is to be paid."]


def summaries_of(bureau: Bureau, uris: list[str], caller: Person) -> list[OrderSummary]:
    """Return these orders of a bureau in figures; amounts as far as `caller` sees prices.

    The number of statements does not depend on that of the orders.

    uris : other ones than of orders of the bureau are left out
    """
    keys = [key for uri in uris for key in Order.keys_of(uri)]
    rows = Order.objects.filter(bureau=bureau).select_related(*_BESIDE).prefetch_related(*_BELOW)
    by_key = rows.in_bulk(keys)
    orders = [by_key[key] for key in dict.fromkeys(keys) if key in by_key]
    for order in orders:
        order.bureau = bureau
    items = {order.pk: _items_of(order) for order in orders}
    firsts = [of[0].model_uri for of in items.values() if of and of[0].model_uri]
    pictures = warehouse.pictures_of(firsts)
    made = _pieces_made(items)
    with shared_reads():
        return [
            _summary(order, items[order.pk], made.get(order.pk, 0), pictures, caller)
            for order in orders
        ]


def _items_of(order: Order) -> list[LineItem]:
    items = sorted(order.line_items.all(), key=attrgetter("pk"))
    return [item for item in items if item.status != LineItem.Status.CANCELLED]


def _pieces_made(orders: Iterable[UUID]) -> dict[UUID, int]:
    rows = Piece.objects.filter(MADE, line_item__order__in=list(orders))
    counted = rows.exclude(line_item__status=LineItem.Status.CANCELLED).order_by()
    return dict(counted.values_list("line_item__order").annotate(Count("pk")))


def _summary(
    order: Order, items: list[LineItem], made: int, pictures: dict[str, str], caller: Person
) -> OrderSummary:
    totals = current_totals(order) if items and sees_prices(caller, order) else None
    payment = payment_state(order, totals) if totals else None
    first = items[0] if items else None
    return {
        "order": order.uri,
        "stage": status_of(order),
        "line_items": len(items),
        "pieces": sum(item.quantity for item in items),
        "made": made,
        "picture": pictures.get(first.model_uri or "") if first else None,
        "color": first.color if first else None,
        "net": totals and totals["net"],
        "gross": totals and totals["gross"],
        "currency": order.currency,
        "payment": payment and payment["status"],
    }
