"""Status roll-up of orders from their line items, and locks of both.

Whatever changes a state takes its locks in one order: a run, line items by key, their orders by
key, pieces by key; what happened is sent at the end.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q

from apps.erp.base.domain.events import emit_statuses
from apps.erp.orders.domain import automatic_documents
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.models.orders import LineItem, Order
from core.queue.broker import enqueue_by_name
from core.state_machine import transition_all

_Item, _Order = LineItem.Status, Order.Status
STARTED = (_Item.PRINTING, _Item.POST_PROCESSING, _Item.SHIPPING)
_AT_WORK = (_Item.QUEUED, *STARTED, _Item.COMPLETE)


def lock_line_items(line_item_keys: Iterable[UUID]) -> list[LineItem]:
    """These line items, locked with their orders until the transaction ends."""
    items = list(_locked(LineItem, line_item_keys))
    list(_locked(Order, {item.order_id for item in items if item.order_id}))
    return items


@transaction.atomic
def follow_orders(order_keys: Iterable[UUID], *, news: Iterable[Any] = ()) -> None:
    """Set the status of orders by their line items; their customers get messages about it.

    news : further rows that have a new status, sent together with these
    """
    orders, news = list(_locked(Order, order_keys)), list(news)
    before = {order.pk: str(order.status) for order in orders}
    facts = count_facts(LineItem, "order", [order.pk for order in orders], _ORDER_FACTS)
    found = {order: _status_of_order(facts.get(order.pk)) for order in orders}
    changed = set_statuses(
        {order: status for order, status in found.items() if order.status != status}
    )
    for order in changed:
        messages.record_status(order, before[order.pk])
        if order.awaits_payment:
            enqueue_by_name("release_paid_order", str(order.pk))  # nothing may be to be paid
    settled = _settled_orders(row for row in news if isinstance(row, LineItem))
    for order in orders:
        if order in changed or order.pk in settled or not news:
            automatic_documents.enqueue_invoice(order)
    emit_statuses([*news, *changed])


def _settled_orders(items: Iterable[LineItem]) -> set[UUID | None]:
    """The orders of those line items that are confirmed or cancelled."""
    settled = (_Item.CONFIRMED, _Item.CANCELLED)
    return {item.order_id for item in items if item.status in settled}


# ---------------------------------------------------------------- the rules

_ORDER_FACTS = {
    "live": ~Q(status=_Item.CANCELLED),
    "cancelled": Q(status=_Item.CANCELLED),
    "confirmed": Q(status=_Item.CONFIRMED),
    "at_work": Q(status__in=_AT_WORK),
    "complete": Q(status=_Item.COMPLETE),
}


def _status_of_order(facts: dict[str, int] | None) -> str:
    """How far it has come: what is cancelled does not count unless all is."""
    if not facts:
        return _Order.NEW
    if not facts["live"]:
        return _Order.CANCELLED
    if facts["complete"] == facts["live"]:
        return _Order.COMPLETE
    if facts["at_work"]:
        return _Order.IN_PROGRESS
    return _Order.CONFIRMED if facts["confirmed"] else _Order.NEW


# ---------------------------------------------------------------- rows


def count_facts(
    kind: Any, parent: str, keys: list[UUID], facts: dict[str, Q]
) -> dict[UUID, dict[str, int]]:
    """How many rows below each parent are what the facts ask; nothing where there are none."""
    rows = kind.objects.filter(**{f"{parent}__in": keys}).values(parent)
    counts = {f"n_{at}": Count("pk", filter=asked) for at, asked in enumerate(facts.values())}
    return {
        row[parent]: {name: row[f"n_{at}"] for at, name in enumerate(facts)}
        for row in rows.annotate(**counts).order_by()
    }


def _locked(kind: Any, keys: Iterable[UUID]) -> Any:
    rows = kind.objects.filter(pk__in=set(keys))
    return rows.select_for_update(no_key=True, of=("self",)).order_by("pk")


def set_statuses(found: dict[Any, str]) -> list[Any]:
    """Write the new states, a statement a state; the rows."""
    for status in set(found.values()):
        transition_all([row for row, new in found.items() if new == status], status)
    return list(found)
