"""Views: shipments of orders."""

from apps.erp.base.views.resources import RowViewSet
from apps.erp.orders.models.shipments import Shipment
from apps.erp.orders.serializers.shipments import (
    ShipmentAnswer,
    ShipmentSerializer,
    shipment_resource,
)
from apps.erp.production.services import shipments


class ShipmentViewSet(RowViewSet):
    """Parcels with pieces of orders."""

    kind = Shipment
    serializer_class = ShipmentSerializer
    answers = ShipmentAnswer
    represent = staticmethod(shipment_resource)
    writes = shipments
