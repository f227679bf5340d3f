"""Issue, accept and withdraw quotes."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.base.services import resources
from apps.erp.orders.domain import cost_terms, line_prices, status_rollup
from apps.erp.orders.domain.cost_estimate import number, term_json
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.services import line_items
from core.auth_user import Person
from core.errors import Conflict
from core.money import rounded
from core.postgres import advisory_locks
from pricing.making import CostTerm, exact

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
    lines = _lines(order, offered, sold)
    amounts = [line["amount"] for line in lines]
    times = [line["lead_time"] for line in lines]
    quote = resources.create(
        actor=actor,
        kind=Quote,
        order=order,
        currency=order.currency,
        lines=lines,
        amount=None if None in amounts else sum(map(exact, amounts), Decimal()),
        net=sold.net if sold else None,
        taxes=sold.taxes if sold else [],
        gross=sold.gross if sold else None,
        lead_time=None if None in times else sum(times),
        expires=timezone.now() + timedelta(days=valid_days),
    )
    if status != _Status.OPEN:
        raise TransitionRefused(quote, status, "a quote begins as open.")
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
    lines = {line["line_item"]: line for line in _lines(order, there, sold)}
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


# ---------------------------------------------------------------- lines

_UNESTIMATED = (_Item.NEW, _Item.CALCULATING)


def _live(order: Order) -> Any:
    return order.line_items.exclude(status=_Item.CANCELLED).order_by("pk")


def _lines(
    order: Order, items: Iterable[LineItem], sold: line_prices.Sum | None
) -> list[dict[str, Any]]:
    """What is offered: one a line item, and one for what is asked once of the order.

    At cost that is its own way of shipping, where no line item's workflow has a step that ships;
    by a list of prices what the list says.
    """
    lines = [_line(item) for item in items]
    if sold is not None:
        return [*lines, _order_line(order, sold)] if _asks_once(sold) else lines
    shipped = any(term["name"] == "shipping" for line in lines for term in line["terms"])
    if order.shipping is None or shipped:
        return lines
    return [*lines, _shipping_line(order, cost_terms.shipping_term(order.shipping))]


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
        "amount": _amount_of(item),
        "lead_time": found.get("lead_time"),
        "lead_time_reason": found.get("lead_time_reason"),
        "terms": found.get("terms", []),
        "conversion": found.get("conversion"),
        "price": item.price,
        "review": _for_customers(item.review),
    }


def _amount_of(item: LineItem) -> float | None:
    """What it is sold for; at cost where no list sells it."""
    if item.price is not None:
        return item.price["net"]
    cost = (item.estimates or {}).get("cost", {})
    return None if item.review else cost.get("amount")


def _for_customers(review: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """Why there is no price, without what only the bureau is told."""
    return review and [{"code": each["code"], "title": each["title"]} for each in review]


def _asks_once(sold: line_prices.Sum) -> bool:
    return bool(sold.review) or (sold.once is not None and bool(sold.once.terms))


def _order_line(order: Order, sold: line_prices.Sum) -> dict[str, Any]:
    price, review = None, None
    if sold.once is not None:
        terms = sold.once.terms
        price = {
            "net": number(sold.once.net),
            "currency": order.currency,
            "terms": [
                {"step": term.step, "sentence": term.sentence, "amount": number(term.amount)}
                for term in terms
            ],
        }
    else:
        review = [{"code": each.code, "title": each.title} for each in sold.review]
    return {
        **_ORDERS_OWN,
        "name": "order",
        "amount": price and price["net"],
        "terms": [],
        "conversion": None,
        "price": price,
        "review": review,
    }


# Of a line that is no line item's.
_ORDERS_OWN: dict[str, Any] = {
    "line_item": None,
    "quantity": 1,
    "model": None,
    "materials": {"base": None, "support": None},
    "workflow": None,
    "config": None,
    "lead_time": 0,
    "lead_time_reason": None,
}


def _shipping_line(order: Order, term: CostTerm) -> dict[str, Any]:
    rate = cost_terms.rate_of(order.bureau, order.currency)
    amount = rate.convert(term.amount)
    return {
        **_ORDERS_OWN,
        "name": "shipping",
        "amount": None if amount is None else number(rounded(amount, order.currency)),
        "terms": [term_json(term)],
        "conversion": rate.as_json(),
        "price": None,
        "review": None,
    }
