"""Views: material lots and stock movements."""

from apps.erp.base.views.resources import RowViewSet
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from apps.erp.inventory.serializers import lots as serializers
from apps.erp.inventory.services import lots, movements
from core.api.fields import ValidatedData


class StockViewSet(RowViewSet):
    kind = Stock
    writes = lots

    def perform_create(self, values: ValidatedData) -> Stock:
        return lots.create(actor=self.caller, **values)


class StockMovementViewSet(RowViewSet):
    kind = StockMovement
    serializer_class = serializers.StockMovementSerializer
    writes = movements
