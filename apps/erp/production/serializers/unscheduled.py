"""Unscheduled pieces, as JSON."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.workflows import ProcessStep
from apps.erp.production.domain.unscheduled import Unscheduled
from core.api.response_types import Uri

MAX_PIECES = 1000  # as many as one run may have


class UnscheduledAnswer(TypedDict):
    """Pieces of a line item that wait for a run at the same step."""

    line_item: Uri
    process_step: Annotated[Uri | None, "Step that the pieces wait for; null without a workflow."]
    count: Annotated[int, "Number of pieces."]
    pieces: Annotated[list[Uri], "The pieces by number, at most 1,000 of them."]
    priority: Annotated[int | None, "Priority of the line item, or else of its order; 1 is first."]
    due_date: Annotated[datetime | None, "Due date of the order."]


def unscheduled_resource(found: Unscheduled) -> UnscheduledAnswer:
    """A line item with unscheduled pieces, as JSON."""
    return {
        "line_item": LineItem.uri_of(found["line_item"]),
        "process_step": ProcessStep.uri_of(found["step"]) if found["step"] else None,
        "count": len(found["pieces"]),
        "pieces": [Piece.uri_of(key) for key in found["pieces"][:MAX_PIECES]],
        "priority": found["priority"],
        "due_date": found["due_date"],
    }
