"""Approvals of orders by the company of the customer: whether one is needed, and requests."""

from datetime import datetime
from decimal import Decimal
from typing import TypedDict

from django.utils import timezone

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import MessageMoment
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.models.companies import CompanyMember, CustomerCompany, OrderApproval
from apps.erp.orders.models.orders import Order
from core.errors import Conflict
from core.money import amount_text
from pricing.making import exact

_Step, _Role = OrderApproval.Step, CompanyMember.Role


class NoApprover(Conflict):
    """An order needs an approval, and the company has no member who may give it."""

    code = "no-approver"


class SharedApproval(TypedDict):
    """The last step of the approval of an order, as its customer sees it."""

    step: str
    person: str
    note: str
    at: datetime


def member_of(bureau: Bureau, email: str) -> CompanyMember | None:
    """Return the member of a company of the bureau who has this address."""
    rows = CompanyMember.objects.filter(bureau=bureau, email=email.lower())
    return rows.select_related("company__group__price_list").first() if email else None


def last_step(order: Order) -> OrderApproval | None:
    """Return the last step of the approval of an order; None without any."""
    return order.approvals.order_by("-pk").first()


def is_waiting(order: Order) -> bool:
    """Whether an approval was requested, and is not decided."""
    last = last_step(order)
    return last is not None and last.step == _Step.REQUESTED


def is_needed(order: Order, net: float | None) -> bool:
    """Whether an order of this net amount needs an approval that it does not have.

    An amount that is not known, or is in another currency than that of the bureau, needs one.
    """
    company = _company_of(order)
    if company is None or company.approval_limit is None:
        return False
    is_comparable = net is not None and order.currency == order.bureau.currency
    if is_comparable and exact(net or 0) <= company.approval_limit:
        return False
    last = last_step(order)
    is_approved = last is not None and last.step == _Step.APPROVED
    return not (is_approved and _covers(last.amount if last else None, net))


def request(order: Order, *, person: str, net: float | None) -> OrderApproval | None:
    """Request the approval of an order, and mail its approvers; None without a company.

    Raises NoApprover.
    """
    company = _company_of(order)
    if company is None:
        return None
    approvers = list(company.members.filter(role=_Role.APPROVER).values_list("email", flat=True))
    if not approvers:
        raise NoApprover(
            f"The order is above the limit of {company.name}, which has no approver: ask the shop."
        )
    row: OrderApproval = OrderApproval.objects.create(
        bureau_id=order.bureau_id,
        creator_id=order.creator_id,
        order=order,
        company=company,
        step=_Step.REQUESTED,
        person=person,
        amount=None if net is None else exact(net),
    )
    amount = "" if row.amount is None else amount_text(row.amount, order.currency)
    messages.record_for(order, MessageMoment.APPROVAL, recipients=approvers, amount=amount)
    return row


def approve_own(order: Order, member: CompanyMember, net: float | None) -> None:
    """Record that an approver has placed an order: up to its amount it needs no other approval.

    Of an order whose amount is not known nothing is recorded: its quote needs an approval.
    """
    if net is None:
        return
    OrderApproval.objects.create(
        bureau_id=order.bureau_id,
        creator_id=order.creator_id,
        order=order,
        company_id=member.company_id,
        step=_Step.APPROVED,
        person=str(member),
        email=member.email,
        amount=exact(net),
    )


def shared_approval(order: Order) -> SharedApproval | None:
    """Return the last step of the approval of an order for its customer."""
    last = last_step(order)
    if last is None:
        return None
    at = last.created or timezone.now()
    return {"step": last.step, "person": last.person, "note": last.note, "at": at}


def _company_of(order: Order) -> CustomerCompany | None:
    return order.customer.company if order.customer else None


def _covers(approved: Decimal | None, net: float | None) -> bool:
    """Whether what was approved is no less than this amount."""
    return approved is None or (net is not None and exact(net) <= approved)
