"""Pieces and runs as JSON, and back."""

from datetime import datetime
from typing import Annotated, Any, TypedDict

from rest_framework import serializers

from apps.erp.base.model_fields import MAX_TEXT
from apps.erp.base.serializers.changes import ChangesField
from apps.erp.base.serializers.resources import (
    MAX_ENTRIES,
    LinksField,
    answer_of,
    listing_of,
    resource,
    serializer_of,
)
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.workflows import ProcessStep
from apps.erp.production.models.runs import Run
from core.api.fields import Choice, StrictSerializer, StrictText
from core.api.lists.list_queries import Column, ListOptions, key_in_uri
from core.api.openapi.response_types import FreeJson, Uri
from core.api.queue_position import PlaceAnswer
from core.files.signed_urls import download_url
from core.text.file_names import safe_file_name

MAX_PIECES = 10_000  # in a run
MAX_CHANGES = MAX_ENTRIES  # pieces that one request changes


class PiecesField(LinksField):
    """The URIs of the pieces of a run; its value is the pieces, each once."""

    def __init__(self, *, allow_empty: bool = False, **options: Any):
        super().__init__(Piece, most=MAX_PIECES, allow_empty=allow_empty, **options)

    def to_internal_value(self, data: Any) -> Any:
        pieces = super().to_internal_value(data)
        if len(set(pieces)) < len(pieces):
            raise serializers.ValidationError("Name each piece once.", code="not-allowed")
        return pieces


# ---------------------------------------------------------------- pieces

PieceSerializer = serializer_of(Piece)


class PieceActualsAnswer(TypedDict):
    """When the run that a piece is in, or was last in, began and ended."""

    start: datetime | None
    finish: datetime | None


class PieceBeside(TypedDict):
    """What a piece tells beside its columns."""

    process_step: Uri | None
    run: Uri | None
    transform: Any
    actuals: PieceActualsAnswer


PieceAnswer = answer_of(Piece, PieceBeside)


class PieceChangeSerializer(StrictSerializer):
    """What is to become of one piece."""

    uri = StrictText(max_length=2048)
    status = Choice(choices=Piece.Status.choices, required=False)
    notes = StrictText(max_length=MAX_TEXT, allow_blank=True, required=False)


class PiecesSerializer(StrictSerializer):
    """Changes of many pieces: all are made, or none."""

    pieces = ChangesField(Piece, PieceChangeSerializer())


def piece_resource(piece: Piece) -> FreeJson:
    """A piece as JSON; it was read with when its run began and ended."""
    place = piece.place
    began, ended = piece.began, piece.ended  # type: ignore[attr-defined]
    beside: PieceBeside = {
        "process_step": ProcessStep.uri_of(piece.step_id) if piece.step_id else None,
        "run": Run.uri_of(place.run_id) if place else None,
        "transform": place.transform if place else None,
        "actuals": {"start": began, "finish": ended},
    }
    return {**resource(piece), **beside}


def piece_listing() -> ListOptions:
    """What a list of pieces can be asked about."""
    own = listing_of(Piece)
    further = {
        "order": Column("line_item__order_id", key_in_uri),
        "run": Column("place__run_id", key_in_uri),
        "process_step": Column("step_id", key_in_uri),
    }
    return ListOptions(own.filters | further, own.search, own.sort)  # type: ignore[operator]


# ---------------------------------------------------------------- runs


class RunSerializer(serializer_of(Run, pieces=PiecesField())):  # type: ignore[misc]
    """Pieces that are printed, finished or sent together."""

    def _current(self, name: str) -> Any:
        if name == "pieces":
            return [Piece(pk=key) for key in self.instance.piece_keys]
        return super()._current(name)


class ActualsAnswer(TypedDict):
    """When a run began and ended."""

    start: datetime | None
    finish: datetime | None
    printing_seconds: Annotated[float | None, "Print time of all attempts without pauses, s."]


class RunBeside(TypedDict):
    """What a run tells beside its columns."""

    pieces: list[Uri]
    content_3mf: Uri | None
    actuals: ActualsAnswer
    queue: PlaceAnswer | None


RunAnswer = answer_of(Run, RunBeside)


def run_resource(run: Run) -> FreeJson:
    """A run as JSON; it was read with its `piece_keys`, and for how long it was `printed`."""
    sha256, name = run.content_3mf_id, safe_file_name(run.name, "3mf", otherwise="run")
    build = download_url(sha256, media_type="model/3mf", filename=name) if sha256 else None
    beside: RunBeside = {
        "pieces": [Piece.uri_of(key) for key in run.piece_keys],  # type: ignore[attr-defined]
        "content_3mf": build,
        "actuals": {
            "start": run.started,
            "finish": run.finished,
            "printing_seconds": run.printed,  # type: ignore[attr-defined]
        },
        "queue": None,
    }
    return {**resource(run), **beside}
