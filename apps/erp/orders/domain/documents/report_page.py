"""Print reports of an order as a page: its contents, and the HTML that its PDF is drawn from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypedDict

from babel.dates import format_date, format_datetime
from django.template.loader import render_to_string
from django.utils import translation

from apps.erp.orders.domain.documents.document_content import Party
from apps.erp.orders.domain.documents.document_data import language_of, seller_of
from apps.erp.orders.domain.documents.document_page import letterhead, logo_of, png_url
from apps.erp.orders.domain.print_decisions import current_reports
from apps.erp.orders.domain.print_findings import FindingAnswer, ReportLimitsAnswer
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.print_reports import PrintDecision, PrintReport
from apps.warehouse import interface as warehouse
from core.errors import Conflict
from core.files import blobs
from core.text import print_findings as sentences

MAX_PARTS = 100
MAX_DECISIONS = 20  # of a part, the newest


class NoPrintReport(Conflict):
    """No part of the order has a print report."""

    code = "no-print-report"


class TooManyParts(Conflict):
    """The order has more parts than a PDF of its print reports may have."""

    code = "too-many-lines"


class RecordedDecision(TypedDict):
    """What was decided about a part."""

    decision: str
    name: str
    text: str
    at: str
    by_customer: bool


class ReportedFindings(TypedDict):
    """The print report of a part."""

    status: str
    limits: ReportLimitsAnswer
    findings: list[FindingAnswer]
    not_checked: list[str]


class ReportedPart(TypedDict):
    """A part of the order.

    picture : SHA-256 of a PNG; null without one
    report  : null where the part has none
    """

    name: str
    quantity: int
    picture: str | None
    report: ReportedFindings | None
    decisions: list[RecordedDecision]


class ReportsData(TypedDict):
    """All that the PDF says."""

    language: str
    order: str
    order_number: int
    reference: str
    customer: str
    seller: Party
    parts: list[ReportedPart]


def reports_data(order: Order) -> ReportsData:
    """Return what the PDF of an order says now. Raises TooManyParts and NoPrintReport."""
    items = order.line_items.exclude(status=LineItem.Status.CANCELLED).order_by("pk")
    parts = list(items[: MAX_PARTS + 1])
    if len(parts) > MAX_PARTS:
        raise TooManyParts(f"A PDF has the reports of up to {MAX_PARTS} parts: divide the order.")
    reports = current_reports(parts)
    if not reports:
        raise NoPrintReport("No part of the order has a print report: set limits, then estimate.")
    pictures = warehouse.picture_files_of({item.model_uri for item in parts if item.model_uri})
    decisions = _decisions(parts)
    customer = order.customer
    return {
        "language": language_of(order),
        "order": order.uri,
        "order_number": order.number,
        "reference": order.customer_po,
        "customer": customer.name if customer else order.customer_name,
        "seller": seller_of(order.bureau),
        "parts": [
            {
                "name": item.name,
                "quantity": item.quantity,
                "picture": pictures.get(item.model_uri or ""),
                "report": _report(reports.get(item.pk)),
                "decisions": decisions[item.pk][:MAX_DECISIONS],
            }
            for item in parts
        ],
    }


def _report(row: PrintReport | None) -> ReportedFindings | None:
    if row is None:
        return None
    return {
        "status": row.status,
        "limits": row.limits,
        "findings": row.findings,
        "not_checked": row.not_checked,
    }


def _decisions(items: Iterable[LineItem]) -> Mapping[object, list[RecordedDecision]]:
    """Decisions about all files of line items, by line item, the newest first."""
    rows = PrintDecision.objects.filter(print_report__line_item__in=items).order_by("-pk")
    decisions: dict[object, list[RecordedDecision]] = defaultdict(list)
    for row in rows.select_related("print_report"):
        decisions[row.print_report.line_item_id].append(
            {
                "decision": row.decision,
                "name": row.name,
                "text": row.text,
                "at": row.created.isoformat(),
                "by_customer": row.by_customer,
            }
        )
    return decisions


def reports_page(order: Order, data: ReportsData, made: datetime) -> str:
    """Return the page in the language of its data. All texts in it are escaped.

    made : when the PDF was requested
    """
    with translation.override(data["language"]):
        head = letterhead(
            data["language"],
            data["seller"],
            logo=logo_of(order.bureau_id),
            accent=order.bureau.accent,
        )
        context = head | {
            "data": data,
            "title": translation.gettext("Printability report"),
            "made": format_date(made.date(), "long", locale=data["language"]),
            "parts": [_shown(part, data["language"]) for part in data["parts"]],
        }
        return render_to_string("documents/print-reports.html", context)


def _shown(part: ReportedPart, language: str) -> dict[str, object]:
    report = part["report"]
    shown: dict[str, object] = {
        "name": part["name"],
        "quantity": part["quantity"],
        "picture": _picture(part["picture"]),
        "decisions": [
            {
                **decision,
                "shown": sentences.DECISIONS[decision["decision"]],
                "time": format_datetime(
                    datetime.fromisoformat(decision["at"]), "medium", locale=language
                ),
            }
            for decision in part["decisions"]
        ],
    }
    if report is None:
        return shown
    verdict, tone = sentences.verdict_label(report["status"], report["findings"])
    return shown | {
        "verdict": verdict,
        "tone": tone,
        "is_made": report["status"] == PrintReport.Status.PROCESSED,
        "limits": sentences.limits_sentence(report["limits"]),
        "findings": sentences.described_findings(report["findings"], report["limits"]["process"]),
        "not_checked": sentences.not_checked_names(report["not_checked"]),
    }


def _picture(sha256: str | None) -> str | None:
    try:
        return png_url(blobs.read(sha256)) if sha256 else None
    except FileNotFoundError:  # the model was deleted meanwhile
        return None
