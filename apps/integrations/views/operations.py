"""{integrations_url}: operations."""

from apps.integrations.models import Operation
from apps.integrations.serializers.operation import OperationSerializer, operation_resource
from apps.integrations.services import operations
from core.api import lists
from core.api.callbacks import CallbackTellers
from core.api.lists import Column, Listing
from core.api.waiting import WaitingTellers


class OperationViewSet(WaitingTellers, CallbackTellers):
    kind = Operation
    related = ("service", "owner")
    serializer_class = OperationSerializer
    writes = operations
    represent = staticmethod(operation_resource)
    created_status = 204
    listing = Listing(
        filters={
            "status": Column("status"),
            "service": Column("service_id", lists.key_in_uri),
            "type": Column("service__type"),
            "model": Column("model_uri", lists.uri),
            "created": Column("created", lists.time, ordered=True),
            "updated": Column("updated", lists.time, ordered=True),
        },
        search={"service": "service__name"},
        sort={"created": "uuid", "status": "status", "updated": "updated"},
    )
