"""Stripe Checkout with the keys of another account than the installation's.

Amounts are converted to the smallest units as Stripe counts them, which are not those of ISO 4217
for every currency (https://docs.stripe.com/currencies).
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlsplit

import stripe

from core.money import is_exact, minor_digits

TIMEOUT_SECONDS = 8  # for one request: a customer waits for it
TOLERANCE_SECONDS = 300  # age of a signature
MAX_WEBHOOK_BYTES = 256 * 1024
MAX_UNITS = 10**12
# Where Stripe counts other units than ISO 4217.
_DIGITS = {"ISK": 2, "UGX": 2, "MGA": 0}
_FAILED = "checkout.session.async_payment_failed"
_COMPLETED = ("checkout.session.completed", "checkout.session.async_payment_succeeded")


class CheckoutFault(Exception):  # noqa: N818  an outcome, not an error of ours
    """Stripe cannot be reached, or refuses; the message is for the owner of the keys.

    reason : keys, refused or unreachable
    """

    def __init__(self, reason: Literal["keys", "refused", "unreachable"], text: str):
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True)
class CheckoutRequest:
    """What a customer pays at Stripe's page.

    key       : idempotency key, and the name of the payment in later events
    reference : of the order, as the shop and its customer know it
    """

    key: str
    reference: str
    title: str
    amount: Decimal
    currency: str
    email: str
    success_url: str
    cancel_url: str
    expires: datetime


@dataclass(frozen=True)
class CheckoutSession:
    """A Checkout Session; `payment` is the PaymentIntent, empty before there is one."""

    id: str
    key: str
    url: str
    status: Literal["open", "complete", "expired"]
    is_paid: bool
    amount: Decimal
    currency: str
    payment: str


@dataclass(frozen=True)
class Refund:
    """What was refunded of a payment so far, in all."""

    key: str
    payment: str
    amount: Decimal
    currency: str


def units_of(amount: Decimal, currency: str) -> int | None:
    """Return an amount as Stripe counts it; None where Stripe cannot take it exactly."""
    if not is_exact(amount, currency):
        return None
    units = amount.scaleb(_digits(currency))
    # Of currencies with three digits Stripe takes multiples of ten.
    step = 10 if minor_digits(currency) == 3 else 1
    is_exact_step = units == units.to_integral_value() and units % step == 0
    return int(units) if is_exact_step and 0 < units < MAX_UNITS else None


def amount_of(units: int, currency: str) -> Decimal:
    """Return the amount that Stripe counts as so many units."""
    return Decimal(units).scaleb(-_digits(currency))


def _digits(currency: str) -> int:
    return _DIGITS.get(currency, minor_digits(currency))


class Checkout:
    """Checkout Sessions of a Stripe account.

    pages : origin of the only pages that customers are sent to
    """

    def __init__(self, secret_key: str, *, api: str, pages: str):
        self._pages = pages
        self._client = stripe.StripeClient(
            secret_key,
            base_addresses={"api": api},
            http_client=stripe.RequestsClient(timeout=TIMEOUT_SECONDS),
            max_network_retries=0,
        )

    def open_session(self, request: CheckoutRequest) -> CheckoutSession:
        """Create a session; a repeated request creates no second one. Raises CheckoutFault."""
        units = units_of(request.amount, request.currency)
        if units is None:
            raise CheckoutFault("refused", f"Stripe takes no {request.amount} {request.currency}.")
        metadata = {"checkout": request.key}
        price = {
            "currency": request.currency.lower(),
            "unit_amount": units,
            "product_data": {"name": request.title},
        }
        fields: Any = {
            "mode": "payment",
            "line_items": [{"quantity": 1, "price_data": price}],
            "client_reference_id": request.reference,
            "metadata": metadata,
            "payment_intent_data": {"description": request.title, "metadata": metadata},
            "success_url": request.success_url,
            "cancel_url": request.cancel_url,
            "expires_at": int(request.expires.timestamp()),
        }
        if request.email:
            fields["customer_email"] = request.email
        with _faults():
            row = self._client.v1.checkout.sessions.create(
                fields, {"idempotency_key": f"checkout-{request.key}"}
            )
        return self._session(row)

    def session(self, id: str) -> CheckoutSession:
        """Return a session as it is now. Raises CheckoutFault."""
        with _faults():
            row = self._client.v1.checkout.sessions.retrieve(id)
        return self._session(row)

    def expire(self, id: str) -> None:
        """End a session, so that it cannot be paid any more. Raises CheckoutFault."""
        with _faults():
            self._client.v1.checkout.sessions.expire(id)

    def currencies(self) -> list[str]:
        """Return the currencies of the account's balance. Raises CheckoutFault."""
        with _faults():
            balance = self._client.v1.balance.retrieve()
        return sorted({row.currency.upper() for row in balance.available})

    def _session(self, row: stripe.checkout.Session) -> CheckoutSession:
        session = _session_of(row.to_dict())
        if session is None:
            raise CheckoutFault("refused", "Stripe returned a session that is not understood.")
        if session.url and not _is_below(session.url, self._pages):
            raise CheckoutFault("refused", f"Stripe named a page that is not of {self._pages}.")
        return session


def read_notice(
    payload: bytes, signature: str, secret: str
) -> CheckoutSession | Refund | Literal["other"] | None:
    """Return what an event says that was signed with `secret` in the last minutes.

    "other" for events of no interest; None where the signature does not fit. Raises ValueError for
    a signed event that is not understood.
    """
    if not is_signed(payload, signature, secret):
        return None
    event: Any = json.loads(payload)
    try:
        kind, content = event["type"], event["data"]["object"]
        readable = isinstance(content, Mapping)
    except (KeyError, TypeError):
        readable = False
    if not readable:
        raise ValueError("The event has no type and no object.")
    notice: CheckoutSession | Refund | None
    if kind in _COMPLETED:
        notice = _session_of(content)
    elif kind == _FAILED:
        session = _session_of(content)
        notice = session and replace(session, status="expired")
    elif kind == "charge.refunded":
        notice = _refund_of(content)
    else:
        return "other"
    if notice is None:
        raise ValueError(f"The object of the event {kind} is not understood.")
    return notice


def is_signed(payload: bytes, signature: str, secret: str) -> bool:
    """Return whether `secret` signed a webhook in the last minutes, compared in constant time."""
    if not (secret and signature.isascii()):
        return False
    try:
        stripe.WebhookSignature.verify_header(payload, signature, secret, TOLERANCE_SECONDS)
    except (ValueError, stripe.SignatureVerificationError):
        return False
    return True


def _session_of(row: Mapping[str, object]) -> CheckoutSession | None:
    """Read a Checkout Session; None where a property is missing or of another type."""
    units, currency = _units(row, "amount_total"), _currency_of(row)
    status, id = row.get("status"), row.get("id")
    if units is None or not (currency and isinstance(id, str)):
        return None
    if status not in ("open", "complete", "expired"):
        return None
    return CheckoutSession(
        id=id,
        key=_key_of(row),
        url=_text(row.get("url")),
        status=status,
        is_paid=status == "complete" and row.get("payment_status") == "paid",
        amount=amount_of(units, currency),
        currency=currency,
        payment=_text(row.get("payment_intent")),
    )


def _refund_of(row: Mapping[str, object]) -> Refund | None:
    """Read the Charge of a refund; None where a property is missing or of another type."""
    units, currency = _units(row, "amount_refunded"), _currency_of(row)
    if units is None or not currency:
        return None
    payment = _text(row.get("payment_intent"))
    return Refund(_key_of(row), payment, amount_of(units, currency), currency)


def _currency_of(row: Mapping[str, object]) -> str:
    currency = _text(row.get("currency")).upper()
    try:
        minor_digits(currency)
    except ValueError:
        return ""
    return currency


def _key_of(row: Mapping[str, object]) -> str:
    metadata = row.get("metadata")
    return _text(metadata.get("checkout")) if isinstance(metadata, Mapping) else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _units(row: Mapping[str, object], name: str) -> int | None:
    units = row.get(name)
    return units if isinstance(units, int) and 0 <= units < MAX_UNITS else None


def _is_below(url: str, origin: str) -> bool:
    """Return whether a page is of this origin."""
    page = urlsplit(url)
    return f"{page.scheme}://{page.netloc}" == origin and url.isprintable() and "\\" not in url


@contextmanager
def _faults() -> Iterator[None]:
    """Raise CheckoutFault for each way of not getting an answer of Stripe."""
    try:
        yield
    except (stripe.AuthenticationError, stripe.PermissionError) as error:
        raise CheckoutFault("keys", _reason(error)) from error
    except (stripe.InvalidRequestError, stripe.IdempotencyError, stripe.CardError) as error:
        raise CheckoutFault("refused", _reason(error)) from error
    except stripe.StripeError as error:
        raise CheckoutFault("unreachable", _reason(error)) from error


def _reason(error: stripe.StripeError) -> str:
    return " ".join((error.user_message or str(error)).split())[:300]
