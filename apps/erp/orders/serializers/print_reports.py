"""Print reports and decisions: what a request body may have, and what is returned."""

from typing import TypedDict

from apps.erp.base.serializers.resources import answer_of, serializer_of
from apps.erp.orders.domain.print_findings import FindingAnswer, ReportLimitsAnswer
from apps.erp.orders.models.print_reports import PrintDecision, PrintReport
from core.api.fields import StrictText
from core.api.openapi.response_types import ErrorAnswer


class PrintReportBeside(TypedDict):
    """What the columns of a print report do not say."""

    limits: ReportLimitsAnswer
    findings: list[FindingAnswer]
    not_checked: list[str]
    gone: list[FindingAnswer]
    errors: list[ErrorAnswer] | None


class PrintDecisionBeside(TypedDict):
    """What the columns of a decision do not say."""

    findings: list[FindingAnswer]


PrintReportAnswer = answer_of(PrintReport, PrintReportBeside)
PrintDecisionSerializer = serializer_of(
    PrintDecision, name=StrictText(max_length=200, help_text="Name of the person who decided.")
)
PrintDecisionAnswer = answer_of(PrintDecision, PrintDecisionBeside)
