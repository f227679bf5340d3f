"""{slicing_url}: configs and slices."""

from typing import Any

from django.db.models import QuerySet

from apps.slicing import services
from apps.slicing.models import Config, Slice
from apps.slicing.serializers import (
    ConfigSerializer,
    SliceSerializer,
    config_resource,
    slice_resource,
)
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet

CREATED = Column("created", lists.time, ordered=True)


class ConfigViewSet(ResourceViewSet):
    service = "slicing"
    serializer_class = ConfigSerializer
    listing = Listing(
        filters={"engine": Column("engine"), "created": CREATED},
        search={"description": "description"},
        sort={"created": "uuid", "description": "description", "engine": "engine"},
    )

    def rows(self) -> QuerySet[Config]:
        return Config.objects.visible_to(self.caller).select_related("owner")

    def represent(self, row: Config) -> dict[str, Any]:
        return config_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Config:
        return services.create_curated_config(owner=self.caller, **values)

    def perform_update(self, row: Config, values: dict[str, Any]) -> None:
        services.update_config(config=row, description=values.get("description"))

    def perform_destroy(self, row: Config) -> None:
        services.delete_config(config=row)


class SliceViewSet(ResourceViewSet):
    service = "slicing"
    serializer_class = SliceSerializer
    listing = Listing(
        filters={
            "status": Column("status"),
            "model": Column("model_uri", lists.uri),
            "config": Column("config_id", lists.key_in_uri),
            "engine": Column("config__engine"),
            "created": CREATED,
        },
        sort={"created": "uuid", "status": "status", "updated": "updated"},
    )

    def rows(self) -> QuerySet[Slice]:
        return Slice.objects.visible_to(self.caller).select_related("config", "owner")

    def represent(self, row: Slice) -> dict[str, Any]:
        return slice_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Slice:
        return services.create_slice(owner=self.caller, **values)

    def perform_destroy(self, row: Slice) -> None:
        services.delete_slice(row=row)
