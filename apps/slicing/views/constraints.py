"""Views: constraints, and the models that they bind."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request

from apps.slicing.models import Association, Constraint
from apps.slicing.queries import readable_associations, readable_constraints
from apps.slicing.serializers.constraint import (
    AssociationSerializer,
    ConstraintSerializer,
    association_resource,
    constraint_resource,
)
from apps.slicing.services import constraints
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ResourceViewSet

CREATED = Column("created", list_queries.time, ordered=True)


class ConstraintViewSet(ResourceViewSet):
    kind = Constraint
    serializer_class = ConstraintSerializer
    writes = constraints
    represent = staticmethod(constraint_resource)
    listing = ListOptions(
        filters={"name": Column("name"), "created": CREATED},
        search={"name": "name", "description": "description"},
        sort={"created": "uuid", "updated": "updated", "name": "name"},
    )

    def rows(self) -> QuerySet[Constraint]:
        return readable_constraints(self.caller).select_related("owner")

    def destroy(self, request: Request, uuid: UUID, **keys: Any) -> Response:
        # The contract lists the delete of an association under this path, too.
        association = readable_associations(self.caller).filter(pk=uuid).first()
        if association is None:
            return super().destroy(request, uuid, **keys)
        constraints.release_model(actor=self.caller, association=association)
        return Response(status=204)


class AssociationViewSet(ResourceViewSet):
    kind = Association
    serializer_class = AssociationSerializer
    represent = staticmethod(association_resource)
    listing = ListOptions(
        filters={
            "constraint": Column("constraint_id", list_queries.key_in_uri),
            "model_uri": Column("model_uri", list_queries.uri),
            "created": CREATED,
        },
        sort={"created": "uuid"},
    )

    def rows(self) -> QuerySet[Association]:
        return readable_associations(self.caller).select_related("constraint", "owner")

    def perform_create(self, values: ValidatedData) -> Association:
        return constraints.bind_model(actor=self.caller, **values)

    def may(self, row: Association, right: str) -> bool:
        return constraints.may_release(self.caller, row)

    def perform_update(self, row: Association, values: ValidatedData) -> None:
        """Change nothing: both fields are fixed, and only their present values are valid."""

    def perform_destroy(self, row: Association) -> None:
        constraints.release_model(actor=self.caller, association=row)
