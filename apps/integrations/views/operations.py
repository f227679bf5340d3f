"""{integrations_url}: operations."""

from typing import Any

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

    def represent(self, row: Operation) -> dict[str, Any]:
        return operation_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Operation:
        return operations.create_operation(owner=self.caller, **values)

    def perform_update(self, row: Operation, values: dict[str, Any]) -> None:
        status = values.get("status", row.status)
        operations.update_operation(user=self.caller, operation=row, status=status)

    def perform_destroy(self, row: Operation) -> None:
        operations.delete_operation(user=self.caller, operation=row)
