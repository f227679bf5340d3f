"""View of the material shortages of a bureau."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.views.resources import BelowViewSet
from apps.erp.orders.domain.shortages import shortages_of
from apps.erp.production.serializers.shortages import ShortageAnswer, shortage_resource
from core.api.renderers import Response


class ShortagesViewSet(BelowViewSet):
    """The materials of a bureau of which more is needed than there is."""

    says = {"list": "List material shortages of a bureau"}
    kind = Bureau

    @extend_schema(responses={200: ShortageAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        return self.page(request, uuid, shortages_of, shortage_resource)
