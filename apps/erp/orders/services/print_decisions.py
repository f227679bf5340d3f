"""Record decisions about print reports."""

from uuid import UUID

from django.db import transaction

from apps.callbacks import interface as callbacks
from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.orders.domain import status_rollup
from apps.erp.orders.domain.print_decisions import current_report
from apps.erp.orders.domain.print_findings import asks_for_decision
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.print_reports import Decision, PrintDecision, PrintReport
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import Conflict, InvalidFields, ServiceError, UnknownResource
from core.files.signed_urls import upload_url
from core.queue.broker import enqueue_by_name
from core.web import throttling

MAX_DECISIONS, MAX_REPLACEMENTS, DAY = 60, 20, 86_400  # by the links of an order in a day, s
MAX_BYTES = 100_000_000  # of a file that replaces another
STL_SUFFIX = ".stl"


class DecisionClosed(Conflict):
    """Nothing is left to decide about the report."""

    code = "decision-closed"


@transaction.atomic
def create(
    *, actor: Person, print_report: PrintReport, decision: str, name: str = "", text: str = ""
) -> PrintDecision:
    """Record a decision that a member enters for the customer. Raises DecisionClosed."""
    if decision == Decision.REPLACED:
        title = "Name the new model in the line item instead: a report of it is made then."
        code = "property-value-not-in-allowed-values"
        raise InvalidFields([ServiceError(title, code=code, field="decision")])
    return _record(actor, print_report, decision, name=name, text=text)


def decide(
    *,
    order: Order,
    report: UUID,
    decision: str,
    name: str,
    text: str = "",
    file_name: str = "",
    then: str = "",
) -> str | None:
    """Record a decision of the customer of an order.

    file_name : of the STL file that replaces the part's, which names its model as the part is
                named where it is empty; where the file is uploaded is returned
    then      : URL of the page to open after the upload by a form

    Raises UnknownResource for a report that is not of the order, DecisionClosed, InvalidFields, and
    RateLimited.
    """
    row = PrintReport.objects.filter(pk=report, order=order).first()
    if row is None:
        title = "The order has no such print report: reload the page."
        raise UnknownResource(title, field="report")
    throttling.throttle(f"print_decisions {order.pk}", MAX_DECISIONS, DAY)
    if decision != Decision.REPLACED:
        with transaction.atomic():
            _record(order.creator, row, decision, name=name, text=text, by_customer=True)
        return None
    if file_name and not file_name.lower().endswith(STL_SUFFIX):
        title = f"Send the name of an STL file, not {file_name!r}: other files are for a question."
        code = "property-value-not-in-allowed-values"
        raise InvalidFields([ServiceError(title, code=code, field="file_name")])
    throttling.throttle(f"replacements {order.pk}", MAX_REPLACEMENTS, DAY)
    with transaction.atomic():
        model, owner = warehouse.create_replacement(
            uri=row.model_uri, name=file_name[: -len(STL_SUFFIX)] or row.line_item.name
        )
        _record(
            order.creator, row, decision, name=name, text=text, model_uri=model, by_customer=True
        )
    key = UUID(model.rstrip("/").rpartition("/")[2])
    return upload_url("model", key, owner=owner.pk, then=then, max_bytes=MAX_BYTES)


def _record(
    actor: Person,
    report: PrintReport,
    decision: str,
    *,
    by_customer: bool = False,
    **values: object,
) -> PrintDecision:
    (item,) = status_rollup.lock_line_items([report.line_item_id])
    report.refresh_from_db()
    if (
        report.status != PrintReport.Status.PROCESSED
        or item.status not in LineItem.OPEN
        or item.status == LineItem.Status.CANCELLED
        or current_report(item) != report
    ):
        raise DecisionClosed(
            f"The line item {item.uri} is {item.status}, or has a later print report: reload the "
            "page."
        )
    row = PrintDecision.objects.create(
        bureau=item.bureau,
        creator=actor,
        print_report=report,
        decision=decision,
        findings=report.findings,
        by_customer=by_customer,
        **values,
    )
    is_open = decision != Decision.AS_IS
    report.needs_decision = is_open and asks_for_decision(report.limits, report.findings)
    report.save(update_fields=["needs_decision", "updated"])
    order = report.order
    if by_customer:
        notify(
            Kind.PRINT_DECISION,
            order,
            Work.SALES,
            number=order.number,
            customer=row.name,
            part=item.name,
            decision=decision,
        )
    if decision == Decision.AS_IS and order.is_instant:
        enqueue_by_name("confirm_storefront_order", str(order.pk))
    _emit(row, item)
    return row


def _emit(row: PrintDecision, item: LineItem) -> None:
    changes = {
        "status": row.decision,
        "print_report": row.print_report.uri,
        "line_item": item.uri,
    }
    callbacks.emit_all([callbacks.Change(row.uri, item.creator_id, changes, row.board)])
