"""Views: visits of storefronts."""

from typing import Any

from rest_framework.permissions import AllowAny

from apps.sales.models import Visit
from apps.sales.serializers import VisitSerializer, visit_resource
from apps.sales.services import visits
from core.api import list_queries
from core.api.fields import ValidatedData
from core.api.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class VisitViewSet(ResourceViewSet):
    """Visits: begun by anybody, read by their guest."""

    says = {"create": "Begin a visit of a storefront"}
    kind = Visit
    serializer_class = VisitSerializer
    represent = staticmethod(visit_resource)
    listing = ListOptions(
        filters={
            "storefront": Column("storefront"),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid"},
    )
    repeatable = False  # the answer has a secret

    def get_permissions(self) -> Any:
        return [AllowAny()] if self.action == "create" else super().get_permissions()

    def get_authenticators(self) -> Any:
        posts = self.request is not None and self.request.method == "POST"
        return [] if posts and not self.kwargs else super().get_authenticators()

    def perform_create(self, values: ValidatedData) -> Visit:
        return visits.create(**values)
