"""Decide about orders of a company; list what its approver decides about."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from django.db import transaction

from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import MessageMoment
from apps.erp.orders.domain import approvals
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.customer_messages.mailed_links import current_token
from apps.erp.orders.domain.customer_pages import page_at, site_of
from apps.erp.orders.models.companies import CompanyMember, OrderApproval
from apps.erp.orders.models.orders import Order, Quote
from apps.erp.orders.services import quotes
from core.errors import Conflict, NotFound
from core.queue.broker import enqueue_by_name

MAX_APPROVALS = 50
_Step = OrderApproval.Step


class UnknownApproval(NotFound):
    """The company of the approver has no such request."""


class ApprovalDecided(Conflict):
    """The request is decided, or there is a newer one."""

    code = "approval-decided"


class CustomerApproval(TypedDict):
    """A request of a buyer, as an approver of the company sees it."""

    uuid: Annotated[UUID, "Key of the request, to decide about it."]
    number: Annotated[int, "Number of the order."]
    person: Annotated[str, "Name of the buyer."]
    amount: Annotated[float | None, "Net amount; null if unknown."]
    currency: str
    created: datetime
    link: Annotated[str | None, "Address of the order's page; null if its link was revoked."]


class CompanyMembership(TypedDict):
    """The company for which a customer orders."""

    name: str
    role: Annotated[str, "`buyer` or `approver`."]


def membership_of(*, bureau: str, email: str) -> CompanyMembership | None:
    """Return the company of a customer, known by a confirmed address; None without one."""
    member = _member(bureau, email)
    return {"name": member.company.name, "role": member.role} if member else None


def requests_of(*, bureau: str, email: str) -> list[CustomerApproval]:
    """Return what waits for an approver, the oldest first; nothing for other customers."""
    member = _member(bureau, email)
    if member is None or member.role != CompanyMember.Role.APPROVER:
        return []
    steps = OrderApproval.objects.filter(company=member.company_id, order__status=Order.Status.NEW)
    last = steps.order_by("order", "-pk").distinct("order")
    rows = OrderApproval.objects.filter(pk__in=last.values("pk"), step=_Step.REQUESTED)
    site = site_of(member.bureau_id)
    return [
        {
            "uuid": row.pk,
            "number": row.order.number,
            "person": row.person,
            "amount": None if row.amount is None else float(row.amount),
            "currency": row.order.currency,
            "created": row.created,
            "link": page_at(site, token) if (token := current_token(row.order)) else None,
        }
        for row in rows.prefetch_related("order__share_links").order_by("pk")[:MAX_APPROVALS]
    ]


@transaction.atomic
def decide(*, bureau: str, email: str, key: UUID, decision: str, note: str = "") -> None:
    """Approve or decline a request by an approver of the same company.

    What is approved is confirmed: an order that needs no review by its job, another one by its
    open quote.

    Raises UnknownApproval, ApprovalDecided, and what accepting a quote raises.
    """
    member = _member(bureau, email)
    is_approver = member is not None and member.role == CompanyMember.Role.APPROVER
    rows = OrderApproval.objects.filter(pk=key, step=_Step.REQUESTED)
    row = rows.filter(company=member.company_id).first() if member and is_approver else None
    if member is None or row is None:
        raise UnknownApproval("There is no such request: reload the page.")
    locked = Order.objects.select_for_update(no_key=True, of=("self",))
    order = locked.select_related("bureau", "customer__company").get(pk=row.order_id)
    if approvals.last_step(order) != row or order.status != Order.Status.NEW:
        raise ApprovalDecided("The order is decided already: reload the page.")
    OrderApproval.objects.create(
        bureau_id=order.bureau_id,
        creator_id=order.creator_id,
        order=order,
        company_id=row.company_id,
        step=decision,
        person=str(member),
        email=member.email,
        amount=row.amount,
        note=note,
    )
    if decision == _Step.APPROVED:
        _confirm(order, row)
    else:
        _decline(order, str(member))


def _confirm(order: Order, request: OrderApproval) -> None:
    if order.is_instant:
        enqueue_by_name("confirm_storefront_order", str(order.pk))
        return
    quote = order.quotes.filter(status=Quote.Status.OPEN).first()
    if quote is None or approvals.is_needed(order, _net(quote)):
        title = "The quote has changed since the request: the buyer accepts the new one first."
        raise quotes.QuoteChanged(title)
    quotes.change(row=quote, status=Quote.Status.ACCEPTED)
    Quote.objects.filter(pk=quote.pk).update(accepted_by=request.person)
    customer = request.person
    notify(Kind.QUOTE_ACCEPTED, order, Work.SALES, number=order.number, customer=customer)


def _decline(order: Order, approver: str) -> None:
    order.is_instant = False
    order.save(update_fields=["is_instant", "updated"])
    messages.record(order, MessageMoment.DECLINED)
    notify(Kind.APPROVAL_DECLINED, order, Work.SALES, number=order.number, customer=approver)


def _net(quote: Quote) -> float | None:
    net = quote.amount if quote.net is None else quote.net
    return None if net is None else float(net)


def _member(bureau: str, email: str) -> CompanyMember | None:
    row = Bureau.objects.filter(pk__in=Bureau.keys_of(bureau)).first()
    return approvals.member_of(row, email) if row else None
