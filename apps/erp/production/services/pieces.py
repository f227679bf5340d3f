"""Update pieces, singly and in bulk."""

from typing import Any, TypedDict, Unpack
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.base.services.authorization import require_membership_of
from apps.erp.orders.domain import status_rollup
from apps.erp.orders.models.pieces import Piece
from apps.erp.production.domain import attempts, line_item_status, piece_flow
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError

_Status = Piece.Status
_BY_RUNS = "pieces are queued by a run that names them, and start when that starts."
_BY_STEPS = (
    "a piece goes from in-progress to created for its next step, or complete after the last."
)
# Why a client may not send one there.
_WHY: dict[str, str] = {
    _Status.CREATED: _BY_STEPS,
    _Status.QUEUED: _BY_RUNS,
    _Status.IN_PROGRESS: _BY_RUNS,
    _Status.COMPLETE: _BY_STEPS,
    _Status.ERROR: "its story is over.",
    _Status.CANCELLED: "pieces are cancelled with their line item.",
}


class PieceChange(TypedDict, total=False):
    """New values of a piece."""

    status: str
    notes: str


class MovesRefused(InvalidFields):
    """Pieces that cannot go where they were sent: none was moved."""

    status = 409


def require_to_move(user: Person, given: Any, *, of: QuerySet | None = None) -> None:
    """Raise NotAMember unless `user` is in the bureaus of all pieces that a request names.

    given : the URIs, as they came; what is none of these pieces is refused as it is read
    """
    pieces: QuerySet = Piece.objects.all() if of is None else of
    require_membership_of(user, pieces, given, "these pieces")


@transaction.atomic
def change_piece(*, piece: Piece, **change: Unpack[PieceChange]) -> None:
    """Change the status and notes of a piece."""
    change_pieces([(piece, change)], field="")


@transaction.atomic
def change_pieces(changes: list[tuple[Piece, PieceChange]], *, field: str = "pieces") -> None:
    """Change the status and notes of many pieces, of all or of none.

    field : the list in the request that `changes` came in, for the refusals
    """
    asked = {piece.pk: (at, values) for at, (piece, values) in enumerate(changes)}
    gone = [piece for piece, values in changes if values.get("status") == _Status.ERROR]
    if gone:
        attempts.lock_printers_that_print(gone)
    status_rollup.lock_line_items({piece.line_item_id for piece, _ in changes})
    pieces = piece_flow.locked(asked)
    sent = {piece: asked[piece.pk][1].get("status", piece.status) for piece in pieces}
    moving = {piece: to for piece, to in sent.items() if to != piece.status}
    following = piece_flow.next_steps(moving)
    faults: list[ServiceError] = []
    for piece, to in moving.items():
        if why := _rejection(piece, to, following):
            at = asked[piece.pk][0]
            where = f"{field}.{at}.status" if field else "status"
            faults.append(TransitionRefused(piece, to, why, field=where))
    if faults:
        raise MovesRefused(faults)
    for piece in pieces:
        piece.notes = asked[piece.pk][1].get("notes", piece.notes)
    noted = [piece for piece in pieces if "notes" in asked[piece.pk][1]]
    Piece.objects.bulk_update(noted, ["notes"])
    failed = [piece for piece, to in moving.items() if to == _Status.ERROR]
    through = [piece for piece, to in moving.items() if to != _Status.ERROR]
    lost = [piece for piece in failed if piece.status == _Status.IN_PROGRESS]
    moved = piece_flow.finish_step(through) + piece_flow.fail(failed)
    if lost:
        attempts.leave_out(lost)
    line_item_status.roll_up({piece.line_item_id for piece in moving}, news=moved)


def _rejection(piece: Piece, to: str, following: dict[UUID | None, UUID]) -> str:
    """Why a client may not move this piece there; empty where they may."""
    if to not in piece.asked:
        return _WHY[to]
    if to == _Status.CREATED and piece.step_id not in following:
        return "no step follows; it is complete after this."
    if to == _Status.COMPLETE and piece.step_id in following:
        return "a step follows; it is created for that."
    return ""
