"""Views: material lots and stock movements."""

from django.db.models import QuerySet

from apps.erp.base.serializers.resources import answer_of, resource
from apps.erp.base.views.resources import RowViewSet
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from apps.erp.inventory.serializers import lots as serializers
from apps.erp.inventory.services import lots, materials, movements
from apps.erp.organisation.models.master_data import Material
from core.api.fields import ValidatedData
from core.api.openapi.response_types import FreeJson


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
