"""Views: folders and tags of models."""

from functools import partial

from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.warehouse.models import Label
from apps.warehouse.models.label import SEPARATOR, LabelQuerySet
from apps.warehouse.serializers.label import (
    LabelResultsAnswer,
    LabelsSerializer,
    label_resource,
    label_result,
)
from apps.warehouse.services import labels
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ResourceViewSet


class FolderColumn(Column):
    """A folder, with those in it; several stand between commas."""

    def among(self, values: str) -> Q:
        rows = Q()
        for value in values.split(","):
            path = self.read(value)
            rows |= Q(**{self.lookup: path})
            rows |= Q(**{f"{self.lookup}__startswith": path + SEPARATOR}) if path else Q()
        return rows


class TagColumn(Column):
    """Tags, of which a model has one."""

    def among(self, values: str) -> Q:
        return Q(**{f"{self.lookup}__overlap": [self.read(value) for value in values.split(",")]})


class LabelViewSet(ResourceViewSet):
    """One's own labels of models."""

    says = {"update_many": "Set folders and tags of many models"}
    kind = Label
    writes = labels
    represent = staticmethod(label_resource)
    listing = ListOptions(
        filters={
            "model": Column("model_id", partial(list_queries.key_of_kind, "model")),
            "folder": FolderColumn("folder"),
            "tag": TagColumn("tags"),
        },
        sort={"created": "uuid", "folder": "folder", "updated": "updated"},
        counted=("folder", "tag"),
    )

    def rows(self) -> LabelQuerySet:
        return Label.objects.visible_to(self.caller)

    @extend_schema(request=LabelsSerializer, responses={200: LabelResultsAnswer})
    def update_many(self, request: Request) -> Response:
        """Set folders and tags of up to 1,000 models; each change has a result of its own."""
        serializer = LabelsSerializer(data=request.data, context={"request": request})
        serializer.is_valid(raise_exception=True)
        changes = serializer.validated_data["labels"]
        rows = labels.change_many(actor=self.caller, changes=changes)
        return Response({"results": list(map(label_result, changes, rows))})
