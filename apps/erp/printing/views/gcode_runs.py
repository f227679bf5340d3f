"""Views: runs of uploaded G-code, slicer keys and received files."""

from typing import Annotated, Any, TypedDict
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services import authorization
from apps.erp.base.views.resources import Below, RowViewSet
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.printing.models.slicer_uploads import ReceivedFile, SlicerKey
from apps.erp.printing.serializers.gcode_runs import (
    CreateGcodeRunSerializer,
    GcodeMatchAnswer,
    gcode_match_resource,
)
from apps.erp.printing.services import gcode_runs, slicer_uploads
from apps.erp.production.models.runs import Run
from apps.erp.production.serializers.runs import RunAnswer, run_resource
from core.api.fields import ValidatedData
from core.api.queue_position import QueuePositionMixin
from core.api.renderers import Response
from core.api.views import only_argument
from core.uris import base_url


class CreateGcodeRunViewSet(QueuePositionMixin, RowViewSet):
    """Runs of uploaded G-code: made by members of the bureau of their printer type."""

    says = {"create": "Create a run that prints uploaded G-code"}
    kind = Run
    serializer_class = CreateGcodeRunSerializer
    represent = staticmethod(run_resource)
    answers = RunAnswer

    def read(self, request: Request, row: Run | None = None) -> ValidatedData:
        body: Any = request.data
        for name, kind in (("printer", Printer), ("printer_type", PrinterType)):
            uri = body.get(name)
            authorization.require_membership_of(self.caller, kind.objects.all(), [uri], str(uri))
        return super().read(request, row)

    def perform_create(self, values: ValidatedData) -> Run:
        run = gcode_runs.create_gcode_run(actor=self.caller, **values)
        return self.rows().get(pk=run.pk)


GCODE = OpenApiParameter("gcode", str, required=True, description="URI of processed G-code.")


class GcodeMatchView(Below):
    """What uploaded G-code is for in a bureau."""

    says = {"get": "Match G-code to printer types, a material and pieces"}
    kind = Bureau

    @extend_schema(parameters=[GCODE], responses={200: GcodeMatchAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        bureau = self.row(uuid)
        gcode = only_argument(
            request.query_params,
            "gcode",
            of="A match",
            remedy="Send the URI of the G-code that is to be printed: ?gcode=...",
        )
        matches = gcode_runs.match_gcode(user=self.caller, bureau=bureau, gcode_uri=gcode)
        return Response(gcode_match_resource(matches))


class SlicerSecretAnswer(TypedDict):
    """What is entered in a slicer."""

    host: Annotated[str, "Address that is entered as the host of the printer."]
    user: Annotated[str, "User name for HTTP digest, whose password is the secret."]
    secret: Annotated[str, "API key; returned only here."]


class SlicerKeyViewSet(RowViewSet):
    kind = SlicerKey
    writes = slicer_uploads

    @extend_schema(request=None, responses={201: SlicerSecretAnswer})
    def new_secret(self, request: Request, uuid: UUID) -> Response:
        """Create the secret of a slicer key; the last one ends."""
        row = self.row(uuid)
        self.require(row)
        secret = slicer_uploads.new_secret(actor=self.caller, row=row)
        body: SlicerSecretAnswer = {
            "host": base_url("print"),
            "user": str(row.pk),
            "secret": secret,
        }
        return Response(body, 201)


class ReceivedFileViewSet(RowViewSet):
    kind = ReceivedFile
