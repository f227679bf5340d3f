"""The print reports of an order as PDF: made by a job when it is requested."""

from datetime import timedelta
from hashlib import sha256

import orjson
from django.db import transaction
from django.utils import timezone

from apps.erp.orders.actors.print_report_files import PART_COST, make_print_report_file
from apps.erp.orders.domain.documents.document_page import logo_of
from apps.erp.orders.domain.documents.report_page import reports_data
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.print_reports import PrintReportFile
from core.queue.row_jobs import enqueue

PAGE_VERSION = 1  # a change of the page's layout raises it
RETRY_AFTER = timedelta(minutes=10)  # until a PDF that could not be made is tried again


@transaction.atomic
def request_file(*, order: Order) -> PrintReportFile:
    """Return the PDF of an order's print reports as they are now; start it where there is none.

    An order has one, for its present reports.

    Raises report_page.NoPrintReport and report_page.TooManyParts.
    """
    data = reports_data(order)
    brand = sha256(logo_of(order.bureau_id) or b"").hexdigest()
    contents = [PAGE_VERSION, data, brand, order.bureau.accent]
    key = sha256(orjson.dumps(contents)).hexdigest()
    earlier = timezone.now() - RETRY_AFTER
    files = PrintReportFile.objects.filter(order=order)
    files.filter(key=key, status=PrintReportFile.Status.ERROR, updated__lt=earlier).delete()
    row, is_new = PrintReportFile.objects.get_or_create(
        key=key, defaults={"order": order, "data": data}
    )
    if is_new:
        files.exclude(pk=key).delete()
        cost = PART_COST * (3 + len(data["parts"]))
        enqueue(make_print_report_file, row, owner=order.creator_id, cost=cost)
    return row
