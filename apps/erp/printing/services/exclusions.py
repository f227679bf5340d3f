"""Exclusion of pieces and of other objects from running print attempts."""

from apps.erp.orders.models.pieces import Piece
from apps.erp.production.domain import attempts
from apps.erp.production.domain.object_exclusion import obstacle_of, other_labels
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run
from apps.erp.production.services import pieces
from core.errors import Conflict


class NotPrinting(Conflict):
    """Pieces are left out of what is being printed, and of nothing else."""

    code = "not-printing"


class ObjectNotExcludable(Conflict):
    """The machine cannot exclude the object, or the print has none of this key."""

    code = "object-not-excludable"


class PieceNotOnPlate(Conflict):
    """The piece is not in the print that is cleared, or was moved before."""

    code = "piece-not-on-plate"


def exclude_piece(attempt: Attempt, run: Run, piece: Piece) -> None:
    """Give a piece up; said twice it is given up once. Raises NotPrinting, or PieceNotOnPlate."""
    if any(one["piece"] == piece.uri for one in attempt.skips):
        return
    if attempt.status not in attempts.PRINTING or attempt.detached:
        raise nothing_to_exclude(f"{attempt.name} is {attempt.status}, and", "skip")
    inside = Piece.objects.filter(place__run=run, status=Piece.Status.IN_PROGRESS, pk=piece.pk)
    if not inside.exists():
        words = f"{piece.uri} is not printed in {run.uri}, or was moved before."
        raise PieceNotOnPlate(words, field="skip")
    pieces.change_pieces([(piece, {"status": Piece.Status.ERROR})])


def exclude_object(attempt: Attempt, key: str) -> None:
    """Exclude an object without a piece, once. Raises NotPrinting, ObjectNotExcludable."""
    if any(one["piece"] is None and one["name"] == key for one in attempt.skips):
        return
    field = "skip_object"
    if attempt.status not in attempts.PRINTING or attempt.detached:
        raise nothing_to_exclude(f"{attempt.name} is {attempt.status}, and", field)
    for label, title, _center in other_labels(attempt.run):
        if label.name == key:
            if obstacle := obstacle_of(label, attempt.printer):
                raise ObjectNotExcludable(obstacle.title, field=field)
            attempts.leave_object_out(attempt, label, title)
            return
    raise ObjectNotExcludable(
        f"{attempt.name} has no labelled object {key!r} without a piece: use a `key` of its list "
        "of objects.",
        field=field,
    )


def nothing_to_exclude(what: str, field: str) -> NotPrinting:
    words = f"{what} prints nothing now: what is on the plate is rejected when that is cleared."
    return NotPrinting(words, field=field)
