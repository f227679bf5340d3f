"""Starts and restarts estimates; reprices line items."""

from collections.abc import Iterable

from apps.erp.orders.actors.estimates import estimate_line_item
from apps.erp.orders.domain import status_rollup
from apps.erp.orders.domain.prices import cost_terms, line_prices
from apps.erp.orders.models.orders import LineItem
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from core.queue.row_jobs import enqueue

_Status = LineItem.Status
_NOTHING = {"estimates": None, "slice_uri": None, "errors": None, "price": None, "review": None}


def begin(row: LineItem) -> None:
    """Have a new line item estimated."""
    enqueue(estimate_line_item, row, owner=row.creator_id)


def restart(row: LineItem) -> None:
    """What a line item, which the caller has locked, is estimated by has changed.

    A cancelled one is estimated when it is reopened.
    """
    if row.status in (_Status.PENDING, _Status.ERROR):
        row.move(_Status.CALCULATING, **_NOTHING)
    else:
        for name, value in _NOTHING.items():
            setattr(row, name, value)
        row.save(update_fields=[*_NOTHING, "updated"])
    if row.status != _Status.CANCELLED:
        enqueue(estimate_line_item, row, owner=row.creator_id)


def reprice(rows: Iterable[LineItem]) -> None:
    """What these are sold for has changed: those that are pending have their price anew.

    The caller holds a transaction. What is confirmed keeps its price.
    """
    keys = [row.pk for row in rows if row.status == _Status.PENDING]
    for row in status_rollup.lock_line_items(keys):
        if row.status != _Status.PENDING or row.estimates is None:
            continue
        model = warehouse.get_model_unchecked(row.model_uri) if row.model_uri else None
        sliced = slicing.get_slice_unchecked(row.slice_uri) if row.slice_uri else None
        if sliced is not None and sliced.status != "processed":
            sliced = None
        row.price = None  # what was agreed on before holds no more
        made = line_prices.made_of(sliced, "there is no slice.")
        piece = cost_terms.stored_piece_cost(row.estimates, row.quantity)
        found = line_prices.priced(row, model=model, made=made, piece=piece)
        for name, value in found.items():
            setattr(row, name, value)
        row.save(update_fields=[*found, "updated"])
