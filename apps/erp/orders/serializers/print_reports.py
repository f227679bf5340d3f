"""Print reports and decisions: what a request body may have, and what is returned."""

from typing import Annotated, TypedDict

from drf_spectacular.utils import OpenApiResponse

from apps.erp.base.serializers.resources import answer_of, serializer_of
from apps.erp.orders.domain.documents.document_files import PDF
from apps.erp.orders.domain.print_findings import FindingAnswer, ReportLimitsAnswer
from apps.erp.orders.models.print_reports import PrintDecision, PrintReport, PrintReportFile
from core.api.fields import StrictText
from core.api.openapi.response_types import ErrorAnswer, Uri
from core.api.renderers import Response
from core.files.signed_urls import download_url
from core.text.file_names import safe_file_name


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


class ReportFileAnswer(TypedDict):
    """The print reports of an order as PDF: begun by the first request, there after a moment."""

    status: Annotated[str, PrintReportFile.Status]
    errors: list[ErrorAnswer] | None
    content: Uri | None


REPORT_FILE_ANSWERS = {
    200: ReportFileAnswer,
    202: OpenApiResponse(
        ReportFileAnswer, description="Processing started; see the Retry-After header."
    ),
}


def report_file_response(row: PrintReportFile) -> Response:
    """Return the status and the download URL of the PDF: 202 until it is made."""
    name = safe_file_name(f"print-reports-{row.data['order_number']}", "pdf")
    body: ReportFileAnswer = {
        "status": row.status,
        "errors": row.errors,
        "content": row.content_id and download_url(row.content_id, media_type=PDF, filename=name),
    }
    if row.status == PrintReportFile.Status.PROCESSING:
        return Response(body, 202, headers={"Retry-After": "2"})
    return Response(body)
