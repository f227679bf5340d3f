"""Views: operations."""

from apps.integrations.models import Operation
from apps.integrations.serializers.operation import OperationSerializer, operation_resource
from apps.integrations.services import operations
from core.api.callbacks import CallbackOutputMixin
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.queue_position import QueuePositionMixin


class OperationViewSet(QueuePositionMixin, CallbackOutputMixin):
    kind = Operation
    related = ("service", "owner")
    serializer_class = OperationSerializer
    writes = operations
    represent = staticmethod(operation_resource)
    created_status = 204
    listing = ListOptions(
        filters={
            "status": Column("status"),
            "service": Column("service_id", list_queries.key_in_uri),
            "type": Column("service__type"),
            "model": Column("model_uri", list_queries.uri),
            "created": Column("created", list_queries.time, ordered=True),
            "updated": Column("updated", list_queries.time, ordered=True),
        },
        search={"service": "service__name"},
        sort={"created": "uuid", "status": "status", "updated": "updated"},
    )
