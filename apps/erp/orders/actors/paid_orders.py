"""Job: release the line items of an order whose production waited for its payment."""

import dramatiq
from django.db import transaction
from django.db.models.functions import Now

from apps.erp.orders.domain import status_rollup
from apps.erp.orders.domain.payments import payment_state
from apps.erp.orders.domain.prices.order_totals import totals_of_order
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.organisation.domain.automatic_prints import COLLECTION_MS, plan_prints


@dramatiq.actor(queue_name="default", max_retries=5)
@transaction.atomic
def release_paid_order(order: str) -> None:
    """Release the line items of an order from hold, if it is paid and they wait for that."""
    row = Order.objects.filter(pk=order, awaits_payment=True).first()
    if row is None:
        return
    state = payment_state(row, totals_of_order(row))
    if state is None or state["status"] != "paid":
        return
    # Line items before their order, as everything that follows their status locks them.
    status_rollup.lock_line_items(row.line_items.values_list("pk", flat=True))
    LineItem.objects.filter(order=row).update(hold=False, updated=Now())
    Order.objects.filter(pk=row.pk).update(awaits_payment=False)
    plan_prints(row.bureau_id, delay=COLLECTION_MS)
