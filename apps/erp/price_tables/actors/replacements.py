"""Job: use the models that customers replace others by."""

import dramatiq
from django.db import transaction

from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.base.models.access import share_model
from apps.erp.orders.domain import status_rollup
from apps.erp.orders.domain.print_decisions import last_decision
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.print_reports import PrintDecision
from apps.erp.orders.services import line_items
from apps.warehouse import interface as warehouse


@dramatiq.actor(queue_name="default")
def use_replacement(uri: str) -> None:
    """A model was judged: the line item whose model it is to replace is made of it, and priced.

    Nothing where the model cannot be used, another decision was made since, or the line item has
    been confirmed.
    """
    waiting = PrintDecision.objects.filter(model_uri=uri)
    decision = waiting.select_related("print_report").first()
    model = warehouse.get_model_unchecked(uri) if decision else None
    if decision is None or model is None or model.status != "processed":
        return
    report = decision.print_report
    with transaction.atomic():
        for item in status_rollup.lock_line_items([report.line_item_id]):
            order = item.order
            if (
                order is None
                or item.model_uri != report.model_uri
                or item.status not in LineItem.OPEN
                or last_decision(report) != decision
            ):
                continue
            share_model(uri, bureau=item.bureau, user=warehouse.owner_of(uri), field="model")
            order.is_instant = False  # its price is another
            order.save(update_fields=["is_instant", "updated"])
            line_items.change(actor=item.creator, row=item, model_uri=uri)
            customer = order.name or order.customer_name
            notify(Kind.ORDER_REVIEW, order, Work.SALES, number=order.number, customer=customer)
