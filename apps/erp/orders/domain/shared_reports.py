"""Print reports as the customer of an order sees them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, TypedDict
from uuid import UUID

from apps.erp.orders.domain.print_decisions import current_reports, last_decision
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
    reports = current_reports(items)
    last = {key: last_decision(row) for key, row in reports.items()}
    uris = {row.model_uri for row in last.values() if row and row.model_uri}
    models = warehouse.get_models_unchecked(uris)
    statuses = {uri: model.status for uri, model in models.items()}
    open_items = {item.pk for item in items if item.status in LineItem.OPEN}
    return {
        key: _shared(row, last[key], statuses, is_open=key in open_items)
        for key, row in reports.items()
    }


def _shared(
    row: PrintReport, last: PrintDecision | None, statuses: Mapping[str, str], *, is_open: bool
) -> SharedReport:
    return {
        "report": row.pk,
        "status": row.status,
        "verdict": row.verdict,
        "limits": row.limits,
        "findings": row.findings,
        "not_checked": row.not_checked,
        "gone": row.gone,
        "decision": _decision(last, statuses) if last else None,
        "needs_decision": is_open and row.needs_decision,
        "can_decide": is_open and row.status == PrintReport.Status.PROCESSED,
    }


def _decision(row: PrintDecision, statuses: Mapping[str, str]) -> SharedDecision:
    return {
        "decision": row.decision,
        "name": row.name,
        "text": row.text,
        "at": row.created,
        "replacement": statuses.get(row.model_uri or ""),
    }
