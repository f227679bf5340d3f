"""Price tables and orders of visitors of a storefront."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from apps.erp.orders.domain.order_totals import OrderTotals, totals_of_order
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.prices import PriceTable
from apps.erp.orders.models.storefronts import Storefront
from apps.erp.orders.services import customers, orders, share_links
from apps.erp.orders.services.storefront_pages import QUANTITIES
from apps.erp.price_tables.actors.storefront_orders import confirm_storefront_order
from apps.erp.price_tables.services import price_tables
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import InvalidFields, NotFound, ServiceError

MAX_CELLS = 100  # of an order


class CellChoice(NamedTuple):
    """A cell of a price table, by its place in the table."""

    table: UUID
    cell: int


@dataclass(frozen=True)
class Buyer:
    """Who orders, and where the parts go; texts are empty where nothing was sent."""

    name: str
    email: str
    company: str
    address: str
    country: str
    vat_number: str
    note: str


class PlacedOrder(NamedTuple):
    """A new order: its number, the token of its share link, and whether a person reviews it."""

    number: int
    token: str
    is_reviewed: bool
    totals: OrderTotals


def new_table(
    *, guest: Person, storefront: Storefront, models: Sequence[str], quantities: Sequence[int]
) -> PriceTable:
    """The prices of models of a guest, in all materials of a storefront."""
    return price_tables.create(
        actor=guest,
        bureau=storefront.bureau,
        models=list(models),
        materials=list(storefront.materials.order_by("name")),
        quantities=list(quantities or QUANTITIES),
        finishes=[[]],
        due=[None],
        price_list=storefront.price_list,
    )


def find_table(*, guest: Person, storefront: Storefront, key: UUID) -> PriceTable:
    """A price table of models that are all the guest's. Raises NotFound."""
    table = PriceTable.objects.filter(pk=key, bureau=storefront.bureau_id).first()
    if table is None or not _owns(guest, table.asked["models"]):
        raise NotFound("There is no such price table, or it is over: ask for a new one.")
    return table


def _owns(guest: Person, models: Sequence[str]) -> bool:
    """Whether the guest reads all these models, who reads none but their own."""
    try:
        for uri in models:
            warehouse.find_model(uri=uri, user=guest, field="models")
    except ServiceError:
        return False
    return True


def totals_of_cells(
    *, guest: Person, storefront: Storefront, cells: Sequence[CellChoice]
) -> OrderTotals | None:
    """What an order of these cells would come to; nothing is stored. None where it is refused."""
    buyer = Buyer("-", "", "", "", storefront.price_list.country, "", "")
    try:
        with transaction.atomic():
            totals = totals_of_order(_order(guest, storefront, cells, buyer))
            transaction.set_rollback(True)
    except ServiceError:
        return None
    return totals


@transaction.atomic
def place_order(
    *, guest: Person, storefront: Storefront, cells: Sequence[CellChoice], buyer: Buyer
) -> PlacedOrder:
    """Order these cells: customer, order and line items at the prices of the cells.

    An order that needs no review is confirmed by a job, once its line items are estimated.
    """
    order = _order(guest, storefront, cells, buyer)
    totals = totals_of_order(order)
    link = share_links.create_link(creator=storefront.bureau.creator, order=order)
    is_reviewed = _is_reviewed(storefront, totals)
    if not is_reviewed:
        confirm_storefront_order.send(str(order.pk))
    return PlacedOrder(order.number, share_links.new_token(row=link), is_reviewed, totals)


def _order(
    guest: Person, storefront: Storefront, cells: Sequence[CellChoice], buyer: Buyer
) -> Order:
    if not cells:
        title = "The cart is empty: choose a price of a part."
        raise InvalidFields([ServiceError(title, code="missing-parameter", field="cart")])
    bureau, seller = storefront.bureau, storefront.bureau.creator
    order = orders.create(
        actor=seller,
        bureau=bureau,
        name=buyer.company or buyer.name,
        customer_name=buyer.name,
        customer_email=buyer.email,
        shipping_name=buyer.company or buyer.name,
        shipping_address=buyer.address,
        notes=buyer.note,
        price_list=storefront.price_list,
    )
    by_table = defaultdict(list)
    for choice in cells:
        by_table[choice.table].append(choice.cell)
    for key, chosen in by_table.items():
        table = find_table(guest=guest, storefront=storefront, key=key)
        price_tables.change(actor=seller, row=table, order=order, cells=chosen)
    order.customer = customers.create(
        actor=seller,
        bureau=bureau,
        name=buyer.company or buyer.name,
        email=buyer.email,
        address=buyer.address,
        country=buyer.country,
        vat_number=buyer.vat_number,
    )
    # The prices are agreed: a customer without a group changes the taxes alone.
    order.save(update_fields=["customer", "updated"])
    order.refresh_from_db()
    return order


def _is_reviewed(storefront: Storefront, totals: OrderTotals) -> bool:
    match storefront.review:
        case Storefront.Review.INSTANT:
            return totals["net"] is None
        case Storefront.Review.ABOVE:
            limit = storefront.review_above
            return totals["net"] is None or limit is None or totals["net"] > limit
    return True
