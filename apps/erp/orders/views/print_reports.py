"""Views: limits of processes, print reports and decisions about them."""

from apps.erp.base.views.resources import RowViewSet
from apps.erp.orders.models.print_reports import PrintDecision, PrintReport, ProcessLimits
from apps.erp.orders.serializers.print_reports import (
    PrintDecisionAnswer,
    PrintDecisionSerializer,
    PrintReportAnswer,
)
from apps.erp.orders.services import print_decisions


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
