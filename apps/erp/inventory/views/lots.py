"""Views: material lots, stock movements, and the inventory in figures."""

from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.serializers.resources import answer_of, resource
from apps.erp.base.views.resources import Below, RowViewSet
from apps.erp.inventory.domain.stock_figures import StockFigures, stock_figures
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from apps.erp.inventory.serializers import lots as serializers
from apps.erp.inventory.services import lots, materials, movements
from apps.erp.organisation.models.master_data import Material
from core.api.fields import ValidatedData
from core.api.openapi.response_types import FreeJson
from core.api.renderers import Response


class MaterialViewSet(RowViewSet):
    kind = Material
    writes = materials


class StockViewSet(RowViewSet):
    kind = Stock
    writes = lots
    answers = answer_of(Stock, serializers.StockExtras)
    listing = serializers.STOCK_LISTING

    def rows(self) -> QuerySet:
        return super().rows().select_related("material")

    def represent(self, row: Stock) -> FreeJson:
        return {**resource(row), "level": row.material.stock_level}

    def perform_create(self, values: ValidatedData) -> Stock:
        return lots.create(actor=self.caller, **values)


class StockMovementViewSet(RowViewSet):
    kind = StockMovement
    serializer_class = serializers.StockMovementSerializer
    writes = movements


class StockFiguresView(Below):
    """Inventory of a bureau in figures."""

    says = {"get": "Return the inventory of a bureau in figures"}
    kind = Bureau

    @extend_schema(responses={200: StockFigures})
    def get(self, request: Request, uuid: UUID) -> Response:
        return Response(stock_figures(self.row(uuid)))
