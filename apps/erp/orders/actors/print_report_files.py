"""Job: make the PDF of an order's print reports."""

from django.db import transaction

from apps.erp.orders.actors.documents import draw_page
from apps.erp.orders.domain.documents.report_page import reports_page
from apps.erp.orders.models.print_reports import PrintReportFile
from core.files import blobs
from core.queue.row_jobs import row_job

_Status = PrintReportFile.Status
PART_COST = 0.15  # s


@row_job("extras", of=PrintReportFile, begun_in=[_Status.PROCESSING], related=("order__bureau",))
def make_print_report_file(file: PrintReportFile) -> None:
    """Draw the print reports of an order: processing -> processed, or -> error."""
    page = reports_page(file.order, file.data, file.created)
    stored = draw_page(page, file.key[:32])
    with transaction.atomic():
        file.move(_Status.PROCESSED, content_id=blobs.create_row(*stored))
