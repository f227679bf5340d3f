"""Create, start, complete and fail runs."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.erp.base.domain.events import emit_status
from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services import resources
from apps.erp.orders.domain import status_rollup
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import PostProcessor
from apps.erp.organisation.models.master_data import Shipping
from apps.erp.production.domain import (
    attempts,
    line_item_status,
    packing_input,
    piece_flow,
    reservations,
)
from apps.erp.production.domain import run_slicing as slices
from apps.erp.production.domain.piece_flow import free
from apps.erp.production.models.runs import Place, Run
from apps.payment import interface as payment
from core.auth_user import Person
from core.errors import Conflict, InvalidFields, ServiceError
from core.queue.row_jobs import cancel_jobs
from core.state_machine import transition_all

_Status, _Operation = Run.Status, Run.Operation
_SHOWN = 100  # pieces that a refusal names


class RunRefused(InvalidFields):
    """Pieces that cannot go into this run."""

    status = 409


class RunStarted(Conflict):
    """What a run made is not forgotten."""

    code = "run-started"


@transaction.atomic
def create_run(
    *,
    actor: Person,
    bureau: Bureau,
    name: str,
    operation: str,
    pieces: list[Piece],
    **columns: Any,
) -> Run:
    """A run with these pieces, in this order, which are queued by it.

    columns : of the run; what does the work is among them: `printer_type` where it prints,
              `post_processor` or `shipping`
    """
    run = Run(bureau=bureau, name=name, operation=operation, creator=actor, **columns)
    keys = [piece.pk for piece in pieces]
    items = {piece.line_item_id for piece in pieces}
    status_rollup.lock_line_items(items)
    found = {piece.pk: piece for piece in piece_flow.locked(keys)}
    current = [found[key] for key in keys]
    _check(run, current)

    run.save()
    Place.objects.bulk_create(
        Place(run=run, piece=piece, step=piece.step, position=at)
        for at, piece in enumerate(current)
    )
    place = Place.objects.filter(run=run, piece=OuterRef("pk")).values("pk")
    moved = transition_all(current, Piece.Status.QUEUED, place=Subquery(place))
    line_item_status.roll_up(items, news=moved)
    return run


@transaction.atomic
def create(
    *,
    actor: Person,
    operation: str = _Operation.PRINTING,
    pieces: list[Piece],
    name: str,
    post_processor: PostProcessor | None = None,
    shipping: Shipping | None = None,
    status: str = _Status.CALCULATED,
    slicing: str | None = None,
    notes: str = "",
    **files: Any,
) -> Run:
    """A run that finishes or sends pieces: nothing is to be packed, so it is calculated at once.

    files : URIs of a config, slice and gcode
    """
    doers = {"post_processor": post_processor, "shipping": shipping}
    doer = _doer_of(operation, doers)
    if status != _Status.CALCULATED:
        words = "A run is calculated when it is made: change its status afterwards."
        raise ServiceError(words, code="property-value-not-in-allowed-values", field="status")
    if slicing is not None:
        words = "Only what is printed is sliced: leave slicing out."
        raise ServiceError(words, code="request-validation-error", field="slicing")
    run = create_run(
        actor=actor,
        bureau=doer.bureau,
        name=name,
        operation=operation,
        pieces=pieces,
        status=status,
        notes=notes,
        **doers,
    )
    if files:
        resources.change(actor=actor, row=run, **files)
    return run


def _doer_of(
    operation: str, doers: Mapping[str, PostProcessor | Shipping | None]
) -> PostProcessor | Shipping:
    """The one of them that does this; refusals say what to send."""
    needed = {_Operation.POST_PROCESSING: "post_processor", _Operation.SHIPPING: "shipping"}
    name = needed.get(_Operation(operation))
    if name is None:
        title = (
            "Runs that print are made by POST /create-runs/ and /create-gcode-run/; here send "
            "post-processing or "
        )
        raise ServiceError(
            f"{title}shipping.", code="property-value-not-in-allowed-values", field="operation"
        )
    faults = [
        ServiceError(
            f"A {operation} run has no {other}.", code="request-validation-error", field=other
        )
        for other, given in doers.items()
        if other != name and given is not None
    ]
    doer = doers[name]
    if doer is None:
        words = f"A {operation} run needs its {name}."
        faults.append(ServiceError(words, code="missing-parameter", field=name))
    if faults or doer is None:
        raise InvalidFields(faults)
    return doer


@transaction.atomic
def change(
    *,
    actor: Person,
    row: Run,
    status: str | None = None,
    slicing: str | None = None,
    **values: Any,
) -> None:
    """Change what was given; a new status moves all the run's pieces.

    slicing : "queued" has a packed run sliced
    """
    if status is not None:
        attempts.lock_printers_of(row)
    row = Run.objects.select_for_update(no_key=True, of=("self",)).get(pk=row.pk)
    if values:
        resources.change(actor=actor, row=row, **values)
    if slicing is not None and slicing != row.slicing:
        _begin_slice(row, slicing)
        emit_status(row)
    if (row.status, status) == (_Status.CALCULATING, _Status.CALCULATED):
        packing_input.stop(row)
    elif status is not None and status != row.status:
        attempts.let_go(row)
        move(row, status)


@transaction.atomic
def delete(*, row: Run) -> None:
    """Delete a run that never started; its pieces wait again."""
    attempts.lock_printers_of(row)
    row = Run.objects.select_for_update().get(pk=row.pk)
    if row.started:
        raise RunStarted(
            "The run has started, and is the record of how its pieces were made: it stays.",
            details={"started": row.started.isoformat()},
        )
    attempts.forget_attempts(row)
    reservations.release(row)
    free(row)
    slices.end(row)
    payment.release(source=row.uri)
    callbacks.cancel_pending(uri=row.uri)
    cancel_jobs("pack_run", on=[row])
    row.delete()


@transaction.atomic
def cancel_slice(*, row: Run) -> None:
    """End the slice that is being made of a run, which stays as it is packed."""
    slices.cancel(Run.objects.select_for_update(no_key=True).get(pk=row.pk))


def _begin_slice(run: Run, asked: str) -> None:
    if asked != Run.Slicing.QUEUED:
        title = f"slicing becomes {asked} by itself: send queued to have the run sliced."
        raise slices.NotSliceable(title, field="slicing")
    slices.begin(run)


def move(run: Run, to: str, *, at: datetime | None = None, news: Iterable[Any] = ()) -> None:
    """Move a locked run, with its pieces, to a state that clients send a run to.

    at   : when it began or ended, where that was not now
    news : further rows that have a new status, sent together with these
    """
    if to not in run.asked:
        asked = " or ".join(run.asked)
        why = f"from here it goes to {asked}." if asked else "its story is over."
        raise TransitionRefused(run, to, why)
    started = run.started is not None
    if to in Run.ENDED:
        reservations.close(run) if started else reservations.release(run)
    items = piece_flow.line_items_of(run)
    status_rollup.lock_line_items(items)
    times: dict[str, Any] = {"started": at or timezone.now()} if to == _Status.IN_PROGRESS else {}
    if to in Run.ENDED:
        times = {"finished": at or timezone.now()}
    run.move(to, **times)
    if to == _Status.ERROR:
        slices.end(run)
    if to == _Status.ERROR and not started:
        free(run)
        payment.release(source=run.uri)
        emit_status(run)
        return
    line_item_status.roll_up(items, news=[run, *_move_pieces(run, to), *news])


def _move_pieces(run: Run, to: str) -> list[Piece]:
    inside = Piece.objects.filter(place__run=run)
    expected = Piece.Status.IN_PROGRESS if to in Run.ENDED else Piece.Status.QUEUED
    pieces = piece_flow.locked(inside.filter(status=expected).values_list("pk", flat=True))
    if to == _Status.IN_PROGRESS:
        return transition_all(pieces, Piece.Status.IN_PROGRESS)
    if to == _Status.COMPLETE:
        return piece_flow.finish_step(pieces)
    return piece_flow.fail(pieces) if to == _Status.ERROR else []


# ---------------------------------------------------------------- which pieces may go into it


def _check(run: Run, pieces: list[Piece]) -> None:
    """Raise RunRefused unless all of them may."""
    busy = dict(
        Place.objects.filter(piece__in=pieces)
        .exclude(run__status__in=Run.ENDED)
        .values_list("piece", "run")
    )
    faults: dict[tuple[str, str], list[Piece]] = {}
    for piece in pieces:
        if reason := _reason(run, piece, busy.get(piece.pk)):
            faults.setdefault(reason, []).append(piece)
    if faults:
        raise RunRefused([_fault(code, words, found) for (code, words), found in faults.items()])


def _reason(run: Run, piece: Piece, other: UUID | None) -> tuple[str, str] | None:
    """The code and the words of why a piece may not go into the run."""
    if piece.bureau_id != run.bureau_id:
        return "wrong-bureau", "belong to another bureau than what does the work."
    allowed = LineItem.FOLLOWING if run.operation != _Operation.PRINTING else LineItem.PRINTABLE
    if piece.line_item.status not in allowed:
        words = f"are of a line item that is {piece.line_item.status}"
        return "line-item-not-ready", f"{words}: it has to be one of {', '.join(allowed)}."
    if piece.line_item.hold:
        return "line-item-on-hold", "are of a line item on hold: release it first."
    if other is not None:
        return "piece-in-run", f"are in the run {Run.uri_of(other)}, which has not ended."
    if piece.status != Piece.Status.CREATED:
        return "piece-not-created", f"are {piece.status}: only what is created goes into a run."
    return _reason_of_step(run, piece)


def _reason_of_step(run: Run, piece: Piece) -> tuple[str, str] | None:
    if piece.step is None:
        if run.operation == _Operation.PRINTING:
            return None
        return "wrong-step", "have no workflow: printing is all that they go through."
    doer: tuple[Any, Any] = {
        _Operation.PRINTING: ("printer_type_id", run.printer_type_id),
        _Operation.POST_PROCESSING: (
            "post_processor_type_id",
            run.post_processor and run.post_processor.post_processor_type_id,
        ),
        _Operation.SHIPPING: ("shipping_id", run.shipping_id),
    }[_Operation(run.operation)]
    column, key = doer
    if getattr(piece.step, column) == key:
        return None
    kind, waited_for = piece.step.process
    words = f"wait for the step {piece.step.uri}, which is done by {kind.uri_of(waited_for)}."
    return "wrong-step", words


def _fault(code: str, words: str, pieces: Iterable[Piece]) -> ServiceError:
    uris = [piece.uri for piece in pieces]
    shown = ", ".join(uris[:3]) + (f" and {len(uris) - 3} more" if len(uris) > 3 else "")
    title = f"{shown} {words}"
    return Conflict(title, code=code, field="pieces", details={"pieces": uris[:_SHOWN]})
