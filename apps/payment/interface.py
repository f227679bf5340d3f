"""Public interface of payment: quote, authorise, capture, release a charge; Stripe Checkout."""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.conf import settings

from apps.payment.methods import (
    MAX_WEBHOOK_BYTES,
    Checkout,
    CheckoutFault,
    CheckoutRequest,
    CheckoutSession,
    Refund,
    read_notice,
    units_of,
)
from apps.payment.models import Charge, Invoice
from apps.payment.provenance import TRACING
from apps.payment.services import charges
from apps.payment.services.charges import PaymentRequired, Quote
from core.auth_user import Person
from core.state_machine import event_schemas

__all__ = [
    "EVENTS",
    "MAX_WEBHOOK_BYTES",
    "TRACING",
    "ChargeMade",
    "Checkout",
    "CheckoutFault",
    "CheckoutRequest",
    "CheckoutSession",
    "PaymentRequired",
    "Quote",
    "Refund",
    "authorise",
    "charges_of",
    "checkout_of",
    "quote",
    "read_notice",
    "record",
    "release",
    "units_of",
]

EVENTS = event_schemas(Invoice)


@dataclass(frozen=True)
class ChargeMade:
    """A charge, as far as others need to know it."""

    uri: str
    owner_id: UUID
    source: str
    status: str
    amount: Decimal
    currency: str


def quote(*, owner: Person, namespace: str, action: str, service: str = "") -> Quote | None:
    """What an action would cost a user now, and whether it may be charged; None: no price."""
    return charges.quote(owner=owner, namespace=namespace, action=action, service=service)


def authorise(
    *, owner: Person, namespace: str, action: str, source: str, service: str = ""
) -> None:
    """Authorise a charge for work that starts, in the caller's transaction.

    source  : URI of the resource that the work makes; it is charged once
    service : URI of the integration service that does the work, where prices may differ

    Does nothing where the action has no price. Raises PaymentRequired (402) where the charge is not
    allowed.
    """
    charges.authorise(
        owner=owner, namespace=namespace, action=action, source=source, service=service
    )


def record(*, source: str) -> bool:
    """The work succeeded: its charge is owed. In the transaction of the state change.

    Whether there was one.
    """
    return charges.record(source=source)


def release(*, source: str) -> None:
    """The work failed or was cancelled: nothing is charged. In the transaction of the change."""
    charges.release(source=source)


def charges_of(*, sources: list[str], user: Person) -> list[ChargeMade]:
    """The charges for the work that these URIs name, as far as `user` may see them."""
    return [
        ChargeMade(row.uri, row.owner_id, row.source, row.status, row.amount, row.currency)
        for row in Charge.objects.visible_to(user).filter(source__in=sources).order_by("uuid")
    ]


def checkout_of(*, secret_key: str) -> Checkout:
    """Return Stripe Checkout by the secret key of an account."""
    return Checkout(secret_key, api=settings.STRIPE_API, pages=settings.STRIPE_CHECKOUT)
