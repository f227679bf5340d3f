"""Views: events of an account, and of a bureau."""

from collections.abc import Sequence
from dataclasses import replace

import orjson
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request

from apps.callbacks.domain.event_types import ALL, known_patterns
from apps.callbacks.services.event_scopes import board_of, visible_changes
from apps.callbacks.services.events import EventRow, events_after, last_position
from core.api.lists.list_queries import BadQuery, flag, whole
from core.api.views import ApiView
from core.state_machine import EventScope

MAX_EVENTS = 200  # events of one answer
KNOWN = ("after", "bureau", "location", "progress", "type")  # arguments
LINES, SERVER_SENT = "application/x-ndjson", "text/event-stream"
ARGUMENTS = [
    OpenApiParameter("after", int, description="Only events after this position."),
    OpenApiParameter(
        "type",
        str,
        description="Comma-separated event types; slice.* matches all types of that kind.",
    ),
    OpenApiParameter(
        "bureau", OpenApiTypes.URI, description="Events of this bureau instead of the account."
    ),
    OpenApiParameter(
        "location",
        OpenApiTypes.URI,
        description="Only events of machines at this location of the bureau.",
    ),
    OpenApiParameter(
        "progress",
        bool,
        description="Whether to include job progress: lines without a position, not stored.",
    ),
    OpenApiParameter(
        "Last-Event-ID",
        int,
        OpenApiParameter.HEADER,
        description="Same as `after`, which it overrides; sent by browsers on reconnection.",
    ),
]


class EventsView(ApiView):
    """The events of an account, or of a bureau that the caller reads, after a position.

    Without a position, from the last event on. One response is one piece of a stream:
    `project.event_streams` requests the next piece after each event; the headers carry the owner,
    the subscribers and the position of the next piece.
    """

    says = {"get": "Stream events of an account or a bureau"}

    @extend_schema(
        parameters=ARGUMENTS,
        responses={
            (200, LINES): OpenApiResponse(
                OpenApiTypes.STR,
                "Endless stream: one JSON object per line, with empty lines as keep-alive.",
            ),
            (200, SERVER_SENT): OpenApiResponse(
                OpenApiTypes.STR, "The same as server-sent events, for those who accept them."
            ),
        },
    )
    def get(self, request: Request) -> HttpResponse:
        types = _types(request)
        owner, board = self.caller.pk, self._board(request)
        # Before the events are read: of those up to here, none is committed later.
        last = last_position(owner_id=owner, board=board)
        position = _position(request, last)
        rows = events_after(
            owner_id=owner, board=board, position=position, limit=MAX_EVENTS, types=types
        )
        if len(rows) < MAX_EVENTS:
            position = max(last, rows[-1].position if rows else 0)
        else:
            position = rows[-1].position
        server_sent = SERVER_SENT in request.headers.get("Accept", "")
        headers = {
            "Last-Event-ID": str(position),
            "Events-Of": str(board.bureau if board else owner),
            "Heard-By": str(owner),
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",  # or a proxy may wait for more
            **_of_progress(request, types, board),
        }
        if board:
            rows = [replace(row, changes=visible_changes(row.changes, board)) for row in rows]
        body = b"".join(_server_sent(row) if server_sent else _line(row) for row in rows)
        media_type = SERVER_SENT if server_sent else LINES
        return HttpResponse(body, content_type=media_type, headers=headers)

    def _board(self, request: Request) -> EventScope | None:
        named = {name: request.query_params.get(name) for name in ("bureau", "location")}
        return board_of(**named, user=self.caller)


def _types(request: Request) -> Sequence[str]:
    unknown = sorted(request.query_params.keys() - set(KNOWN))
    if unknown:
        words = f"There is no argument {unknown[0]!r}; there are: {', '.join(KNOWN)}."
        raise BadQuery(words, field=unknown[0])
    given = ",".join(request.query_params.getlist("type")) or ALL
    types = [name.strip() for name in given.split(",")]
    for name in types:
        if name not in known_patterns():
            raise BadQuery(
                f"{name!r} is no type of event; there are: {', '.join(known_patterns())}.",
                code="property-value-not-in-allowed-values",
                field="type",
            )
    return types


def _of_progress(
    request: Request, types: Sequence[str], board: EventScope | None
) -> dict[str, str]:
    """Return the headers with the kinds whose progress the stream reports, and the location."""
    if not flag(request.query_params, "progress"):
        return {}
    kinds = {name.partition(".")[0] for name in types}
    at = {"Events-At": str(board.location)} if board and board.location else {}
    return {"Progress-Of": ",".join(sorted(kinds)), **at}


def _position(request: Request, last: int) -> int:
    header = request.headers.get("Last-Event-ID")
    field, given = ("Last-Event-ID", header) if header else ("after", None)
    given = given or request.query_params.get("after")
    if given is None:
        return last
    if (position := whole(given)) is None:
        raise BadQuery(
            f"{given!r} is no position: give the position of the last event that you have, or 0.",
            code="type-validation-error",
            field=field,
        )
    if position > last:
        raise BadQuery(
            f"There have been {last} events so far, and position {given} is beyond them: begin "
            "again with 0.",
            code="property-value-not-in-allowed-values",
            field=field,
        )
    return position


def _line(row: EventRow) -> bytes:
    return _object(row) + b"\n"


def _server_sent(row: EventRow) -> bytes:
    return b"id: %d\ndata: %s\n\n" % (row.position, _object(row))


def _object(row: EventRow) -> bytes:
    return orjson.dumps(
        {
            "position": row.position,
            "type": row.type,
            "uri": row.uri,
            "sequence": row.seq,
            "created": row.created,
            "changes": row.changes,
        }
    )
