"""Changes of state of orders, line items, pieces and runs, told to whoever made them."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from apps.callbacks import interface as callbacks
from apps.erp.models import LineItem, Piece
from apps.erp.pricing import news_of


def tell(row: Any, **changes: Any) -> None:
    """Tell the new status of an order, line item, piece or run, and what came with it.

    It goes to the account that made the row, or the line item of a piece. Call it after all
    locks are taken: other events of the account wait for the transaction to end.
    """
    tell_all([row], **changes)


def tell_all(rows: Iterable[Any], **changes: Any) -> None:
    """Tell the new status of many rows at once."""
    rows = list(rows)
    makers = _makers_of_line_items(row.line_item_id for row in rows if isinstance(row, Piece))
    callbacks.emit_all(
        callbacks.Change(
            uri=row.uri,
            owner_id=makers[row.line_item_id] if isinstance(row, Piece) else row.creator_id,
            changes={"status": row.status, **_came_with(row), **changes},
        )
        for row in rows
    )


def _came_with(row: Any) -> dict[str, Any]:
    """What is told with a status wherever it is told."""
    if isinstance(row, LineItem) and row.status == LineItem.Status.PENDING:
        return news_of(row.estimates)
    return {}


def _makers_of_line_items(keys: Iterable[UUID]) -> dict[UUID, UUID]:
    wanted = set(keys)
    if not wanted:
        return {}
    rows = LineItem.objects.filter(pk__in=wanted)
    return dict(rows.values_list("pk", "creator_id"))
