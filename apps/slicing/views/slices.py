"""{slicing_url}: slices."""

from typing import Any

from django.db.models import QuerySet

from apps.slicing.models import Slice
from apps.slicing.serializers.slice import SliceSerializer, slice_resource
from apps.slicing.services import slices
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet


class SliceViewSet(ResourceViewSet):
    service = "slicing"
    serializer_class = SliceSerializer
    listing = Listing(
        filters={
            "status": Column("status"),
            "model": Column("model_uri", lists.uri),
            "config": Column("config_id", lists.key_in_uri),
            "engine": Column("config__engine"),
            "created": Column("created", lists.time, ordered=True),
        },
        sort={"created": "uuid", "status": "status", "updated": "updated"},
    )

    def rows(self) -> QuerySet[Slice]:
        return Slice.objects.visible_to(self.caller).select_related("config", "owner")

    def represent(self, row: Slice) -> dict[str, Any]:
        return slice_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Slice:
        return slices.create_slice(owner=self.caller, **values)

    def perform_destroy(self, row: Slice) -> None:
        slices.delete_slice(row=row)
