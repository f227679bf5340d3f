"""Admin: pieces and runs."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join

from apps.erp.base.admin.display import add_pictures, image, listed
from apps.erp.orders.models.pieces import Piece
from apps.erp.production.actors.packing import pack_run
from apps.erp.production.models.runs import Place, Run
from apps.erp.production.services import labels, pieces, runs
from core.auth_user import Person, admin_user
from core.queue.row_jobs import enqueue
from core.web.admin_base import ReadOnlyInline, ReadOnlyPage, apply_to_each, count_of
from core.web.admin_display import link


@admin.register(Piece)
class PieceAdmin(ReadOnlyPage):
    """Pieces: where they are in their workflow, and the runs that they went through."""

    list_display = ["uuid", "line_item", "number", "status", "waits_for", "in_run", "updated"]
    list_filter = ["status", "created", "updated"]
    search_fields = ["uuid", "line_item__uuid", "line_item__name", "line_item__order__name"]
    ordering = ["-uuid"]
    list_select_related = ["line_item", "place__run", *labels.STEP]
    readonly_fields = ["went_through"]
    actions = ["go_on", "complete", "fail"]

    @admin.display(description="step")
    def waits_for(self, row: Piece) -> str:
        return labels.next_step_of(row)

    @admin.display(description="run")
    def in_run(self, row: Piece) -> str:
        return link(row.place and row.place.run)

    @admin.display(description="runs")
    def went_through(self, row: Piece) -> str:
        found = Run.objects.filter(places__piece=row).order_by("pk")
        return format_html_join(", ", "{}", ((link(run),) for run in found)) or "-"

    @admin.action(description="Complete step", permissions=["act"])
    def go_on(self, request: HttpRequest, chosen: QuerySet[Piece]) -> None:
        _move_pieces(request, chosen, Piece.Status.CREATED, done="at the next step")

    @admin.action(description="Complete last step", permissions=["act"])
    def complete(self, request: HttpRequest, chosen: QuerySet[Piece]) -> None:
        _move_pieces(request, chosen, Piece.Status.COMPLETE, done="now complete")

    @admin.action(description="Reject and replace", permissions=["act"])
    def fail(self, request: HttpRequest, chosen: QuerySet[Piece]) -> None:
        _move_pieces(request, chosen, Piece.Status.ERROR, done="to be made again")


class PlaceRows(ReadOnlyInline):
    model = Place
    verbose_name_plural = "places, in the order in which pieces come out"
    columns = ("position", "page", "line_item", "status")
    ordering = ("position", "pk")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Place]:
        return super().get_queryset(request).select_related("piece__line_item")

    @admin.display(description="piece")
    def page(self, row: Place) -> str:
        return link(row.piece)

    @admin.display
    def line_item(self, row: Place) -> str:
        return link(row.piece.line_item)  # type: ignore[attr-defined]

    @admin.display
    def status(self, row: Place) -> str:
        return row.piece.status  # type: ignore[attr-defined]


@admin.register(Run)
class RunAdmin(ReadOnlyPage):
    """Runs: what is in them, how they came to be packed, and where they stand."""

    list_display = [
        "name",
        "operation",
        "status",
        "percent",
        "slicing",
        "printer",
        "n_pieces",
        "bureau",
        "created",
    ]
    list_filter = ["status", "operation", "slicing", "created", "started", "finished"]
    search_fields = [
        "uuid",
        "name",
        "bureau__name",
        "printer__name",
        "model_uri",
        "gcode_uri",
        "slice_uri",
    ]
    ordering = ["-uuid"]
    list_select_related = ["bureau", "printer"]
    readonly_fields = ["picture"]
    inlines = [PlaceRows]
    actions = [
        "queue",
        "start",
        "complete",
        "give_up",
        "pack_again",
        "slice",
        "cancel_slice",
    ]
    failed = Q(status=Run.Status.ERROR)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        return super().get_queryset(request).annotate(count=count_of(Place, "run"))

    @admin.display(description="progress")
    def percent(self, row: Run) -> str:
        return "-" if row.progress is None else f"{row.progress:.0%}"

    @admin.display(description="pieces")
    def n_pieces(self, row: Any) -> str:
        return listed(Piece, row.count, places__run=row.pk)

    @admin.display
    def picture(self, row: Run) -> str:
        add_pictures([row])
        return image(row.picture, width=400)  # type: ignore[attr-defined]

    @admin.action(description="Queue", permissions=["act"])
    def queue(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        _move_runs(request, chosen, Run.Status.QUEUED)

    @admin.action(description="Start", permissions=["act"])
    def start(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        _move_runs(request, chosen, Run.Status.IN_PROGRESS)

    @admin.action(description="Mark as complete", permissions=["act"])
    def complete(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        _move_runs(request, chosen, Run.Status.COMPLETE)

    @admin.action(description="Abort run", permissions=["act"])
    def give_up(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        _move_runs(request, chosen, Run.Status.ERROR)

    @admin.action(description="Retry packing", permissions=["act"])
    def pack_again(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        stuck = chosen.filter(status__in=(Run.Status.CREATED, Run.Status.CALCULATING))
        apply_to_each(request, stuck, _pack, done="sent to packing")

    @admin.action(description="Slice or retry slicing", permissions=["act"])
    def slice(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        apply_to_each(request, chosen, partial(_slice, admin_user(request)), done="sent to slicing")

    @admin.action(description="Cancel slicing", permissions=["act"])
    def cancel_slice(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        apply_to_each(request, chosen, _cancel_slice, done="not sliced any more")


def _move_pieces(request: HttpRequest, chosen: QuerySet[Piece], to: str, *, done: str) -> None:
    apply_to_each(request, chosen, partial(_move_piece, to), done=done)


def _move_piece(to: str, row: Piece) -> None:
    pieces.change_piece(piece=row, status=to)


def _move_runs(request: HttpRequest, chosen: QuerySet[Run], to: str) -> None:
    apply_to_each(request, chosen, partial(_move_run, admin_user(request), to), done=f"now {to}")


def _move_run(user: Person, to: str, row: Run) -> None:
    runs.change(actor=user, row=row, status=to)


def _pack(row: Run) -> None:
    enqueue(pack_run, row, owner=row.creator_id)


def _slice(user: Person, row: Run) -> None:
    runs.change(actor=user, row=row, slicing=Run.Slicing.QUEUED)


def _cancel_slice(row: Run) -> None:
    runs.cancel_slice(row=row)
