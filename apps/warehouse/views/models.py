"""Views: models, and child models."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Q
from rest_framework.request import Request

from apps.warehouse.models import Model
from apps.warehouse.queries import ModelRow, read_model, readable_models, row_of
from apps.warehouse.serializers.model import ModelAnswer, ModelSerializer, model_resource
from apps.warehouse.serializers.transformation import TransformationsSerializer
from apps.warehouse.services import models as services
from apps.warehouse.services.transformations import create_child
from apps.warehouse.views.labels import FolderColumn, TagColumn
from core.api.callbacks import CallbackOutputMixin
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.queue_position import QueuePositionMixin
from core.api.renderers import Response
from core.errors import NotFound

MAX_WILDCARDS = 5


def named(pattern: str) -> Q:
    """Return models whose name matches `pattern`.

    `*` matches any text; a pattern without it matches any part of the name.
    """
    if pattern.count("*") > MAX_WILDCARDS or len(pattern) > 255:
        raise ValueError(pattern)
    like_pattern = pattern if "*" in pattern else f"*{pattern}*"
    return Q(name__like=list_queries.like(like_pattern).replace("*", "%"))


class ModelViewSet(QueuePositionMixin, CallbackOutputMixin):
    kind = Model
    serializer_class = ModelSerializer
    writes = services
    takes_file = True
    callbacks_are_read = True
    listing = ListOptions(
        filters={
            "name": Column("name"),
            "type": Column("type"),
            "status": Column("status"),
            "created": Column("created", list_queries.time, ordered=True),
            "updated": Column("updated", list_queries.time, ordered=True),
            "file_size": Column("file_size", list_queries.number, ordered=True),
            "user_uri": Column("owner_id", list_queries.key_in_uri),
            "parent": Column("parents", partial(list_queries.key_of_kind, "model")),
            "folder": FolderColumn("labels__folder"),
            "tag": TagColumn("labels__tags"),
            "newest_version": Column("is_newest_version", list_queries.boolean),
            "analyses.manifold": Column("manifold", list_queries.boolean),
            "volume_mm": Column("volume", list_queries.number, ordered=True),
            **{
                f"size.{axis}": Column(f"size_{axis}", list_queries.number, ordered=True)
                for axis in "xyz"
            },
        },
        search={"name": "name"},
        counted=("folder", "tag"),
        sort={"created": "uuid", "updated": "updated", "name": "name", "status": "status"},
        plain={
            "name": named,
            "status": lambda value: Q(status=value),
            "created": Column("created", list_queries.time).among,
            "updated": Column("updated", list_queries.time).among,
        },
    )

    def rows(self) -> Any:
        return readable_models(self.caller)

    def row(self, uuid: UUID) -> ModelRow:
        found = read_model(uuid, self.caller)
        if found is None:
            raise NotFound("There is no such model, or not for you.")
        return found

    def may(self, row: ModelRow, right: str) -> bool:
        if row.owner_id == self.caller.pk:
            return True
        return self.caller.has_perm(f"{Model.SERVICE}.{right}", Model.uri_of(row.uuid))

    def represent(self, row: ModelRow | Model) -> ModelAnswer:
        return model_resource(row_of(row) if isinstance(row, Model) else row)

    def destroy(self, request: Request, uuid: UUID, **keys: object) -> Response:
        """Delete a model.

        204: the model is deleted; operators can restore it. 403 `Unauthorized`: the caller may
        read the model, and not delete it. 404 `resource-not-found`: no such model, or deleted.
        409 `model-in-use`: line items that are `confirmed`, `queued`, `printing`,
        `post-processing` or `shipping` need it: `details.line_items` and `details.orders` name
        them.
        """
        return super().destroy(request, uuid, **keys)

    def may_wait(self, represented: Mapping[str, object]) -> bool:
        has_work = represented["content"] is not None or represented["transformations"] is not None
        return has_work and super().may_wait(represented)


class TransformationViewSet(QueuePositionMixin, CallbackOutputMixin):
    """POST makes a child, which is a model like any other."""

    says = {"create": "Transform a model into a new one"}
    kind = Model
    serializer_class = TransformationsSerializer

    def represent(self, row: Model) -> ModelAnswer:
        child = read_model(row.uuid, self.caller)
        return model_resource(child or row_of(row))

    def perform_create(self, values: ValidatedData) -> Model:
        return create_child(actor=self.caller, model_uuid=self.kwargs["model"], **values)
