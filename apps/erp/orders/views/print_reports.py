"""Views: limits of processes, print reports and decisions about them."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.views.resources import Below, RowViewSet
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.print_reports import PrintDecision, PrintReport, ProcessLimits
from apps.erp.orders.serializers.print_reports import (
    REPORT_FILE_ANSWERS,
    PrintDecisionAnswer,
    PrintDecisionSerializer,
    PrintReportAnswer,
    report_file_response,
)
from apps.erp.orders.services import print_decisions, print_report_files
from core.api.renderers import Response


class ProcessLimitsViewSet(RowViewSet):
    says = {
        "list": "List limits of processes",
        "create": "Set limits of a process",
        "retrieve": "Get limits of a process",
        "update": "Change limits of a process",
        "destroy": "Delete limits of a process",
    }
    kind = ProcessLimits


class PrintReportViewSet(RowViewSet):
    """What is below the limits in the models of line items: made by the platform."""

    kind = PrintReport
    answers = PrintReportAnswer


class PrintDecisionViewSet(RowViewSet):
    kind = PrintDecision
    serializer_class = PrintDecisionSerializer
    answers = PrintDecisionAnswer
    writes = print_decisions


class PrintReportFileView(Below):
    """The print reports of an order as PDF."""

    says = {"get": "Get the print reports of an order as PDF"}
    kind = Order

    @extend_schema(responses=REPORT_FILE_ANSWERS)
    def get(self, request: Request, uuid: UUID) -> Response:
        """The PDF is begun by the first request, and anew once its contents have changed."""
        return report_file_response(print_report_files.request_file(order=self.row(uuid)))
