"""Emits status events of orders, line items, pieces, runs and attempts."""

from collections.abc import Iterable
from typing import Any

from django.db.models import prefetch_related_objects

from apps.callbacks import interface as callbacks


def emit_status(row: Any) -> None:
    """Tell the new status of an order, line item, piece or run, and what came with it.

    It goes to the account that made the row, or the line item of a piece, and to the bureau's
    people. Call it after all locks are taken: other events of the bureau wait for the transaction
    to end.
    """
    emit_statuses([row])


def emit_statuses(rows: Iterable[Any]) -> None:
    """Tell the new status of many rows at once."""
    rows = list(rows)
    for kind in {type(row) for row in rows}:
        prefetch_related_objects([row for row in rows if type(row) is kind], *kind.EVENT_RELATIONS)
    callbacks.emit_statuses(rows)
