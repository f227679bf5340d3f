"""Piece transitions: next step, reject and replace, release from a run.

Callers have locked the line items (`status_rollup.lock_line_items`), and update their status once
all is moved.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models import OuterRef, Subquery

from apps.erp.orders.domain import status_rollup
from apps.erp.orders.domain.pieces import create_pieces
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.workflows import ProcessStep
from apps.erp.production.domain import line_item_status
from apps.erp.production.models.runs import Place, Run
from core.state_machine import transition_all

_Status = Piece.Status


def locked(pieces: Iterable[UUID]) -> list[Piece]:
    """These pieces as they are now, locked, with their steps and line items."""
    rows = Piece.objects.filter(pk__in=set(pieces)).select_related("line_item", "step")
    return list(rows.select_for_update(no_key=True, of=("self",)).order_by("pk"))


def line_items_of(run: Run) -> set[UUID]:
    """The keys of the line items that have pieces in this run."""
    return set(Place.objects.filter(run=run).values_list("piece__line_item", flat=True))


def finish_step(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces that are through with their step: created for the next, complete after the last."""
    following = next_steps(pieces)
    by_step: dict[UUID | None, list[Piece]] = {}
    for piece in pieces:
        by_step.setdefault(following.get(piece.step_id), []).append(piece)
    moved = []
    for step, rows in by_step.items():
        if step is None:
            moved += transition_all(rows, _Status.COMPLETE)
        else:
            moved += transition_all(rows, _Status.CREATED, step=step)
    return moved


def next_steps(pieces: Iterable[Piece]) -> dict[UUID | None, UUID]:
    """The key of the step after each that one of these is at; the last has none."""
    workflows = {piece.step.workflow_id for piece in pieces if piece.step}
    steps = ProcessStep.objects.filter(workflow__in=workflows).order_by("workflow", "step_position")
    keys = list(steps.values_list("pk", "workflow"))
    return {
        key: after
        for (key, workflow), (after, same) in zip(keys, keys[1:], strict=False)
        if workflow == same
    }


def fail(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces that went wrong: each is replaced by a new one, which begins at the first step."""
    moved = transition_all(pieces, _Status.ERROR)
    by_item: dict[LineItem, list[Piece]] = {}
    for piece in sorted(moved, key=lambda piece: piece.number):
        by_item.setdefault(piece.line_item, []).append(piece)
    for line_item, failed in by_item.items():
        create_pieces(line_item, len(failed), replaced=failed)
    return moved


@transaction.atomic
def free(run: Run, pieces: Iterable[Piece] | None = None) -> None:
    """Take pieces out of a run that has not started, all where none are named: they wait again."""
    places = Place.objects.filter(run=run)
    if pieces is not None:
        places = places.filter(piece__in=list(pieces))
    keys = list(places.values_list("piece", flat=True))
    items = set(Piece.objects.filter(pk__in=keys).values_list("line_item", flat=True))
    status_rollup.lock_line_items(items)
    queued = [piece for piece in locked(keys) if piece.status == _Status.QUEUED]
    places.delete()
    before = Place.objects.filter(piece=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    Piece.objects.filter(pk__in=keys).update(place=Subquery(before))
    line_item_status.roll_up(items, news=transition_all(queued, _Status.CREATED))
