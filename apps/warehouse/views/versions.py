"""Views: versions of models."""

from collections.abc import Sequence
from functools import partial

from django.db.models import Q

from apps.warehouse.models import ModelVersion
from apps.warehouse.serializers.version import (
    ModelVersionAnswer,
    ModelVersionSerializer,
    version_resources,
)
from apps.warehouse.services import versions
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet

_model_key = partial(list_queries.key_of_kind, "model")


class SeriesColumn(Column):
    """All versions of the part of which a model is one; several URIs stand between commas."""

    def among(self, values: str) -> Q:
        keys = [self.read(value) for value in values.split(",")]
        series = ModelVersion.objects.filter(model__in=keys).values(self.lookup)
        return Q(**{f"{self.lookup}__in": series})


class ModelVersionViewSet(ResourceViewSet):
    """Models as versions of a part."""

    kind = ModelVersion
    serializer_class = ModelVersionSerializer
    writes = versions
    related = ("model",)
    listing = ListOptions(
        filters={
            "model": Column("model_id", _model_key),
            "versions_of": SeriesColumn("series", _model_key),
        },
        sort={"created": "uuid", "number": "number"},
    )

    def represent(self, row: ModelVersion) -> ModelVersionAnswer:
        return version_resources([row], self.caller)[0]

    def represent_all(self, rows: Sequence[ModelVersion]) -> list[ModelVersionAnswer]:
        return version_resources(rows, self.caller)

    def may(self, row: ModelVersion, right: str) -> bool:
        return row.model.is_open_to(self.caller, "write")
