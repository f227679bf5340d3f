"""Orders and parts of a customer of a bureau, who is known by a confirmed e-mail address.

An order belongs to the customer whose address it is mailed to. It is shown by the link that mails
name: without one, or once the shop has revoked it, the customer does not see the order.
"""

from datetime import datetime
from operator import attrgetter
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import prefetch_related_objects

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.customer_messages.mailed_links import current_token
from apps.erp.orders.domain.customer_pages import page_at, site_of
from apps.erp.orders.domain.documents.document_files import SharedDocument, listed_documents
from apps.erp.orders.domain.prices.order_totals import OrderTotals, current_totals
from apps.erp.orders.models.companies import CompanyMember
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.prices import Customer
from apps.erp.orders.services.share_links import bought_at_storefront, status_of
from apps.warehouse import interface as warehouse

MAX_ORDERS = 50
MAX_PARTS = 200
# Rows that status and totals of an order are made of.
_READ = ("line_items", "quotes", "shipments__lines")


class CustomerOrder(TypedDict):
    """An order in the list of its customer."""

    number: int
    created: datetime
    status: str
    due_date: datetime | None
    totals: OrderTotals
    link: Annotated[str, "Address of the order's page."]
    token: Annotated[str, "Token of the share link."]
    documents: Annotated[list[SharedDocument], "Documents of the order, but no delivery notes."]


class CustomerPart(TypedDict):
    """A part that a customer has ordered, as of the last order with it."""

    name: str
    picture: str | None
    material: str
    color: str | None
    quantity: int
    number: Annotated[int, "Number of the order."]
    line_item: Annotated[UUID, "Key of the part in the order, to order it again."]
    token: Annotated[str, "Token of the share link of the order."]
    can_reorder: Annotated[bool, "Whether it was ordered at a storefront."]


def is_customer(*, bureau: str, email: str) -> bool:
    """Whether a bureau, by its URI, has a customer or a member of a company with this address."""
    keys = Bureau.keys_of(bureau)
    members = CompanyMember.objects.filter(bureau__in=keys, email=email.lower())
    return (
        members.exists() or Customer.objects.filter(bureau__in=keys, email__iexact=email).exists()
    )


def orders_of(*, bureau: str, email: str) -> list[CustomerOrder]:
    """The newest orders of a customer, at most 50.

    The number of statements does not depend on that of the orders, but for those without a quote.
    """
    orders = _visible(bureau, email)
    prefetch_related_objects([order for order, _ in orders], *_READ)
    documents = listed_documents(order for order, _ in orders)
    site = site_of(orders[0][0].bureau_id) if orders else ""
    return [
        {
            "number": order.number,
            "created": order.created,
            "status": status_of(order),
            "due_date": order.due_date,
            "totals": current_totals(order),
            "link": page_at(site, token),
            "token": token,
            "documents": documents[order.pk],
        }
        for order, token in orders
    ]


def parts_of(*, bureau: str, email: str) -> list[CustomerPart]:
    """Each part of these orders once, the newest first."""
    items: dict[str, tuple[LineItem, Order, str]] = {}
    orders = _visible(bureau, email)
    prefetch_related_objects([order for order, _ in orders], "line_items__base_material")
    for order, token in orders:
        for item in sorted(order.line_items.all(), key=attrgetter("pk")):
            if item.status != LineItem.Status.CANCELLED and len(items) < MAX_PARTS:
                items.setdefault(item.model_uri or item.uri, (item, order, token))
    pictures = warehouse.pictures_of({uri for uri in items if uri})
    bought = bought_at_storefront(item for item, _order, _token in items.values())
    return [
        {
            "name": item.name,
            "picture": pictures.get(uri),
            "material": item.material_name,
            "color": item.color,
            "quantity": item.quantity,
            "number": order.number,
            "line_item": item.pk,
            "token": token,
            "can_reorder": item.pk in bought,
        }
        for uri, (item, order, token) in items.items()
    ]


def _visible(bureau: str, email: str) -> list[tuple[Order, str]]:
    rows = Order.objects.filter(bureau__in=Bureau.keys_of(bureau), customer__email__iexact=email)
    orders = rows.select_related("bureau", "customer", "price_list").order_by("-pk")[:MAX_ORDERS]
    prefetch_related_objects(list(orders), "share_links")
    return [(order, token) for order in orders if (token := current_token(order))]
