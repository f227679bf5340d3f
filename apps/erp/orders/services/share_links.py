"""Share links of orders: create, use, and accept a quote by one."""

import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.base.models.messages import StaffMoment
from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.orders.domain import approvals
from apps.erp.orders.domain.approvals import SharedApproval
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.documents.document_files import SharedDocument, shared_documents
from apps.erp.orders.domain.payments import SharedPayment, shared_payment
from apps.erp.orders.domain.prices.order_totals import (
    OrderTotals,
    latest_quote,
    totals_of_order,
    totals_of_quote,
)
from apps.erp.orders.domain.prices.quote_lines import lines_of
from apps.erp.orders.domain.shared_reports import SharedReport, shared_reports
from apps.erp.orders.domain.shared_shipments import (
    SharedShipment,
    is_partly_shipped,
    last_shipped_at,
    shared_shipments,
)
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.models.share_links import ShareLink, hashed
from apps.erp.orders.models.storefronts import Storefront
from apps.erp.orders.services import price_lists, quotes
from apps.erp.organisation.domain.finishing import finishes_of
from apps.users import interface as users
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import Conflict, NotFound
from core.web import throttling

TOKEN_BYTES = 16
MAX_UNKNOWN, QUARTER = 60, 900  # unknown tokens of a network in a window of so many seconds
MAX_LINES = 500


class UnknownShareLink(NotFound):
    """No link has this token, or it is revoked or over."""


class NoOpenQuote(Conflict):
    """The order has no quote that could be accepted."""

    code = "no-open-quote"


class ApprovalPending(Conflict):
    """The order waits for an approver of the customer's company."""

    code = "approval-pending"


class ShareLinkRevoked(Conflict):
    """A revoked link gets no new address."""

    code = "share-link-revoked"


class Step(TypedDict):
    """A step of an order, such as production, and when it was reached, where that is known."""

    name: str
    done: bool
    at: datetime | None


class SharedLine(TypedDict):
    """A part of an order as its customer sees it; `net` is null while it has no price."""

    name: str
    picture: str | None
    material: str
    color: str | None
    finishes: list[str]
    quantity: int
    support_strategy: str | None
    infill_strategy: str | None
    layer_thickness: float | None
    net: float | None
    report: SharedReport | None


class SharedQuote(TypedDict):
    """The last quote of an order; amounts are null where that of a line is not known."""

    status: str
    valid_until: datetime
    totals: OrderTotals
    accepted_by: str
    accepted_at: datetime | None


class SharedOrder(TypedDict):
    """An order as its customer sees it: prices, no costs."""

    number: int
    status: str
    steps: list[Step]
    lines: list[SharedLine]
    totals: OrderTotals
    due_date: datetime | None
    quote: SharedQuote | None
    can_accept: bool
    storefront: str | None
    payment: SharedPayment | None
    documents: list[SharedDocument]
    shipments: list[SharedShipment]
    approval: SharedApproval | None


def create(*, actor: Person, order: Order, **values: object) -> ShareLink:
    """A link of an order, without a token. Raises MissingRight without the right to prices."""
    price_lists.require(actor, order.bureau)
    return create_link(creator=actor, order=order, **values)


def create_link(*, creator: Person, order: Order, **values: object) -> ShareLink:
    """A link of an order that the platform itself makes."""
    row: ShareLink = resources.create(actor=creator, kind=ShareLink, order=order, **values)
    return row


def change(*, actor: Person, row: ShareLink, **values: object) -> None:
    """Change its end, or revoke it."""
    price_lists.require(actor, row.bureau)
    resources.change(actor=actor, row=row, **values)


def new_token(*, row: ShareLink) -> str:
    """Return a new token of a link; an earlier one cannot be used any more.

    Raises ShareLinkRevoked.
    """
    if row.revoked:
        raise ShareLinkRevoked("The share link is revoked: create another one.")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    row.token_sha256 = hashed(token)
    row.save(update_fields=["token_sha256", "updated"])
    return token


def find(token: str, *, address: str) -> ShareLink:
    """The usable link with this token. Raises UnknownShareLink.

    address : of the client; a network may try few wrong tokens
    """
    allowed = {f"share_links {throttling.client_prefix(address)}": MAX_UNKNOWN}
    with throttling.limit_failures(allowed, QUARTER, of=UnknownShareLink):
        usable = ShareLink.objects.filter(Q(expires=None) | Q(expires__gt=timezone.now()))
        links = usable.filter(token_sha256=hashed(token), revoked=False)
        link = links.select_related("order__bureau").first()
        if link is None:
            raise UnknownShareLink(
                "There is no such link, or it was revoked or has expired: ask the shop for one."
            )
    return link


def shared_order(order: Order) -> SharedOrder:
    """Return what a customer sees of an order."""
    items = list(
        order.line_items.exclude(status=LineItem.Status.CANCELLED)
        .select_related("base_material", "workflow")
        .prefetch_related("workflow__steps__post_processor_type")
        .order_by("pk")[:MAX_LINES]
    )
    pictures = warehouse.pictures_of({item.model_uri for item in items if item.model_uri})
    amounts = {line["line_item"]: line["amount"] for line in lines_of(order, items, None)}
    reports, bought = shared_reports(items), bought_at_storefront(items)
    latest = latest_quote(order)
    status = _status(order, items, latest)
    totals = totals_of_order(order)
    return {
        "number": order.number,
        "status": status,
        "steps": _steps(order, status, latest),
        "lines": [
            {
                "name": item.name,
                "picture": pictures.get(item.model_uri or ""),
                "material": item.material_name,
                "color": item.color,
                "finishes": [kind.name for kind in finishes_of(item.workflow) if item.pk in bought],
                "quantity": item.quantity,
                "support_strategy": item.support_strategy or None,
                "infill_strategy": item.infill_strategy or None,
                "layer_thickness": item.layer_thickness,
                "net": amounts[item.uri],
                "report": reports.get(item.pk),
            }
            for item in items
        ],
        "totals": totals,
        "due_date": order.due_date,
        "quote": _quote(latest),
        "storefront": _storefront_of(order, bought),
        "can_accept": latest is not None
        and _is_open(latest)
        and not approvals.is_waiting(order)
        and not any(report["needs_decision"] for report in reports.values()),
        "payment": shared_payment(order, totals),
        "documents": shared_documents(order),
        "shipments": shared_shipments(order),
        "approval": approvals.shared_approval(order),
    }


def _storefront_of(order: Order, bought: set[UUID]) -> str | None:
    """The slug of a storefront at which parts of the order can be ordered again.

    bought : line items that were ordered at a storefront
    """
    if not bought:
        return None
    rows = Storefront.objects.filter(bureau=order.bureau_id, enabled=True).order_by("pk")
    of_list = rows.filter(price_list=order.price_list_id).first()
    row = of_list or rows.first()
    return row.slug if row else None


def bought_at_storefront(items: Iterable[LineItem]) -> set[UUID]:
    """Return the line items that visitors have ordered: all their post-processing was chosen.

    They have the price of a cell, or a file of a visitor, which has another price once it
    replaces the one that was ordered.
    """
    items = list(items)
    owners = warehouse.owners_of({item.model_uri for item in items if item.model_uri})
    guests = users.guests.guests_among(owners.values())
    return {
        item.pk
        for item in items
        if (item.price and item.price.get("agreed")) or owners.get(item.model_uri or "") in guests
    }


@transaction.atomic
def accept(*, order: Order, name: str) -> None:
    """Accept the open quote of an order in the name of its customer.

    One that is above the limit of the customer's company waits for an approver instead.

    Raises NoOpenQuote.
    """
    quote = order.quotes.filter(status=Quote.Status.OPEN).first()
    if quote is None:
        raise NoOpenQuote("The order has no open quote: reload the page, or ask the shop for one.")
    if approvals.is_waiting(order):
        raise ApprovalPending("The order waits for an approver of your company.")
    net = totals_of_quote(quote)["net"]
    if approvals.is_needed(order, net):
        approvals.request(order, person=name, net=net)
        return
    quotes.change(row=quote, status=Quote.Status.ACCEPTED)
    Quote.objects.filter(pk=quote.pk).update(accepted_by=name)
    messages.record_for_staff(order, StaffMoment.QUOTE_ACCEPTED)
    notify(Kind.QUOTE_ACCEPTED, order, Work.SALES, number=order.number, customer=name)


def status_of(order: Order) -> str:
    """Return the step that an order is at."""
    items = [row for row in order.line_items.all() if row.status != LineItem.Status.CANCELLED]
    return _status(order, items, latest_quote(order))


def _is_open(quote: Quote) -> bool:
    return quote.status == Quote.Status.OPEN and quote.expires > timezone.now()


def _quote(quote: Quote | None) -> SharedQuote | None:
    if quote is None:
        return None
    return {
        "status": quote.status,
        "valid_until": quote.expires,
        "totals": totals_of_quote(quote),
        "accepted_by": quote.accepted_by,
        "accepted_at": quote.accepted,
    }


def _status(order: Order, items: list[LineItem], quote: Quote | None) -> str:
    """The step that an order is at."""
    match order.status:
        case Order.Status.CANCELLED:
            return "cancelled"
        case Order.Status.COMPLETE:
            return "ready" if is_partly_shipped(order) else "shipped"
        case Order.Status.IN_PROGRESS:
            waits = {LineItem.Status.SHIPPING, LineItem.Status.COMPLETE}
            return "ready" if {item.status for item in items} <= waits else "production"
        case Order.Status.CONFIRMED:
            return "confirmed"
    return "quote" if quote is not None and _is_open(quote) else "review"


def _steps(order: Order, status: str, quote: Quote | None) -> list[Step]:
    states = callbacks.state_times(order.uri)
    if status == "cancelled":
        at = states.get(Order.Status.CANCELLED)
        return [
            {"name": "received", "done": True, "at": order.created},
            {"name": "cancelled", "done": True, "at": at},
        ]
    before = [status] if status in ("quote", "review") else ["quote"] if quote is not None else []
    names = ["received", *before, "confirmed", "production", "ready", "shipped"]
    reached = names.index(status)
    settled = status in ("confirmed", "shipped")  # these are reached and over at once
    times = {
        "received": order.created,
        "quote": quote.created if quote else None,
        "confirmed": (quote and quote.accepted) or states.get(Order.Status.CONFIRMED),
        "production": states.get(Order.Status.IN_PROGRESS),
        "shipped": last_shipped_at(order) or states.get(Order.Status.COMPLETE),
    }
    return [
        {
            "name": name,
            "done": at < reached or (at == reached and settled),
            "at": times.get(name) if at <= reached else None,
        }
        for at, name in enumerate(names)
    ]
