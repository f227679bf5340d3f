"""Payment state of an order, its bank transfer by EPC069-12, and whether it is paid by card."""

from datetime import timedelta
from decimal import Decimal
from typing import TypedDict

from django.utils import timezone

from apps.erp.orders.domain.prices.order_totals import OrderTotals
from apps.erp.orders.domain.response_types import Day
from apps.erp.orders.models.card_payments import CardAccount, CardCheckout
from apps.erp.orders.models.orders import Order, Quote
from apps.erp.orders.models.payments import BankAccount
from apps.payment import interface as card_payments
from pricing.making import exact

PAYABLE = (Order.Status.CONFIRMED, Order.Status.IN_PROGRESS, Order.Status.COMPLETE)
REFERENCES = {"de": "Auftrag"}  # by the language of the bureau
MAX_EPC = Decimal("999999999.99")  # EUR
MAX_EPC_BYTES = 331
MAX_PENDING = timedelta(days=21)  # until a bank has answered; later its answer was lost


class PaymentState(TypedDict):
    """How far an order is paid; `open` is below 0 where more was paid, null without a total."""

    status: str
    paid: float
    open: float | None


class TransferAccount(TypedDict):
    """The account that a customer transfers to."""

    account_holder: str
    iban: str
    bic: str
    term_days: int


class SharedPayment(TypedDict):
    """How far an order is paid, and how its customer pays what is open.

    prepayment : whether production starts once the order is paid
    card : `offered` where it can be paid by card, `pending` while a card payment is processed
    """

    status: str
    paid: float
    open: float | None
    reference: str
    due: Day | None
    account: TransferAccount | None
    epc: str | None
    prepayment: bool
    card: str | None


def payment_state(order: Order, totals: OrderTotals) -> PaymentState | None:
    """Return how far an order with these totals is paid.

    None where it is not confirmed, and nothing was ever paid.
    """
    rows = list(order.payments.all())
    if order.status not in PAYABLE and not rows:
        return None
    counted = (
        -row.amount if row.reverses_id or row.refunds_id else row.amount
        for row in rows
        if not row.currency
    )
    paid = sum(counted, Decimal())
    gross = totals["gross"]
    rest = None if gross is None else exact(gross) - paid
    is_paid = rest is not None and rest <= 0
    return {
        "status": "paid" if is_paid else "open",
        "paid": float(paid),
        "open": None if rest is None else float(rest),
    }


def shared_payment(order: Order, totals: OrderTotals) -> SharedPayment | None:
    """Return what the customer of an order sees; None before the order is confirmed.

    The account is that of the bureau, as long as something is open.
    """
    state = payment_state(order, totals)
    if state is None or order.status not in PAYABLE:
        return None
    is_open = state["status"] == "open"
    account = BankAccount.objects.filter(bureau=order.bureau_id).first() if is_open else None
    reference = f"{REFERENCES.get(order.bureau.language, 'Order')} {order.number}"
    rest, is_eur = state["open"], totals["currency"] == "EUR"
    return {
        "status": state["status"],
        "paid": state["paid"],
        "open": rest,
        "reference": reference,
        "due": _due(order, account) if account else None,
        "account": _transfer_account(account) if account else None,
        "epc": epc_payload(account, exact(rest), reference)
        if account and rest and is_eur
        else None,
        "prepayment": is_open and order.awaits_payment,
        "card": card_state(order, rest) if is_open else None,
    }


def card_state(order: Order, rest: float | None) -> str | None:
    """Return whether the open amount can be paid by card, or is being paid.

    rest : the open amount; None where it is not known
    """
    start = timezone.now() - MAX_PENDING
    pending = order.card_checkouts.filter(status=CardCheckout.Status.PENDING, created__gt=start)
    if pending.exists():
        return "pending"
    accounts = CardAccount.objects.filter(bureau=order.bureau_id, enabled=True)
    if rest is None or rest <= 0 or not accounts.exists():
        return None
    units = card_payments.units_of(exact(rest), order.currency or order.bureau.currency)
    return None if units is None else "offered"


def _transfer_account(account: BankAccount) -> TransferAccount:
    return {
        "account_holder": account.account_holder,
        "iban": account.iban,
        "bic": account.bic,
        "term_days": account.term_days,
    }


def epc_payload(account: BankAccount, amount: Decimal, reference: str) -> str | None:
    """Return the content of the QR code of a credit transfer in EUR, EPC069-12 version 002.

    None for an amount that it cannot have, or a longer content than it may have.
    """
    if not 0 < amount <= MAX_EPC:
        return None
    service, version, utf8 = "BCD", "002", "1"
    lines = [service, version, utf8, "SCT", account.bic, account.account_holder, account.iban]
    content = "\n".join([*lines, f"EUR{amount:.2f}", "", "", reference])
    return content if len(content.encode()) <= MAX_EPC_BYTES else None


def _due(order: Order, account: BankAccount) -> str | None:
    """Until when the order is paid; None where it is not known when it was confirmed."""
    quotes = order.quotes.filter(status=Quote.Status.ACCEPTED, accepted__isnull=False)
    accepted = quotes.order_by("-accepted").values_list("accepted", flat=True).first()
    if accepted is None:
        return None
    return (accepted.date() + timedelta(days=account.term_days)).isoformat()
