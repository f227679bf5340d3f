"""Card payments of customers: begin one at Stripe, and record what Stripe reports.

No transaction is open while Stripe is asked. A payment is recorded once, by the identifier that
Stripe has for it, however often and by whichever way it is reported.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.erp.base.services import resources
from apps.erp.orders.domain.card_notes import note_of_payment, note_of_refund
from apps.erp.orders.domain.payments import (
    PAYABLE,
    REFERENCES,
    PaymentState,
    card_state,
    payment_state,
)
from apps.erp.orders.domain.prices.order_totals import totals_of_order
from apps.erp.orders.models.card_payments import CardAccount, CardCheckout
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.payments import OrderPayment
from apps.erp.orders.services.card_accounts import provider_of, set_error
from apps.erp.orders.services.payments import NothingOpen, announce
from apps.payment import interface as payment
from core.errors import Conflict, Forbidden, NotFound, ServiceError, Unavailable
from core.web import throttling
from pricing.making import exact

logger = logging.getLogger(__name__)

SESSION_LIFETIME = timedelta(hours=1)
# A session is not handed out again shortly before its end. Stripe creates none that ends sooner.
MIN_REMAINING = timedelta(minutes=35)
MAX_STARTS, HOUR = 20, 3600  # of an order
MAX_CHECKS, CHECK_INTERVAL = 20, timedelta(seconds=3)  # of a session by the customer's page
MAX_ATTEMPTS = 3
_Status = CardCheckout.Status


class CardPaymentUnavailable(Conflict):
    """The shop takes no card payments, or none of this amount and currency."""

    code = "card-payment-unavailable"


class CardPaymentPending(Conflict):
    """A card payment of the order is being processed."""

    code = "card-payment-pending"


class CardPaymentUnknown(Conflict):
    """A refund of a payment that is not recorded yet; Stripe reports it again."""

    code = "card-payment-unknown"


class ProviderFault(Unavailable):
    """Stripe cannot be reached, or refuses."""

    code = "payment-provider"


class EventTooLarge(ServiceError):
    """A webhook with a larger body than any event of Stripe has."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "payload-too-large"


class _Reserved(NamedTuple):
    """The checkout of an order, and whether it is for what is open now."""

    checkout: CardCheckout
    is_current: bool


def start(*, order: Order, page: str) -> str:
    """Return the address of Stripe's page at which the customer pays what is open.

    page : address of the page of the order, to which Stripe leads back

    Raises CardPaymentUnavailable, CardPaymentPending, NothingOpen, ProviderFault, RateLimited.
    """
    account = CardAccount.objects.filter(bureau=order.bureau_id, enabled=True).first()
    if account is None:
        raise CardPaymentUnavailable("The shop takes no card payments: pay by bank transfer.")
    throttling.throttle(f"card_payments {order.pk}", MAX_STARTS, HOUR)
    with _faults(account):
        provider = provider_of(account)
        for _attempt in range(MAX_ATTEMPTS):
            if url := _page_of(provider, _reserve(order.pk), order, page):
                return url
    raise ProviderFault("The card payment could not be started: try again.")


def refresh(*, order: Order) -> str:
    """Ask Stripe for the last card payment of an order, which no webhook has reported yet.

    Return its status, or "none". Stripe is asked a limited number of times; a fault changes
    nothing.
    """
    checkout = order.card_checkouts.order_by("-pk").first()
    if checkout is None:
        return "none"
    account = CardAccount.objects.filter(bureau=order.bureau_id).first()
    if account is not None and checkout.session and _may_check(checkout):
        try:
            session = provider_of(account).session(checkout.session)
        except payment.CheckoutFault as fault:
            logger.warning("card payment not checked checkout=%s error=%s", checkout.pk, fault)
        else:
            _settle(checkout.pk, session)
    return str(CardCheckout.objects.values_list("status", flat=True).get(pk=checkout.pk))


def take_event(*, bureau: UUID, payload: bytes, signature: str) -> None:
    """Record what a webhook of a bureau's Stripe account says; events of no interest are ignored.

    Raises EventTooLarge, NotFound, Forbidden, CardPaymentUnknown, ServiceError.
    """
    if len(payload) > payment.MAX_WEBHOOK_BYTES:
        raise EventTooLarge(f"An event has at most {payment.MAX_WEBHOOK_BYTES} bytes.")
    account = CardAccount.objects.filter(bureau=bureau).first()
    if account is None:
        raise NotFound("The shop has no card payments.")
    try:
        notice = payment.read_notice(payload, signature, account.plain_webhook_secret)
    except ValueError as error:
        raise ServiceError(f"The event is not understood: {error}") from error
    if notice is None:
        title = "The event was not signed with the signing secret of this shop, or too long ago."
        raise Forbidden(title, code="invalid-signature")
    if isinstance(notice, payment.CheckoutSession):
        if (checkout := _checkout_of(bureau, notice.key)) is not None:
            _settle(checkout.pk, notice)
    elif isinstance(notice, payment.Refund):
        _record_refund(bureau, notice)


# ---------------------------------------------------------------- begin


@transaction.atomic
def _reserve(key: UUID) -> _Reserved:
    """Return the open checkout of an order, or a new one of what is open."""
    order = _locked(key)
    state = payment_state(order, totals_of_order(order))
    rest = state["open"] if state and order.status in PAYABLE else None
    if rest is None or rest <= 0:
        title = "Nothing of the order is open, or its total is not known: reload the page."
        raise NothingOpen(title)
    match card_state(order, rest):
        case "pending":
            title = "A card payment of the order is being processed: wait for its result."
            raise CardPaymentPending(title)
        case None:
            title = "The amount cannot be paid by card: pay by bank transfer."
            raise CardPaymentUnavailable(title)
    amount, currency = exact(rest), _currency(order)
    now = timezone.now()
    for lost in order.card_checkouts.filter(status=_Status.PENDING):  # older than MAX_PENDING
        lost.move(_Status.ENDED)
    checkout = order.card_checkouts.filter(status=_Status.OPEN).first()
    if checkout is not None:
        is_same = (checkout.amount, checkout.currency) == (amount, currency)
        is_current = is_same and checkout.expires - now > MIN_REMAINING
        return _Reserved(checkout, is_current)
    expires = now + SESSION_LIFETIME
    checkout = CardCheckout.objects.create(
        order=order, amount=amount, currency=currency, expires=expires
    )
    return _Reserved(checkout, is_current=True)


def _page_of(provider: payment.Checkout, reserved: _Reserved, order: Order, page: str) -> str:
    """Return the address of the page of a checkout; empty where another one is needed."""
    checkout, is_current = reserved
    if checkout.session:
        session = provider.session(checkout.session)
        _settle(checkout.pk, session)
        if session.status == "open" and is_current:
            return session.url
        if session.status == "open":
            provider.expire(session.id)
            _end(checkout.pk)
        return ""
    if not is_current:
        _end(checkout.pk)
        return ""
    session = provider.open_session(_request(checkout, order, page))
    CardCheckout.objects.filter(pk=checkout.pk).update(session=session.id)
    return session.url


def _request(checkout: CardCheckout, order: Order, page: str) -> payment.CheckoutRequest:
    language = order.bureau.language
    return payment.CheckoutRequest(
        key=str(checkout.pk),
        reference=str(order.number),
        title=f"{REFERENCES.get(language, 'Order')} {order.number}",
        amount=checkout.amount,
        currency=checkout.currency,
        email=order.customer.email if order.customer else "",
        success_url=f"{page}?card=return",
        cancel_url=page,
        expires=checkout.expires,
    )


@contextmanager
def _faults(account: CardAccount) -> Iterator[None]:
    """Raise ProviderFault for a fault of Stripe, and store its reason for the owner."""
    try:
        yield
    except payment.CheckoutFault as fault:
        logger.warning("card payment not started account=%s reason=%s", account.pk, fault.reason)
        set_error(account, str(fault))
        title = (
            "The payment provider cannot be reached at the moment: try again in a few minutes."
            if fault.reason == "unreachable"
            else "The payment provider refuses the payment: pay by bank transfer, or ask the shop."
        )
        raise ProviderFault(title) from fault
    set_error(account, "")


# ---------------------------------------------------------------- record


def _may_check(checkout: CardCheckout) -> bool:
    """Count a request to Stripe for a session; whether it may be made."""
    now: datetime = timezone.now()
    recent = Q(checked=None) | Q(checked__lt=now - CHECK_INTERVAL)
    rows = CardCheckout.objects.filter(
        recent,
        pk=checkout.pk,
        checks__lt=MAX_CHECKS,
        status__in=[_Status.OPEN, _Status.PENDING],
    )
    return bool(rows.update(checks=checkout.checks + 1, checked=now))


def _checkout_of(bureau: UUID, key: str) -> CardCheckout | None:
    """The checkout of a bureau with this key; None for that of another one."""
    try:
        return CardCheckout.objects.filter(pk=UUID(key), order__bureau=bureau).first()
    except ValueError:
        return None


@transaction.atomic
def _settle(key: UUID, session: payment.CheckoutSession) -> None:
    """Record what Stripe says of the session of a checkout."""
    order = _locked(CardCheckout.objects.values_list("order", flat=True).get(pk=key))
    checkout = CardCheckout.objects.get(pk=key)
    if session.is_paid:
        _record_payment(order, checkout, session)
        target = _Status.PAID
    elif session.status == "complete":
        target = _Status.PENDING
    elif session.status == "expired":
        target = _Status.ENDED
    else:
        return
    if target in CardCheckout.TRANSITIONS.get(checkout.status, ()):
        checkout.move(target)


@transaction.atomic
def _end(key: UUID) -> None:
    CardCheckout.objects.select_for_update().get(pk=key).move(_Status.ENDED)


def _record_payment(order: Order, checkout: CardCheckout, session: payment.CheckoutSession) -> None:
    """Record the payment of a session, unless it is recorded."""
    reference = session.payment or session.id
    if session.amount <= 0 or _payment_of(order.bureau_id, reference) is not None:
        return
    currency = _currency(order)
    state: PaymentState | None = payment_state(order, totals_of_order(order))
    rest = state["open"] if state else None
    row = resources.create(
        actor=order.creator,
        kind=OrderPayment,
        order=order,
        amount=session.amount,
        currency="" if session.currency == currency else session.currency,
        paid_on=timezone.now().date(),
        method=OrderPayment.Method.CARD,
        reference=reference,
        note=note_of_payment(
            order.bureau.language,
            requested=(checkout.amount, checkout.currency),
            paid=(session.amount, session.currency),
            currency=currency,
            rest=None if rest is None else exact(rest),
            is_payable=order.status in PAYABLE,
        ),
    )
    announce(row, order)


@transaction.atomic
def _record_refund(bureau: UUID, refund: payment.Refund) -> None:
    """Record what was refunded of a payment, and is not recorded yet.

    Stripe reports the sum of all refunds, so that events may come twice and in any order.
    """
    row = _payment_of(bureau, refund.payment)
    if row is None:
        if _checkout_of(bureau, refund.key) is not None:
            title = "The payment is not recorded yet: send the event again later."
            raise CardPaymentUnknown(title)
        return
    order = _locked(row.order_id)
    rows = OrderPayment.objects.filter(Q(reverses=row) | Q(refunds=row))
    recorded = sum(rows.values_list("amount", flat=True), Decimal())
    amount = min(refund.amount, row.amount) - recorded
    if amount <= 0:
        return
    is_full = amount == row.amount
    back = resources.create(
        actor=order.creator,
        kind=OrderPayment,
        order=order,
        amount=amount,
        currency=row.currency,
        paid_on=timezone.now().date(),
        method=OrderPayment.Method.CARD,
        note=note_of_refund(order.bureau.language),
        **({"reverses": row} if is_full else {"refunds": row}),
    )
    announce(back, order)


def _payment_of(bureau: UUID, reference: str) -> OrderPayment | None:
    """The payment with this identifier at Stripe; None without one."""
    if not reference:
        return None
    return OrderPayment.objects.filter(bureau=bureau, reference=reference).first()


def _locked(key: UUID) -> Order:
    """An order, locked, so that nothing is paid or recorded twice."""
    rows = Order.objects.select_related("bureau", "customer", "creator")
    return rows.select_for_update(no_key=True, of=("self",)).get(pk=key)


def _currency(order: Order) -> str:
    return str(order.currency or order.bureau.currency)
