"""Job: confirm orders of storefronts that need no review."""

import dramatiq
from django.db import transaction

from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.orders.domain.approvals import is_waiting
from apps.erp.orders.domain.print_decisions import current_reports
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.models.print_reports import PrintReport
from apps.erp.orders.services import quotes

UNESTIMATED = (LineItem.Status.NEW, LineItem.Status.CALCULATING)
RETRY_MS, MAX_RETRIES = 3000, 600


@dramatiq.actor(queue_name="default", max_retries=5)
def confirm_storefront_order(order: str, tries: int = 0) -> None:
    """Accept the quote of an order, in the name of its customer, once its parts are estimated.

    An order whose estimate fails, or takes more than half an hour, is left to a person. One that
    waits for its customer's decision about findings, or for an approver of the customer's company,
    is confirmed when that is made.
    """
    with transaction.atomic():
        row = Order.objects.select_for_update(of=("self",)).filter(pk=order).first()
        if row is None or row.status != Order.Status.NEW or not row.is_instant:
            return
        items = list(row.line_items.all())
        statuses = {item.status for item in items}
        reports = current_reports(items).values()
        is_made = any(report.status == PrintReport.Status.PROCESSING for report in reports)
        if is_waiting(row):
            return
        if is_made or statuses & set(UNESTIMATED):
            if tries < MAX_RETRIES:
                confirm_storefront_order.send_with_options(args=(order, tries + 1), delay=RETRY_MS)
                return
        elif any(report.needs_decision for report in reports):
            return
        elif statuses == {LineItem.Status.PENDING}:
            quote = quotes.create(actor=row.creator, order=row)
            quotes.change(row=quote, status=Quote.Status.ACCEPTED)
            Quote.objects.filter(pk=quote.pk).update(accepted_by=row.customer_name)
            return
        row.is_instant = False
        row.save(update_fields=["is_instant", "updated"])
        customer = row.name or row.customer_name
        notify(Kind.ORDER_REVIEW, row, Work.SALES, number=row.number, customer=customer)
