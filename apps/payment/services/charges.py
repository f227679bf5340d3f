"""Charges: authorise at start, capture on success, release on failure."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.payment.models import Charge, Consent, Invoice, PaymentStatus, Price
from apps.payment.models.evaluation import OK, evaluate
from core.auth_user import Person
from core.errors import Forbidden, ServiceError
from core.money import amount_text, is_exact, rounded
from core.postgres.advisory_locks import advisory_lock

DUE_DAY = 15  # of the month after an invoice's


class PaymentRequired(ServiceError):
    """The action is priced, and may not be charged to the caller."""

    status = HTTPStatus.PAYMENT_REQUIRED
    code = "payment-required"


@dataclass(frozen=True)
class Quote:
    """The price of an action; `refusal` is the reason where charging is not allowed."""

    amount: Decimal
    currency: str
    rejection: PaymentRequired | None


@transaction.atomic(savepoint=False)
def quote(*, owner: Person, namespace: str, action: str, service: str = "") -> Quote | None:
    """What an action would cost a user now; None where it is not priced."""
    price = Price.objects.of(namespace=namespace, action=action, service=service).first()
    if price is None:
        return None
    return Quote(rounded(price.amount, price.currency), price.currency, _rejection(owner, price))


@transaction.atomic(savepoint=False)
def authorise(
    *, owner: Person, namespace: str, action: str, source: str, service: str = ""
) -> None:
    """Authorise a charge for the work of `source`; does nothing where the action has no price.

    Idempotent per source. Raises PaymentRequired, whose details name the payment status with the
    missing condition.
    """
    price = Price.objects.of(namespace=namespace, action=action, service=service).first()
    if price is None:
        return
    _queue_up(owner)
    if Charge.objects.exclude(status=Charge.Status.RELEASED).filter(
        source=source, namespace=namespace, action=action, corrects=None
    ):
        return
    rejection = _rejection(owner, price)
    if rejection is not None:
        raise rejection
    consent = Consent.objects.in_force(owner=owner, namespace=namespace, action=action).first()
    Charge.objects.create(
        owner=owner,
        namespace=namespace,
        action=action,
        type=price.type,
        source=source,
        amount=price.amount,
        currency=price.currency,
        cost_centre=consent.cost_centre if consent else "",
    )


@transaction.atomic(savepoint=False)
def record(*, source: str) -> bool:
    """The work succeeded: what was promised for it is owed; whether anything is. Again is fine."""
    open_ones = Charge.objects.filter(source=source, status=Charge.Status.AUTHORISED)
    promised = list(open_ones.select_for_update().order_by("uuid"))
    for charge in promised:
        charge.move(
            Charge.Status.RECORDED,
            amount=rounded(charge.amount, charge.currency),
            invoice=_open_invoice(charge.owner_id, charge.currency),
        )
    return bool(promised)


@transaction.atomic(savepoint=False)
def release(*, source: str) -> None:
    """Release the charge of work that failed or was cancelled; idempotent."""
    open_ones = Charge.objects.filter(source=source, status=Charge.Status.AUTHORISED)
    for charge in open_ones.select_for_update().order_by("uuid"):
        charge.move(Charge.Status.RELEASED)


@transaction.atomic
def correct(*, actor: Person, charge: Charge, amount: Decimal) -> Charge:
    """Give back up to what was charged, on the user's next invoice; by administrators."""
    if not actor.is_staff:
        raise Forbidden("Charges are corrected by administrators: ask one of them.")
    charge = Charge.objects.select_for_update().get(pk=charge.pk)
    if charge.status != Charge.Status.RECORDED or charge.corrects_id is not None:
        raise ServiceError("Only a recorded charge can be corrected.", field="corrects")
    if not is_exact(amount, charge.currency):
        raise ServiceError(
            f"Give back an amount with the digits that {charge.currency} has.",
            code="property-value-not-in-allowed-values",
            field="amount",
        )
    left = charge.amount + sum(charge.corrections.values_list("amount", flat=True))
    if not 0 < amount <= left:
        raise ServiceError(
            f"Give back more than 0 and at most {amount_text(left, charge.currency)}, what is left "
            "of the charge.",
            code="property-value-not-in-allowed-values",
            field="amount",
        )
    return Charge.objects.create(
        owner_id=charge.owner_id,
        namespace=charge.namespace,
        action=charge.action,
        type=charge.type,
        source=charge.source,
        amount=-amount,
        currency=charge.currency,
        status=Charge.Status.RECORDED,
        invoice=_open_invoice(charge.owner_id, charge.currency),
        corrects=charge,
    )


def _rejection(owner: Person, price: Price) -> PaymentRequired | None:
    """Why the price may not be charged to the user; None where it may."""
    held = PaymentStatus.of(owner, price)
    PaymentStatus.objects.bulk_create([held], ignore_conflicts=True)
    row = PaymentStatus.objects.evaluated().get(pk=held.pk)
    status, details = evaluate(row.terms(), spent=row.spent)
    if status == OK:
        return None
    return PaymentRequired(details, details={"payment_status": row.uri, "status": status})


def _queue_up(owner: Person) -> None:
    """Serialise authorisations of this user until the transaction ends, so that ceilings hold."""
    advisory_lock(f"charges of {owner.pk}")


def _open_invoice(owner_id: Any, currency: str) -> Invoice:
    """The user's invoice of this month, locked; of the next where this one is issued already."""
    month = timezone.now().astimezone(UTC).date().replace(day=1)
    while True:
        Invoice.objects.bulk_create(
            [Invoice(owner_id=owner_id, month=month, currency=currency, due=due_of(month))],
            ignore_conflicts=True,
        )
        kept = Invoice.objects.select_for_update(of=("self",))
        invoice = kept.get(owner_id=owner_id, month=month, currency=currency)
        if invoice.issued is None:
            return invoice
        month = next_month(month)


def next_month(month: date) -> date:
    """The first day of the month after."""
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)


def due_of(month: date) -> datetime:
    """By when an invoice of this month is to be paid: the end of the 15th of the next."""
    after = next_month(month)
    return datetime(after.year, after.month, DUE_DAY, 23, 59, 59, tzinfo=UTC)
