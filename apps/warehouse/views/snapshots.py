"""Views: snapshots of models."""

from django.db.models import QuerySet

from apps.warehouse.models import Model, Snapshot
from apps.warehouse.serializers.snapshot import SnapshotSerializer, snapshot_resource
from apps.warehouse.services import snapshots as services
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.queue_position import QueuePositionMixin


class SnapshotViewSet(QueuePositionMixin):
    kind = Snapshot
    serializer_class = SnapshotSerializer
    writes = services
    represent = staticmethod(snapshot_resource)
    listing = ListOptions(
        filters={
            "status": Column("status"),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid", "status": "status"},
    )

    def rows(self) -> QuerySet[Snapshot]:
        models = Model.objects.visible_to(self.caller)
        snapshots = Snapshot.objects.filter(model__in=models).select_related("model")
        return snapshots.filter(model=self.kwargs["model"])

    def may(self, row: Snapshot, right: str) -> bool:
        return services.may_delete(self.caller, row)

    def perform_create(self, values: ValidatedData) -> Snapshot:
        return services.create(actor=self.caller, model_uuid=self.kwargs["model"], **values)

    def perform_update(self, row: Snapshot, values: ValidatedData) -> None:
        """Nothing of a picture changes: what was read may be sent back, and all else is refused."""
