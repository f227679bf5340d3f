"""Print reports as the customer of an order sees them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, TypedDict
from uuid import UUID

from apps.erp.orders.domain.print_decisions import last_decision
from apps.erp.orders.domain.print_findings import FindingAnswer, Grade, ReportLimitsAnswer
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.print_reports import PrintDecision, PrintReport
from apps.warehouse import interface as warehouse


class SharedDecision(TypedDict):
    """What was decided about a part."""

    decision: Annotated[str, Literal["as-is", "replaced", "ask"]]
    name: str
    text: str
    at: datetime
    replacement: Annotated[
        Annotated[str, Literal["processing", "processed", "error"]] | None,
        "Status of the model that replaces the part's; null: none does.",
    ]


class SharedReport(TypedDict):
    """What was rows in a part before it is printed."""

    report: UUID
    status: Annotated[str, Literal["processing", "processed", "error"]]
    verdict: Grade | None
    limits: ReportLimitsAnswer
    findings: list[FindingAnswer]
    not_checked: list[str]
    gone: Annotated[list[FindingAnswer], "Findings of the file before that it has no more."]
    decision: Annotated[SharedDecision | None, "The last decision."]
    needs_decision: bool
    can_decide: bool


def shared_reports(items: Sequence[LineItem]) -> dict[UUID, SharedReport]:
    """Return the reports of the present models of line items, by line item."""
    models = {item.pk: item.model_uri for item in items}
    rows = PrintReport.objects.filter(line_item__in=models).order_by("pk")
    rows = rows.prefetch_related("decisions").select_related("line_item")
    current = {row.line_item_id: row for row in rows if models[row.line_item_id] == row.model_uri}
    return {key: _shared(row) for key, row in current.items()}


def _shared(row: PrintReport) -> SharedReport:
    last = last_decision(row)
    is_open = row.line_item.status in LineItem.OPEN
    return {
        "report": row.pk,
        "status": row.status,
        "verdict": row.verdict,
        "limits": row.limits,
        "findings": row.findings,
        "not_checked": row.not_checked,
        "gone": row.gone,
        "decision": _decision(last) if last else None,
        "needs_decision": is_open and row.needs_decision,
        "can_decide": is_open and row.status == PrintReport.Status.PROCESSED,
    }


def _decision(row: PrintDecision) -> SharedDecision:
    model = warehouse.get_model_unchecked(row.model_uri) if row.model_uri else None
    return {
        "decision": row.decision,
        "name": row.name,
        "text": row.text,
        "at": row.created,
        "replacement": model.status if model else None,
    }
