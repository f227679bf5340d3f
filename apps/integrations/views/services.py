"""Views: services."""

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request

from apps.integrations.models import Service
from apps.integrations.serializers.service import (
    NewServiceAnswer,
    ServiceSerializer,
    service_resource,
)
from apps.integrations.services import catalogue
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ResourceViewSet


@extend_schema_view(create=extend_schema(responses={201: NewServiceAnswer}))
class ServiceViewSet(ResourceViewSet):
    kind = Service
    serializer_class = ServiceSerializer
    writes = catalogue
    represent = staticmethod(service_resource)
    repeatable = False  # the answer holds a secret
    listing = ListOptions(
        filters={
            "type": Column("type"),
            "name": Column("name"),
            "group_uri": Column("group_key", list_queries.key_in_uri),
            "created": Column("created", list_queries.time, ordered=True),
        },
        search={"name": "name", "description": "description"},
        sort={"created": "uuid", "name": "name", "type": "type"},
    )

    def may(self, row: Service, right: str) -> bool:
        return catalogue.may_change(self.caller)

    def _create(self, request: Request) -> Response:
        row = self.perform_create(self.read(request))
        body = {**self.represent(row), "secret": row.secret}
        return Response(body, 201, headers={"Location": row.uri, "X-Location": row.uri})
