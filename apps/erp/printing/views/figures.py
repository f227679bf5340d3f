"""View of the key figures of a bureau."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.views.resources import Below
from apps.erp.orders.services.price_lists import priced_bureaus
from apps.erp.printing.domain.figures import figures_of
from apps.erp.printing.serializers.figures import FiguresAnswer, figures_resource
from core.api.renderers import Response


class FiguresView(Below):
    """How a bureau's business goes."""

    kind = Bureau

    @extend_schema(responses={200: FiguresAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Get key figures of a bureau."""
        bureau = self.row(uuid)
        selling = self.caller.is_staff or bureau.pk in priced_bureaus(self.caller)
        return Response(figures_resource(figures_of(bureau, selling=selling)))
