"""Offering what an order would cost, and accepting it."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.erp.domain import costing, progress
from apps.erp.domain.pricing import Term, exact, number
from apps.erp.domain.states import IllegalMove
from apps.erp.models import LineItem, Order, Quote
from apps.erp.services import line_items, rows
from core import locks
from core.errors import Conflict
from core.money import rounded

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


@transaction.atomic
def create(*, actor: Any, order: Order, valid_days: int = 30, status: str = _Status.OPEN) -> Quote:
    """An offer of all line items of an order that wait to be confirmed; the last one is withdrawn.

    valid_days : how long it can be accepted
    """
    locks.hold(f"quotes of {order.pk}")
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
    lines = _lines(order, offered)
    amounts = [line["amount"] for line in lines]
    times = [line["lead_time"] for line in lines]
    quote = rows.create(
        actor=actor,
        kind=Quote,
        order=order,
        currency=order.currency,
        lines=lines,
        amount=None if None in amounts else sum(map(exact, amounts), Decimal()),
        lead_time=None if None in times else sum(times),
        expires=timezone.now() + timedelta(days=valid_days),
    )
    if status != _Status.OPEN:
        raise IllegalMove(quote, status, "a quote begins as open.")
    return quote


@transaction.atomic
def change(*, quote: Quote, status: str) -> None:
    """Accept a quote, or withdraw it."""
    locks.hold(f"quotes of {quote.order.pk}")
    quote.refresh_from_db()
    if status == quote.status:
        return
    if status not in quote.asked:
        raise IllegalMove(quote, status, "only an open quote is accepted or withdrawn.")
    if status == _Status.WITHDRAWN:
        quote.move(status)
    else:
        _accept(quote)


@transaction.atomic
def delete(*, quote: Quote) -> None:
    """Delete a quote that nobody accepted."""
    locks.hold(f"quotes of {quote.order.pk}")
    quote.refresh_from_db()
    if quote.status == _Status.ACCEPTED:
        words = "The quote was accepted, and is kept: it says what was agreed."
        raise QuoteAccepted(words)
    rows.delete(row=quote)


def _accept(quote: Quote) -> None:
    """Confirm all that was offered, if it is still what would be made."""
    now = timezone.now()
    if quote.expires <= now:
        raise QuoteExpired(
            f"The quote could be accepted until {quote.expires.isoformat()}: make a new one.",
            details={"expires": quote.expires.isoformat()},
        )
    order = quote.order
    items = progress.lock(_live(order).values_list("pk", flat=True))
    offered = {line["line_item"] for line in quote.lines}
    there = [item for item in items if item.uri in offered or item.status in LineItem.OPEN]
    lines = {line["line_item"]: line for line in _lines(order, there)}
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
    progress.follow_orders([order.pk], news=confirmed)


# ---------------------------------------------------------------- lines

_UNESTIMATED = (_Item.NEW, _Item.CALCULATING)


def _live(order: Order) -> Any:
    return order.line_items.exclude(status=_Item.CANCELLED).order_by("pk")


def _lines(order: Order, items: Iterable[LineItem]) -> list[dict[str, Any]]:
    """What is offered: one a line item, and one for the order's own way of shipping.

    The latter only where no line item's workflow has a step that ships.
    """
    lines = [_line(item) for item in items]
    shipped = any(term["name"] == "shipping" for line in lines for term in line["terms"])
    if order.shipping is None or shipped:
        return lines
    return [*lines, _shipping_line(order, costing.shipping_term(order.shipping))]


def _line(item: LineItem) -> dict[str, Any]:
    found = item.estimates or {}
    links = {
        name: getattr(item, name).uri if getattr(item, name) else None
        for name in ("base_material", "support_material", "workflow")
    }
    return {
        "line_item": item.uri,
        "name": item.name,
        "quantity": item.quantity,
        "model": item.model_uri,
        "materials": {"base": links["base_material"], "support": links["support_material"]},
        "workflow": links["workflow"],
        "config": item.config_uri,
        "amount": found.get("cost", {}).get("amount"),
        "lead_time": found.get("lead_time"),
        "lead_time_reason": found.get("lead_time_reason"),
        "terms": found.get("terms", []),
        "conversion": found.get("conversion"),
    }


def _shipping_line(order: Order, term: Term) -> dict[str, Any]:
    rate = costing.rate_of(order.bureau, order.currency)
    amount = None if term.amount is None else rate.convert(term.amount)
    return {
        "line_item": None,
        "name": "shipping",
        "quantity": 1,
        "model": None,
        "materials": {"base": None, "support": None},
        "workflow": None,
        "config": None,
        "amount": None if amount is None else number(rounded(amount, order.currency)),
        "lead_time": 0,
        "lead_time_reason": None,
        "terms": [term.as_json()],
        "conversion": rate.as_json(),
    }
