"""View of the key figures of a bureau."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.views.resources import Below
from apps.erp.orders.services.price_lists import priced_bureaus
from apps.erp.printing.domain.failure_rates import failure_rates
from apps.erp.printing.domain.figures import figures_of
from apps.erp.printing.domain.open_counts import open_counts
from apps.erp.printing.serializers.failure_rates import FailureRatesAnswer, failure_rates_resource
from apps.erp.printing.serializers.figures import (
    FiguresAnswer,
    OpenCountsAnswer,
    figures_resource,
    open_counts_resource,
)
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


class FailureRatesView(Below):
    """Failed prints and rejected pieces of a bureau."""

    kind = Bureau

    @extend_schema(responses={200: FailureRatesAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Get failed prints and rejected pieces of a bureau."""
        return Response(failure_rates_resource(failure_rates(self.row(uuid))))


class OpenCountsView(Below):
    """What waits for people in a bureau."""

    kind = Bureau

    @extend_schema(responses={200: OpenCountsAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Count the open work of a bureau."""
        bureau = self.row(uuid)
        return Response(open_counts_resource(bureau, open_counts(bureau)))
