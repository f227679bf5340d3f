"""Views: proposed and confirmed start and end G-code of printers."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.viewsets import ViewSetMixin

from apps.slicing.domain.catalogue import Preset, catalogue
from apps.slicing.models import PrinterGcode
from apps.slicing.serializers.printer_gcode import (
    GcodeProposalAnswer,
    GcodeTextsSerializer,
    PrinterGcodeSerializer,
    printer_gcode_resource,
    proposal_resource,
)
from apps.slicing.services import printer_gcodes
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet
from core.errors import NotFound


class GcodeProposalViewSet(ViewSetMixin, ApiView):
    """The G-code of a printer, translated from another slicer's; nothing is stored."""

    says = {
        "retrieve": "Get the proposed start and end G-code of a printer",
        "translate": "Translate start and end G-code",
    }
    only_asks = True

    @extend_schema(responses={200: GcodeProposalAnswer})
    def retrieve(self, request: Request, uuid: UUID) -> Response:
        proposal = printer_gcodes.propose(printer=_preset(uuid))
        return Response(proposal_resource(proposal))

    @extend_schema(request=GcodeTextsSerializer, responses={200: GcodeProposalAnswer})
    def translate(self, request: Request, uuid: UUID) -> Response:
        printer = _preset(uuid)
        serializer = GcodeTextsSerializer(data=request.data, context={"request": request})
        serializer.is_valid(raise_exception=True)
        texts = dict(serializer.validated_data)
        return Response(proposal_resource(printer_gcodes.propose(printer=printer, texts=texts)))


class PrinterGcodeViewSet(ResourceViewSet):
    says = {
        "create": "Confirm the start and end G-code of a printer",
        "retrieve": "Get confirmed G-code",
        "list": "List confirmed G-code of printers",
        "destroy": "Delete confirmed G-code",
    }
    kind = PrinterGcode
    related = ("owner",)
    serializer_class = PrinterGcodeSerializer
    writes = printer_gcodes
    represent = staticmethod(printer_gcode_resource)
    listing = ListOptions(
        filters={
            "status": Column("status"),
            "printer": Column("preset_uuid", list_queries.key_in_uri),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid", "status": "status"},
    )


def _preset(uuid: UUID) -> Preset:
    preset = catalogue().by_key.get(uuid)
    if preset is None:
        raise NotFound("There is no such preset.")
    return preset
