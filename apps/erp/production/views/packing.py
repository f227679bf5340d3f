"""Views: packed runs, unpacking order and capacity."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from apps.erp.base.services import authorization
from apps.erp.base.views.resources import Below, BelowViewSet, RowViewSet
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.production.models.runs import Place, Run
from apps.erp.production.serializers.packing import (
    CapacityAnswer,
    CreateRunsSerializer,
    UnpackingAnswer,
    capacity_resource,
    unpacking_of,
)
from apps.erp.production.serializers.runs import RunAnswer, run_resource
from apps.erp.production.services import capacities, packing
from core.api.fields import ValidatedData
from core.api.queue_position import QueuePositionMixin
from core.api.renderers import Response
from core.api.views import only_argument


class CreateRunsViewSet(QueuePositionMixin, RowViewSet):
    """Runs of a printer: made by its bureau's members, packed in the background."""

    says = {"create": "Pack pieces into runs for a printer"}
    kind = Run
    serializer_class = CreateRunsSerializer
    represent = staticmethod(run_resource)
    answers = RunAnswer

    def read(self, request: Request, row: Any = None) -> ValidatedData:
        body: Any = request.data
        uri = body.get("printer")
        if isinstance(uri, str):
            named = Printer.objects.filter(pk__in=Printer.keys_of(uri))
            printer = named.select_related("bureau").first()
            authorization.require_membership(self.caller, printer.bureau if printer else None, uri)
        return super().read(request, row)

    def perform_create(self, values: ValidatedData) -> Run:
        run = packing.create_packed_run(actor=self.caller, **values)
        return self.rows().get(pk=run.pk)


class UnpackingViewSet(BelowViewSet):
    """The pieces of a run, in the order in which they come out."""

    says = {"list": "List the pieces of a run in unpacking order"}
    kind = Run

    @extend_schema(responses={200: UnpackingAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        return self.page(request, uuid, _in_order, unpacking_of)


def _in_order(run: Run) -> QuerySet[Place]:
    return run.places.select_related("piece__line_item").order_by("position", "pk")


MODEL = OpenApiParameter("model", str, required=True, description="URI of a processed model.")


class CapacityView(Below):
    """How many of a model a type of printer holds; better with every answer until it is final."""

    says = {"get": "Get the capacity of a printer type for a model"}
    kind = PrinterType

    @extend_schema(parameters=[MODEL], responses={200: CapacityAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        printer_type = self.row(uuid)
        model = only_argument(
            request.query_params,
            "model",
            of="A capacity",
            remedy="Send the URI of the model that is to be counted: ?model=...",
        )
        found = capacities.find_capacity(user=self.caller, printer_type=printer_type, model=model)
        return Response(capacity_resource(found))
