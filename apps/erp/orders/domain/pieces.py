"""Pieces of a line item: creation, replacement and cancellation."""

from collections.abc import Iterable

from django.db.models import Max

from apps.erp.base.domain.events import emit_statuses
from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.domain.automatic_prints import COLLECTION_MS, plan_prints
from apps.erp.organisation.models.workflows import ProcessStep
from core.state_machine import transition_all

_Status = Piece.Status


def create_pieces(line_item: LineItem, count: int, *, replaced: Iterable[Piece] = ()) -> None:
    """Create pieces of a line item, which the caller has locked.

    Creates `count` of them, or one for each of those that are replaced.
    """
    replaced = list(replaced)
    last = Piece.objects.filter(line_item=line_item).aggregate(last=Max("number"))["last"] or 0
    steps = ProcessStep.objects.filter(workflow=line_item.workflow_id).order_by("step_position")
    step = steps.first()
    printing = steps.exclude(printer_type=None).select_related("printer_type").first()
    config = line_item.config_uri or (printing.printer_type.config_uri if printing else None)  # type: ignore[union-attr]
    Piece.objects.bulk_create(
        Piece(
            bureau_id=line_item.bureau_id,
            line_item=line_item,
            number=last + at,
            model_uri=line_item.model_uri,
            config_uri=config,
            step=step,
            replica_of=replaced[at - 1] if replaced else None,
        )
        for at in range(1, (len(replaced) or count) + 1)
    )
    if not line_item.hold:
        plan_prints(line_item.bureau_id, delay=COLLECTION_MS)


def cancel_pieces(line_item: LineItem) -> None:
    """Cancel the pieces of a line item that is being cancelled, and locked.

    TransitionRefused where one of them is in a run: what was packed with it would be wrong.
    """
    pieces = Piece.objects.filter(line_item=line_item).select_related("place__run")
    busy = pieces.exclude(status__in=(_Status.CREATED, _Status.ERROR, _Status.CANCELLED)).first()
    if busy is not None:
        where = f"in the run {busy.place.run.uri}" if busy.place else busy.status
        why = f"its piece {busy.uri} is {where}. Delete the run before it starts, then cancel."
        raise TransitionRefused(line_item, LineItem.Status.CANCELLED, why)
    waiting = pieces.filter(status=_Status.CREATED)
    emit_statuses(transition_all(waiting, _Status.CANCELLED))
