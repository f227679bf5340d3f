"""Unscheduled pieces of a bureau: by line item and step, the most urgent first."""

from datetime import datetime
from typing import TypedDict, cast
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import F, Min
from django.db.models.functions import Coalesce

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.pieces import Piece


class Unscheduled(TypedDict):
    """Pieces of a line item that wait for a run at the same step.

    pieces   : their keys, by number
    priority : of the line item, else of its order; 1 is the most urgent
    due_date : of the order
    """

    line_item: UUID
    step: UUID | None
    pieces: list[UUID]
    priority: int | None
    due_date: datetime | None


def unscheduled(bureau: Bureau) -> list[Unscheduled]:
    """Return the bureau's unscheduled pieces by priority, due date, and age of the line item."""
    item = "line_item__"
    rows = (
        Piece.objects.filter(bureau=bureau, status=Piece.Status.CREATED)
        .values("line_item", "step")
        .annotate(
            pieces=ArrayAgg("pk", order_by="number"),
            priority=Min(Coalesce(f"{item}priority", f"{item}order__priority")),
            due_date=Min(f"{item}order__due_date"),
        )
        .order_by(
            F("priority").asc(nulls_last=True),
            F("due_date").asc(nulls_last=True),
            "line_item",
            "step",
        )
    )
    return cast(list[Unscheduled], list(rows))
