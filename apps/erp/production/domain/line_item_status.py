"""Status roll-up of line items from their pieces."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.erp.orders.domain.status_rollup import (
    STARTED,
    count_facts,
    follow_orders,
    lock_line_items,
    set_statuses,
)
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.pieces import Piece
from apps.erp.production.models.runs import Run

_Item, _Piece = LineItem.Status, Piece.Status

# A line item's state while pieces of it go through a run of this operation, the earliest first.
_STATE_OF = {
    Run.Operation.PRINTING: _Item.PRINTING,
    Run.Operation.POST_PROCESSING: _Item.POST_PROCESSING,
    Run.Operation.SHIPPING: _Item.SHIPPING,
}


@transaction.atomic
def roll_up(line_item_keys: Iterable[UUID], *, news: Iterable[Any] = ()) -> None:
    """Set the status of line items by their pieces, and of their orders by the line items.

    news : further rows that have a new status, sent together with these
    """
    items = lock_line_items(line_item_keys)
    facts = count_facts(Piece, "line_item", [item.pk for item in items], _PIECE_FACTS)
    found = {item: _status_of_line_item(item, facts.get(item.pk, {})) for item in items}
    changed = set_statuses(
        {item: status for item, status in found.items() if item.status != status}
    )
    follow_orders({item.order_id for item in changed if item.order_id}, news=[*news, *changed])


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
    started = bool(running or facts["complete"] or item.status in STARTED)
    if not started:
        return _Item.QUEUED if facts["queued"] else _Item.CONFIRMED
    if facts["unprinted"]:
        return _Item.PRINTING
    return running[0] if running else item.status
