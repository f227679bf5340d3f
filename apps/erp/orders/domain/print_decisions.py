"""State of print reports: which one counts, what was decided, and whether a decision is awaited."""

from collections.abc import Iterable
from uuid import UUID

from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.print_reports import Decision, PrintDecision, PrintReport
from core.errors import Conflict

_Status = PrintReport.Status


class DecisionNeeded(Conflict):
    """The customer has not decided about a part with findings."""

    code = "decision-needed"


class PrintReportPending(Conflict):
    """The print report of a part is not done."""

    code = "print-report-pending"


def current_reports(items: Iterable[LineItem]) -> dict[UUID, PrintReport]:
    """Return the last reports of the present models of line items, by line item: two queries."""
    models = {item.pk: item.model_uri for item in items}
    rows = PrintReport.objects.filter(line_item__in=models).order_by("pk")
    rows = rows.prefetch_related("decisions")
    return {row.line_item_id: row for row in rows if models[row.line_item_id] == row.model_uri}


def current_report(item: LineItem) -> PrintReport | None:
    """Return the last report of the present model of a line item."""
    return current_reports([item]).get(item.pk)


def last_decision(report: PrintReport) -> PrintDecision | None:
    """Return the decision about a report that counts."""
    return max(report.decisions.all(), key=lambda row: row.pk, default=None)


def is_accepted(report: PrintReport) -> bool:
    """Return whether the part is printed as it is, by the last decision."""
    last = last_decision(report)
    return last is not None and last.decision == Decision.AS_IS


def require_decided(item: LineItem) -> None:
    """Raise DecisionNeeded or PrintReportPending where a line item cannot be confirmed yet."""
    report = current_report(item)
    if report is None or not report.limits["decision_from"]:
        return
    if report.status == _Status.PROCESSING:
        raise PrintReportPending(
            f"The print report {report.uri} is not done: confirm the line item {item.uri} then.",
            details={"print_report": report.uri},
        )
    if report.needs_decision:
        raise DecisionNeeded(
            f"The print report {report.uri} has findings that the customer decides about: have "
            "them accepted, or replace the model.",
            details={"print_report": report.uri},
        )
