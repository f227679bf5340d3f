"""Job: make the print report of a line item."""

from django.db import transaction

from apps.erp.base.domain.events import emit_status
from apps.erp.base.models.messages import MessageMoment
from apps.erp.orders.domain import print_findings
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.prices import cost_terms
from apps.erp.orders.domain.print_decisions import is_accepted
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.print_reports import PrintReport
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core.errors import ErrorEntry
from core.queue.row_jobs import enqueue, row_job

_Status = PrintReport.Status
COST = 0.5  # s


def begin_report(item: LineItem, model: StoredModel | None) -> None:
    """Have the report of a line item of an order made, unless it has one by the same limits.

    The caller holds a transaction. Nothing where the bureau has set no limits.
    """
    if model is None or model.sha256 is None or item.order is None or not item.model_uri:
        return
    machine = cost_terms.printer_type_of(cost_terms.steps_of(item))
    limits = print_findings.limits_for(item.bureau, machine)
    last = item.print_reports.order_by("-pk").first()
    now = (item.model_uri, item.order_id, limits)
    if limits is None or (last and (last.model_uri, last.order_id, last.limits) == now):
        return
    item.print_reports.filter(needs_decision=True).update(needs_decision=False)  # it is superseded
    report = PrintReport.objects.create(
        bureau=item.bureau,
        line_item=item,
        order=item.order,
        model_uri=item.model_uri,
        limits=limits,
        creator=item.creator,
    )
    enqueue(make_print_report, report, cost=COST)


@transaction.atomic
def _fail(report: PrintReport, errors: list[ErrorEntry]) -> None:
    report.move(_Status.ERROR, errors=errors)
    emit_status(report)


@row_job(
    "extras",
    of=PrintReport,
    begun_in=[_Status.PROCESSING],
    fail=_fail,
    related=("line_item__bureau", "order__bureau", "order__customer", "order__creator"),
)
def make_print_report(report: PrintReport) -> None:
    """Find what is below the limits: processing -> processed, or -> error."""
    model = warehouse.get_model_unchecked(report.model_uri)
    if model is None or model.sha256 is None:
        title = "The model was deleted before its report was made: name another."
        _fail(report, [{"code": "model-gone", "title": title}])
        return
    limits = report.limits
    thickness = {name: limits[name] for name in ("wall_fault", "wall_risk", "gap_risk")}
    manifold = bool(model.manifold)
    measured = warehouse.find_thin_places(model.sha256, closed=manifold, limits=thickness)
    item = report.line_item
    machine = cost_terms.printer_type_of(cost_terms.steps_of(item))
    findings = print_findings.findings_of(
        measured,
        limits,
        manifold=manifold,
        size=model.size,
        volume=machine.volume if machine else None,
    )
    before = item.print_reports.filter(pk__lt=report.pk, status=_Status.PROCESSED).order_by("-pk")
    gone: list[print_findings.FindingAnswer] = []
    if (last := before.first()) is not None:
        accepted = is_accepted(last)
        gone = print_findings.compare(last.findings, findings, is_accepted=accepted)
    with transaction.atomic():
        report.move(
            _Status.PROCESSED,
            findings=findings,
            not_checked=print_findings.not_checked_of(measured),
            gone=gone,
            verdict=print_findings.verdict_of(findings),
            needs_decision=print_findings.asks_for_decision(limits, findings),
        )
        if report.needs_decision and item.status in LineItem.OPEN:
            messages.record(report.order, MessageMoment.QUESTION)
        emit_status(report)
