"""Views: provenance of resources, and recall."""

from collections.abc import Callable
from typing import Any

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from apps.erp.base.models.access import readable_by
from apps.erp.orders.models.pieces import Piece
from apps.erp.traceability.serializers.recall import RecalledPieceAnswer, recalled_piece
from apps.erp.traceability.serializers.trace import TraceAnswer, trace_resource
from apps.erp.traceability.services.recall import CAUSES, check_causes
from apps.erp.traceability.services.trace import trace
from core.api.lists import list_queries
from core.api.lists.csv_export import table
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet, only_argument

URI = OpenApiParameter("uri", str, required=True, description="URI of a traceable resource.")


class TraceView(ApiView):
    """What a resource came from, and what came of it."""

    says = {"get": "Trace the provenance of a resource"}

    @extend_schema(parameters=[URI], responses={200: TraceAnswer})
    def get(self, request: Request) -> Response:
        uri = only_argument(
            request.query_params,
            "uri",
            of="A trace",
            remedy="Send the URI of what is to be traced: ?uri=...",
        )
        return Response(trace_resource(trace(uri=uri, user=self.caller)))


# `format` says how the answer is written, and nothing of its rows.
_FORMATS: Callable[[str], Q] = {"json": Q(), "csv": Q()}.__getitem__


class RecallViewSet(ResourceViewSet):
    """The pieces that came from all of what is named, each with its order and customer."""

    kind = Piece
    represent = staticmethod(recalled_piece)
    listing = ListOptions(
        filters={
            "status": Column("status"),
            "bureau": Column("bureau_id", list_queries.key_in_uri),
            "order": Column("line_item__order_id", list_queries.key_in_uri),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid", "updated": "updated"},
        plain={**CAUSES, "format": _FORMATS},
    )

    def rows(self) -> QuerySet[Piece]:
        return readable_by(Piece, self.caller).select_related("bureau", "line_item__order")

    def list(self, request: Request, **keys: Any) -> Any:
        """List recalled pieces, or export them as CSV."""
        arguments = request.query_params
        check_causes(
            [(name, uri) for name in CAUSES for uri in arguments.getlist(name)], user=self.caller
        )
        if arguments.get("format") != "csv":
            return super().list(request, **keys)
        asked = self.listing.read(arguments, kind=self.kind_listed())
        rows = self.rows().filter(asked.conditions).order_by(*asked.order)
        columns = tuple(RecalledPieceAnswer.__annotations__)
        return table("recall", columns, rows.iterator(chunk_size=500), recalled_piece)
