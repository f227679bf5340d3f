"""Views: pieces and runs."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.access import readable_by
from apps.erp.base.views.resources import RowViewSet, changed_uris
from apps.erp.orders.models.pieces import Piece
from apps.erp.production.models.runs import Run
from apps.erp.production.serializers import runs as serializers
from apps.erp.production.services import pieces, runs
from core.api.fields import ValidatedData
from core.api.queue_position import QueuePositionMixin
from core.api.renderers import Response


class PieceViewSet(RowViewSet):
    kind = Piece
    serializer_class = serializers.PieceSerializer
    answers = serializers.PieceAnswer
    represent = staticmethod(serializers.piece_resource)
    listing = serializers.piece_listing()

    def perform_update(self, row: Any, values: ValidatedData) -> None:
        pieces.change_piece(piece=row, **values)

    @extend_schema(request=serializers.PiecesSerializer, responses={204: None})
    def update_many(self, request: Request) -> Response:
        """Update many pieces, all or none."""
        body: Any = request.data
        named = changed_uris(body.get("pieces"))
        pieces.require_to_move(self.caller, named, of=readable_by(Piece, self.caller))
        serializer = serializers.PiecesSerializer(data=request.data, context={"request": request})
        serializer.is_valid(raise_exception=True)
        pieces.change_pieces(serializer.validated_data["pieces"])
        return Response(status=204)


class RunViewSet(QueuePositionMixin, RowViewSet):
    kind = Run
    serializer_class = serializers.RunSerializer
    answers = serializers.RunAnswer
    writes = runs
    represent = staticmethod(serializers.run_resource)

    def read(self, request: Request, row: Any = None) -> ValidatedData:
        body: Any = request.data
        if row is None:
            pieces.require_to_move(self.caller, body.get("pieces"))
        return super().read(request, row)

    def perform_create(self, values: ValidatedData) -> Any:
        run = runs.create(actor=self.caller, **values)
        return self.rows().get(pk=run.pk)
