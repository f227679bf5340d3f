"""Record and reverse payments of orders."""

from datetime import date, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.erp.base.models.messages import MessageMoment
from apps.erp.base.services import resources
from apps.erp.orders.actors.paid_orders import release_paid_order
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.payments import PaymentState, payment_state
from apps.erp.orders.domain.prices.order_totals import totals_of_order
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.payments import OrderPayment
from core.auth_user import Person
from core.errors import Conflict, ServiceError
from core.money import amount_text, is_exact, minor_digits
from pricing.making import exact

NOT_ALLOWED = "property-value-not-in-allowed-values"


class NothingOpen(Conflict):
    """Nothing of the order is open, or its total is not known."""

    code = "nothing-open"


class PaymentReversed(Conflict):
    """The payment is a reversal, or has been reversed already."""

    code = "payment-reversed"


@transaction.atomic
def create(
    *,
    actor: Person,
    order: Order,
    amount: Decimal | None = None,
    paid_on: date | None = None,
    note: str = "",
    reverses: OrderPayment | None = None,
) -> OrderPayment:
    """Record a payment of an order, by default of what is open, or the reversal of a payment.

    Raises NothingOpen, PaymentReversed, ServiceError.
    """
    # Locked, so that an open amount is not paid twice, and a payment not reversed twice.
    order = Order.objects.select_for_update(no_key=True, of=("self",)).get(pk=order.pk)
    if paid_on and paid_on > timezone.now().date() + timedelta(days=1):  # of any time zone
        title = "The date is in the future: send the day on which the money came."
        raise ServiceError(title, code=NOT_ALLOWED, field="paid_on")
    if reverses is None:
        amount = _received(order, amount)
    else:
        amount = _reversed(order, amount, reverses)
    row: OrderPayment = resources.create(
        actor=actor,
        kind=OrderPayment,
        order=order,
        amount=amount,
        paid_on=paid_on or timezone.now().date(),
        note=note,
        reverses=reverses,
        **({"method": reverses.method, "currency": reverses.currency} if reverses else {}),
    )
    announce(row, order)
    return row


def _received(order: Order, amount: Decimal | None) -> Decimal:
    """The amount of a payment: that of the request, or what is open."""
    currency = order.currency or order.bureau.currency
    if amount is None:
        state = payment_state(order, totals_of_order(order))
        if state is None or state["open"] is None or state["open"] <= 0:
            title = "Nothing of the order is open, or its total is not known: send the amount."
            raise NothingOpen(title, field="amount")
        return exact(state["open"])
    if not is_exact(amount, currency):
        title = f"{currency} has {minor_digits(currency)} decimals: send an amount with no more."
        raise ServiceError(title, code=NOT_ALLOWED, field="amount")
    return amount


def _reversed(order: Order, amount: Decimal | None, payment: OrderPayment) -> Decimal:
    """The amount of a reversal: that of the payment."""
    if payment.order_id != order.pk or amount not in (None, payment.amount):
        field = "amount" if payment.order_id == order.pk else "reverses"
        title = "A reversal undoes a whole payment of the same order: leave out the amount."
        raise ServiceError(title, code=NOT_ALLOWED, field=field)
    undone = OrderPayment.objects.filter(Q(reverses=payment) | Q(refunds=payment))
    if payment.reverses_id or payment.refunds_id or undone.exists():
        title = "The payment is a reversal, or was reversed or refunded: record a new payment."
        raise PaymentReversed(title, field="reverses")
    return payment.amount


def announce(row: OrderPayment, order: Order) -> None:
    """Write the event of a payment, and the message to the customer.

    The event is without amounts, since all members read it.
    """
    state: PaymentState | None = payment_state(order, totals_of_order(order))
    if order.awaits_payment and state and state["status"] == "paid":
        release_paid_order.send(str(order.pk))
    is_back = bool(row.reverses_id or row.refunds_id)
    changes = {
        "status": "reversed" if is_back else "received",
        "order": order.uri,
        "payment": state["status"] if state else "open",
        "method": row.method,
    }
    change = callbacks.Change(row.uri, order.creator_id, changes, row.board)
    callbacks.emit_all([change])
    if not is_back:
        currency = row.currency or order.currency or order.bureau.currency
        amount = amount_text(row.amount, currency)
        messages.record(order, MessageMoment.PAYMENT_RECEIVED, amount=amount)
