"""View of the unscheduled pieces of a bureau."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.views.resources import BelowViewSet
from apps.erp.production.domain.unscheduled import unscheduled
from apps.erp.production.serializers.unscheduled import UnscheduledAnswer, unscheduled_resource
from core.api.renderers import Response


class UnscheduledViewSet(BelowViewSet):
    """Line items with pieces that wait for a run, in the order of work."""

    says = {"list": "List line items with unscheduled pieces, in order"}
    kind = Bureau

    @extend_schema(responses={200: UnscheduledAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        return self.page(request, uuid, unscheduled, unscheduled_resource)
