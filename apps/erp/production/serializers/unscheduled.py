"""Unscheduled pieces, as JSON."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.master_data import Material
from apps.erp.organisation.models.workflows import ProcessStep
from apps.erp.production.domain.unscheduled import Unscheduled
from core.api.openapi.response_types import Uri

MAX_PIECES = 1000  # as many as one run may have


class UnscheduledAnswer(TypedDict):
    """Pieces of a line item that wait for a run at the same step."""

    line_item: Uri
    process_step: Annotated[Uri | None, "Step that the pieces wait for; null without a workflow."]
    count: Annotated[int, "Number of pieces."]
    pieces: Annotated[list[Uri], "The pieces by number, at most 1,000 of them."]
    priority: Annotated[int | None, "Priority of the line item, or else of its order; 1 is first."]
    due_date: Annotated[datetime | None, "Due date of the order."]
    position: Annotated[int | None, "Position of the line item in the order of work."]
    hold: Annotated[bool, "Whether the line item is on hold."]
    name: Annotated[str | None, "Display name of the line item."]
    material: Annotated[Uri | None, "Material of the part."]
    order: Annotated[Uri | None, "Order of the line item."]
    order_number: Annotated[int | None, "Number of the order."]
    customer: Annotated[str | None, "Name of the customer of the order."]
    process_type: Annotated[
        Uri | None, "What does the step: a printer type, post-processor type or shipping."
    ]


def unscheduled_resource(row: Unscheduled) -> UnscheduledAnswer:
    """A line item with unscheduled pieces, as JSON."""
    material, order = row["material"], row["order"]
    return {
        "line_item": LineItem.uri_of(row["line_item"]),
        "process_step": ProcessStep.uri_of(row["step"]) if row["step"] else None,
        "count": len(row["pieces"]),
        "pieces": [Piece.uri_of(key) for key in row["pieces"][:MAX_PIECES]],
        "priority": row["priority"],
        "due_date": row["due_date"],
        "position": row["position"],
        "hold": row["hold"],
        "name": row["name"] or None,
        "material": Material.uri_of(material) if material else None,
        "order": Order.uri_of(order) if order else None,
        "order_number": row["order_number"],
        "customer": row["customer"],
        "process_type": _process_type(row),
    }


def _process_type(row: Unscheduled) -> str | None:
    keys = (row["printer_type"], row["post_processor_type"], row["shipping"])
    of_step = zip(ProcessStep.PROCESSES, keys, strict=True)
    return next((kind.uri_of(key) for kind, key in of_step if key), None)
