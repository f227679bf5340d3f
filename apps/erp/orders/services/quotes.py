"""Issue, accept and withdraw quotes."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.base.models.messages import MessageMoment
from apps.erp.base.services import resources
from apps.erp.orders.domain import automatic_documents, status_rollup
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.prices import line_prices
from apps.erp.orders.domain.prices.quote_lines import lines_of
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.services import line_items
from core.auth_user import Person
from core.errors import Conflict
from core.money import LARGEST_AMOUNT
from core.postgres import advisory_locks
from pricing.making import exact

_Item, _Status = LineItem.Status, Quote.Status


class NotEstimated(Conflict):
    """Line items are there whose estimate is not."""

    code = "estimate-not-ready"


class NothingToQuote(Conflict):
    """No line item waits to be confirmed."""

    code = "nothing-to-quote"


class QuoteExpired(Conflict):
    """It was offered for a time that is over."""

    code = "quote-expired"


class QuoteChanged(Conflict):
    """What was offered is not what would be made."""

    code = "quote-changed"


class QuoteAccepted(Conflict):
    """An accepted quote is a record of what was agreed."""

    code = "quote-accepted"


class AmountTooLarge(Conflict):
    """The sum of a quote has more digits than an amount may have."""

    code = "amount-too-large"


@transaction.atomic
def create(
    *, actor: Person, order: Order, valid_days: int = 30, status: str = _Status.OPEN
) -> Quote:
    """An offer of all line items of an order that wait to be confirmed; the last one is withdrawn.

    valid_days : how long it can be accepted
    """
    advisory_locks.advisory_lock(f"quotes of {order.pk}")
    items = list(_live(order))
    waiting = [item.uri for item in items if item.status in (*_UNESTIMATED, _Item.ERROR)]
    if waiting:
        raise NotEstimated(
            f"These line items have no estimate: {', '.join(waiting[:10])}. Wait until they are "
            "pending; one in error says why: change or delete it.",
            details={"line_items": waiting[:100]},
        )
    offered = [item for item in items if item.status == _Item.PENDING]
    if not offered:
        words = "No line item of the order is pending: add one, or reopen a cancelled one."
        raise NothingToQuote(words)
    for row in Quote.objects.filter(order=order, status=_Status.OPEN):
        row.move(_Status.WITHDRAWN)
    sold = line_prices.sum_of(order, offered)
    lines = lines_of(order, offered, sold)
    amounts = [line["amount"] for line in lines]
    times = [line["lead_time"] for line in lines]
    quote = resources.create(
        actor=actor,
        kind=Quote,
        order=order,
        currency=order.currency,
        lines=lines,
        amount=None if None in amounts else _sum(each for each in amounts if each is not None),
        net=sold.net if sold else None,
        taxes=sold.taxes if sold else [],
        gross=sold.gross if sold else None,
        lead_time=None if None in times else sum(times),
        expires=timezone.now() + timedelta(days=valid_days),
    )
    if status != _Status.OPEN:
        raise TransitionRefused(quote, status, "a quote begins as open.")
    messages.record(order, MessageMoment.PRICED, valid_until=quote.expires)
    automatic_documents.enqueue_quote(order)
    return quote


@transaction.atomic
def change(*, row: Quote, status: str) -> None:
    """Accept a quote, or withdraw it."""
    advisory_locks.advisory_lock(f"quotes of {row.order.pk}")
    row.refresh_from_db()
    if status == row.status:
        return
    if status not in row.asked:
        raise TransitionRefused(row, status, "only an open quote is accepted or withdrawn.")
    if status == _Status.WITHDRAWN:
        row.move(status)
    else:
        _accept(row)


@transaction.atomic
def delete(*, row: Quote) -> None:
    """Delete a quote that nobody accepted."""
    advisory_locks.advisory_lock(f"quotes of {row.order.pk}")
    row.refresh_from_db()
    if row.status == _Status.ACCEPTED:
        words = "The quote was accepted, and is kept: it says what was agreed."
        raise QuoteAccepted(words)
    resources.delete(row=row)


def _accept(quote: Quote) -> None:
    """Confirm all that was offered, if it is still what would be made."""
    now = timezone.now()
    if quote.expires <= now:
        raise QuoteExpired(
            f"The quote could be accepted until {quote.expires.isoformat()}: make a new one.",
            details={"expires": quote.expires.isoformat()},
        )
    order = quote.order
    items = status_rollup.lock_line_items(_live(order).values_list("pk", flat=True))
    offered = {line["line_item"] for line in quote.lines}
    there = [item for item in items if item.uri in offered or item.status in LineItem.OPEN]
    sold = line_prices.sum_of(order, there)
    lines = {line["line_item"]: line for line in lines_of(order, there, sold)}
    before = {line["line_item"]: line for line in quote.lines}
    changed = sorted(
        uri or order.uri
        for uri in before.keys() | lines.keys()
        if before.get(uri) != lines.get(uri)
    )
    if changed:
        raise QuoteChanged(
            f"Since this was offered these have changed: {', '.join(changed[:10])}. "
            "Make a new quote.",
            details={"changed": changed[:100]},
        )
    confirmed = [item for item in there if item.status == _Item.PENDING]
    for item in confirmed:
        line_items.confirm(item)
    quote.move(_Status.ACCEPTED, accepted=now)
    status_rollup.follow_orders([order.pk], news=confirmed)


def _sum(amounts: Iterable[float]) -> Decimal:
    total = sum(map(exact, amounts), Decimal())
    if total > LARGEST_AMOUNT:
        raise AmountTooLarge(
            f"The order comes to {total:,f}, and an amount is at most {LARGEST_AMOUNT:,f}: divide "
            "the order, or check its prices."
        )
    return total


_UNESTIMATED = (_Item.NEW, _Item.CALCULATING)


def _live(order: Order) -> Any:
    return order.line_items.exclude(status=_Item.CANCELLED).order_by("pk")
