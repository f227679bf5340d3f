"""Price tables and orders of visitors of a storefront."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.base.models.messages import MessageMoment, StaffMoment
from apps.erp.orders.domain.approvals import NoApprover, approve_own, is_needed, member_of, request
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.customer_messages.mailed_links import mailed_token
from apps.erp.orders.domain.customer_pages import order_page
from apps.erp.orders.domain.prices.order_totals import OrderTotals, totals_of_items, totals_of_order
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.prices import Customer, CustomerGroup, PriceList, PriceTable
from apps.erp.orders.models.storefronts import Storefront
from apps.erp.orders.services import customers, orders
from apps.erp.orders.services.storefront_pages import QUANTITIES
from apps.erp.organisation.domain.finishing import way_of, workflows_by_way
from apps.erp.organisation.models.master_data import Material
from apps.erp.price_tables.actors.storefront_orders import confirm_storefront_order
from apps.erp.price_tables.domain.response_types import CellAnswer
from apps.erp.price_tables.services import price_tables
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import InvalidFields, NotFound, ServiceError
from pricing.manual_review import ReviewAnswer


class CellChoice(NamedTuple):
    """A cell of a price table, by its place in the table."""

    table: UUID
    cell: int


@dataclass(frozen=True)
class Buyer:
    """Who orders, and where the parts go; texts are empty where nothing was sent.

    needed_by : when the customer would like to have the parts; changes no price
    billing_address, billing_country : for the invoice, if these are others than of the parts
    group, account_email : of a customer who is signed in: whose prices the cells have, and the
        confirmed address
    """

    name: str
    email: str
    company: str
    address: str
    country: str
    vat_number: str
    note: str
    language: str
    needed_by: date | None = None
    billing_address: str = ""
    billing_country: str = ""
    group: CustomerGroup | None = None
    account_email: str = ""


class PlacedOrder(NamedTuple):
    """A new order: number, token of its share link, page, whether a person reviews it, its mail."""

    number: int
    token: str
    page: str
    is_reviewed: bool
    totals: OrderTotals
    is_mailed: bool


NOON = time(12)  # the same day in nearly all time zones
# Print options of a table, and the field of a storefront that has their choices.
OFFERED = {
    "support_strategy": "support_strategies",
    "infill_strategy": "infill_strategies",
    "layer_thickness": "layer_thicknesses",
}


def new_table(
    *,
    guest: Person,
    storefront: Storefront,
    models: Sequence[str],
    quantities: Sequence[int],
    finishes: Sequence[Sequence[str]],
    options: Mapping[str, str | float | None],
    group: CustomerGroup | None = None,
) -> PriceTable:
    """The prices of models of a guest, in all materials of a storefront.

    finishes : lists of URIs of post-processor types; without any post-processing where empty
    options  : print options by their names in a line item; those of the printer where left out
    group    : of a customer who is signed in, for their prices

    Raises InvalidFields for an option or a finish that the storefront does not offer.
    """
    _require_offered(storefront, options)
    offered = {kind.uri: kind for kind in storefront.post_processor_types.all()}
    if others := {uri for finish in finishes for uri in finish} - offered.keys():
        title = f"The storefront does not offer {min(others)} as a finish: see its finishes."
        code = "property-value-not-in-allowed-values"
        choices = {"choices": sorted(offered)}
        raise InvalidFields([ServiceError(title, code=code, field="finishes", details=choices)])
    return price_tables.create(
        actor=guest,
        bureau=storefront.bureau,
        models=list(models),
        materials=list(storefront.materials.order_by("name")),
        quantities=list(quantities or QUANTITIES),
        finishes=[[offered[uri] for uri in finish] for finish in finishes or [[]]],
        due=[None],
        price_list=price_list_for(storefront, group),
        group=group,
        **options,
    )


def group_of(storefront: Storefront, email: str) -> CustomerGroup | None:
    """Return the group whose prices a customer with this confirmed address has.

    That of the company, or of the newest customer of the bureau with the address and a group.
    """
    if member := member_of(storefront.bureau, email):
        return member.company.group
    rows = Customer.objects.filter(bureau=storefront.bureau_id, email__iexact=email)
    customer = rows.exclude(group=None).select_related("group__price_list").order_by("-pk").first()
    return customer.group if customer and email else None


def price_list_for(storefront: Storefront, group: CustomerGroup | None) -> PriceList:
    """Return the list of a group, or else that of the storefront."""
    return (group and group.price_list) or storefront.price_list


def _require_group(table: PriceTable, group: CustomerGroup | None) -> None:
    """Raise PriceChanged for the prices of another group, as after a sign-out."""
    if table.basis["deal"]["group"] != (str(group.pk) if group else ""):
        raise price_tables.PriceChanged(
            "The prices are of another sign-in than now: ask for new ones.",
            details={"cells": []},
        )


def _require_offered(storefront: Storefront, options: Mapping[str, str | float | None]) -> None:
    faults: list[ServiceError] = []
    for name, value in options.items():
        choices = getattr(storefront, OFFERED[name])
        if value and value not in choices:
            title = f"The storefront does not offer {value} as {name}: see {OFFERED[name]}."
            code = "property-value-not-in-allowed-values"
            faults.append(
                ServiceError(title, code=code, field=name, details={"choices": list(choices)})
            )
    if faults:
        raise InvalidFields(faults)


def offered_cells(table: PriceTable) -> list[CellAnswer]:
    """The cells of a table as visitors see them: no price of what no workflow makes."""
    ways = workflows_by_way(table.bureau_id)
    machines = {each["uri"]: each["machine_key"] for each in table.basis["materials"]}
    return [
        cell
        if not cell["finish"] or way_of(machines[cell["material"]], cell["finish"]) in ways
        else _unmade(cell)
        for cell in table.cells
    ]


def _unmade(cell: CellAnswer) -> CellAnswer:
    why: ReviewAnswer = {
        "code": "no-workflow",
        "title": "This finish is not made in this material.",
    }
    return {
        **cell,
        "unit": None,
        "unit_of": None,
        "net": None,
        "tax": None,
        "gross": None,
        "ready": None,
        "review": [why],
    }


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
    *,
    guest: Person,
    storefront: Storefront,
    cells: Sequence[CellChoice],
    group: CustomerGroup | None = None,
) -> OrderTotals | None:
    """What an order of these cells would come to at home. None where it is refused."""
    bureau = storefront.bureau
    order = Order(
        bureau=bureau,
        currency=bureau.currency,
        price_list=price_list_for(storefront, group),
        customer=Customer(bureau=bureau, group=group) if group else None,
    )
    items: list[LineItem] = []
    try:
        for key, chosen in _by_table(cells).items():
            table = find_table(guest=guest, storefront=storefront, key=key)
            _require_group(table, group)
            items += _unsaved_items(table, chosen)
    except ServiceError:
        return None
    return totals_of_items(order, items)


def _unsaved_items(table: PriceTable, cells: list[int]) -> list[LineItem]:
    """The line items that an order of these cells would have, with their prices."""
    return [
        LineItem(
            bureau=table.bureau,
            quantity=cell.answer["quantity"],
            base_material_id=Material.keys_of(cell.answer["material"])[0],
            price=cell.line,
        )
        for cell in price_tables.computed_cells(table, cells).values()
    ]


def _by_table(cells: Sequence[CellChoice]) -> dict[UUID, list[int]]:
    chosen = defaultdict(list)
    for choice in cells:
        chosen[choice.table].append(choice.cell)
    return chosen


@transaction.atomic
def place_order(
    *, guest: Person, storefront: Storefront, cells: Sequence[CellChoice], buyer: Buyer
) -> PlacedOrder:
    """Order these cells: customer, order and line items at the prices of the cells.

    An order that needs no review is confirmed by a job, once its line items are estimated.
    """
    order = _order(guest, storefront, cells, buyer)
    totals = totals_of_order(order)
    message = messages.record(order, MessageMoment.RECEIVED)
    is_reviewed = _is_reviewed(storefront, totals, buyer)
    if not is_reviewed and is_needed(order, totals["net"]):
        try:
            request(order, person=buyer.name, net=totals["net"])
        except NoApprover:
            is_reviewed = True  # a person of the shop knows the company
    if is_reviewed:
        messages.record_for_staff(order, StaffMoment.ORDER_REVIEW)
    kind = Kind.ORDER_REVIEW if is_reviewed else Kind.ORDER_RECEIVED
    notify(kind, order, Work.SALES, number=order.number, customer=buyer.company or buyer.name)
    if not is_reviewed:
        order.is_instant = True
        order.save(update_fields=["is_instant", "updated"])
        confirm_storefront_order.send(str(order.pk))
    token = mailed_token(order)
    page = order_page(order.bureau_id, token)
    is_mailed = message is not None
    return PlacedOrder(order.number, token, page, is_reviewed, totals, is_mailed)


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
        price_list=price_list_for(storefront, buyer.group),
    )
    for key, chosen in _by_table(cells).items():
        table = find_table(guest=guest, storefront=storefront, key=key)
        _require_group(table, buyer.group)
        price_tables.change(actor=seller, row=table, order=order, cells=chosen)
    member = member_of(bureau, buyer.account_email or buyer.email)
    order.customer = customers.create(
        actor=seller,
        bureau=bureau,
        name=buyer.company or buyer.name,
        email=buyer.email,
        address=buyer.billing_address or buyer.address,
        country=buyer.country,
        vat_number=buyer.vat_number,
        language=buyer.language,
        group=buyer.group,
        company=member.company if member else None,
    )
    order.awaits_payment = storefront.prepayment
    if storefront.prepayment:
        order.line_items.update(hold=True)
    if buyer.needed_by:
        order.due_date = datetime.combine(buyer.needed_by, NOON, UTC)
    # The prices are agreed: a customer without a group changes the taxes alone.
    order.save(update_fields=["customer", "due_date", "awaits_payment", "updated"])
    order.refresh_from_db()
    if member and buyer.account_email and member.role == member.Role.APPROVER:
        approve_own(order, member, totals_of_order(order)["net"])
    return order


def _is_reviewed(storefront: Storefront, totals: OrderTotals, buyer: Buyer) -> bool:
    """Whether a person looks at an order first: by the storefront, or since its tax is not sure."""
    has_foreign_number = bool(buyer.vat_number) and buyer.country != storefront.price_list.country
    is_billed_abroad = buyer.billing_country not in ("", buyer.country)
    if totals["net"] is None or totals["gross"] is None:
        return True
    if has_foreign_number or is_billed_abroad:
        return True
    if storefront.review == Storefront.Review.ABOVE:
        limit = storefront.review_above
        return limit is None or totals["net"] > limit
    return storefront.review != Storefront.Review.INSTANT
