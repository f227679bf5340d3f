"""{erp_url}: lots of material, their books, and what is missing."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp import models
from apps.erp.base.views.resources import BelowViewSet, RowViewSet
from apps.erp.inventory.domain.shortages import shortages_of
from apps.erp.inventory.serializers import lots as serializers
from apps.erp.inventory.services import lots, movements
from core.api.renderers import Response


class StockViewSet(RowViewSet):
    kind = models.Stock
    writes = lots

    def perform_create(self, values: dict[str, Any]) -> models.Stock:
        return lots.create(actor=self.caller, **values)


class StockMovementViewSet(RowViewSet):
    kind = models.StockMovement
    serializer_class = serializers.StockMovementSerializer
    writes = movements


class ShortagesViewSet(BelowViewSet):
    """The materials of a bureau of which more is needed than there is."""

    says = {"list": "List which materials a bureau lacks"}
    kind = models.Bureau

    @extend_schema(responses={200: serializers.ShortageAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        return self.page(request, uuid, shortages_of, serializers.shortage_resource)
