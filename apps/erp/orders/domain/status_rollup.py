"""Status roll-up: line items from pieces, orders from line items.

Whatever changes a state takes its locks in one order: a run, line items by key, their orders by
key, pieces by key; what happened is told at the end.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q

from apps.erp.base.domain.events import tell_all
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.production.models.runs import Piece, Run
from core.state_machine import transition_all

_Item, _Order, _Piece = LineItem.Status, Order.Status, Piece.Status

_STARTED = (_Item.PRINTING, _Item.POST_PROCESSING, _Item.SHIPPING)
_AT_WORK = (_Item.QUEUED, *_STARTED, _Item.COMPLETE)

# A line item's state while pieces of it go through a run of this operation, the earliest first.
_STATE_OF = {
    Run.Operation.PRINTING: _Item.PRINTING,
    Run.Operation.POST_PROCESSING: _Item.POST_PROCESSING,
    Run.Operation.SHIPPING: _Item.SHIPPING,
}


def lock_line_items(line_item_keys: Iterable[UUID]) -> list[LineItem]:
    """These line items, locked with their orders until the transaction ends."""
    items = list(_locked(LineItem, line_item_keys))
    list(_locked(Order, {item.order_id for item in items if item.order_id}))
    return items


@transaction.atomic
def roll_up(line_item_keys: Iterable[UUID], *, news: Iterable[Any] = ()) -> None:
    """Set the status of line items by their pieces, and of their orders by the line items.

    news : further rows that have a new status, told together with these
    """
    items = lock_line_items(line_item_keys)
    facts = _facts_of([item.pk for item in items])
    found = {item: _status_of_line_item(item, facts.get(item.pk, {})) for item in items}
    changed = _set({item: status for item, status in found.items() if item.status != status})
    follow_orders({item.order_id for item in changed if item.order_id}, news=[*news, *changed])


@transaction.atomic
def follow_orders(order_keys: Iterable[UUID], *, news: Iterable[Any] = ()) -> None:
    """Set the status of orders by their line items; `news` as above."""
    orders = list(_locked(Order, order_keys))
    facts = _counted(LineItem, "order", [order.pk for order in orders], _ORDER_FACTS)
    found = {order: _status_of_order(facts.get(order.pk)) for order in orders}
    changed = _set({order: status for order, status in found.items() if order.status != status})
    tell_all([*news, *changed])


# ---------------------------------------------------------------- the rules

_WAITS_FOR_PRINTING = Q(step=None) | Q(step__printer_type__isnull=False)
_PIECE_FACTS = {
    "complete": Q(status=_Piece.COMPLETE),
    "queued": Q(status=_Piece.QUEUED),
    "unprinted": Q(status__in=(_Piece.CREATED, _Piece.QUEUED)) & _WAITS_FOR_PRINTING,
    **{
        operation.value: Q(status=_Piece.IN_PROGRESS, place__run__operation=operation)
        for operation in _STATE_OF
    },
}
_ORDER_FACTS = {
    "live": ~Q(status=_Item.CANCELLED),
    "cancelled": Q(status=_Item.CANCELLED),
    "confirmed": Q(status=_Item.CONFIRMED),
    "at_work": Q(status__in=_AT_WORK),
    "complete": Q(status=_Item.COMPLETE),
}


def _status_of_line_item(item: LineItem, facts: dict[str, int]) -> str:
    """What its pieces make it.

    The earliest operation that is under way, or printing where that is still to be done for some;
    between two steps it stays what it was.
    """
    if item.status not in LineItem.FOLLOWING or not facts:
        return item.status
    if facts["complete"] >= item.quantity:
        return _Item.COMPLETE
    running = [state for operation, state in _STATE_OF.items() if facts[operation]]
    started = bool(running or facts["complete"] or item.status in _STARTED)
    if not started:
        return _Item.QUEUED if facts["queued"] else _Item.CONFIRMED
    if facts["unprinted"]:
        return _Item.PRINTING
    return running[0] if running else item.status


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


def _facts_of(keys: list[UUID]) -> dict[UUID, dict[str, int]]:
    return _counted(Piece, "line_item", keys, _PIECE_FACTS)


def _counted(
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


def _set(found: dict[Any, str]) -> list[Any]:
    """Write the new states, a statement a state; the rows."""
    for status in set(found.values()):
        transition_all([row for row, new in found.items() if new == status], status)
    return list(found)
