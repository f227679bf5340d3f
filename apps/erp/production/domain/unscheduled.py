"""Unscheduled pieces of a bureau: by line item and step, in the order of work."""

from datetime import datetime
from typing import TypedDict, cast
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import F, TextField, Value
from django.db.models.functions import Coalesce, NullIf

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import PrinterType

_ITEM, _ORDER, _STEP = "line_item__", "line_item__order__", "step__"


class Unscheduled(TypedDict):
    """Pieces of a line item that wait for a run at the same step.

    pieces     : their keys, by number
    priority   : of the line item, else of its order; 1 is the most urgent
    position   : order of work by hand, before all priorities, lowest first
    order      : of the line item, with its number, due date and the name of its customer
    printer_type, post_processor_type, shipping : what does the step; one of them, or none
    """

    line_item: UUID
    step: UUID | None
    pieces: list[UUID]
    priority: int | None
    due_date: datetime | None
    position: int | None
    hold: bool
    name: str
    material: UUID | None
    order: UUID | None
    order_number: int | None
    customer: str | None
    printer_type: UUID | None
    post_processor_type: UUID | None
    shipping: UUID | None


def unscheduled(
    bureau: Bureau, *, printer_type: PrinterType | None = None, limit: int | None = None
) -> list[Unscheduled]:
    """Return the unscheduled pieces by position, priority, due date, and age of the line item.

    printer_type : of the step that they wait for, of line items that are not on hold; None: all
    limit        : number of rows; None: all
    """
    waiting = Piece.objects.filter(bureau=bureau, status=Piece.Status.CREATED)
    if printer_type is not None:
        waiting = waiting.filter(step__printer_type=printer_type, line_item__hold=False)
    typed = NullIf(f"{_ORDER}customer_name", Value(""), output_field=TextField())
    rows = (
        waiting.values(
            "line_item",
            "step",
            priority=Coalesce(f"{_ITEM}priority", f"{_ORDER}priority"),
            due_date=F(f"{_ORDER}due_date"),
            position=F(f"{_ITEM}position"),
            hold=F(f"{_ITEM}hold"),
            name=F(f"{_ITEM}name"),
            material=F(f"{_ITEM}base_material"),
            order=F(f"{_ITEM}order"),
            order_number=F(f"{_ORDER}number"),
            customer=Coalesce(F(f"{_ORDER}customer__name"), typed, output_field=TextField()),
            printer_type=F(f"{_STEP}printer_type"),
            post_processor_type=F(f"{_STEP}post_processor_type"),
            shipping=F(f"{_STEP}shipping"),
        )
        .annotate(pieces=ArrayAgg("pk", order_by="number"))
        .order_by(
            F("position").asc(nulls_last=True),
            F("priority").asc(nulls_last=True),
            F("due_date").asc(nulls_last=True),
            "line_item",
            "step",
        )
    )
    return cast(list[Unscheduled], list(rows[:limit]))
