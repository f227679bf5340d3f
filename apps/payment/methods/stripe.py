"""Stripe."""

from decimal import Decimal

import stripe

from apps.payment.methods.base import Outcome, Setup, Unpayable
from core.money import in_minor_units

TIMEOUT = 20  # seconds for one request


class Stripe:
    """Cards and bank accounts stored at Stripe, charged when an invoice is issued.

    return_url : page to which Stripe sends the user afterwards
    """

    automatic = True

    def __init__(self, secret_key: str, *, api: str, return_url: str):
        self._return_url = return_url
        self._client = stripe.StripeClient(
            secret_key,
            base_addresses={"api": api},
            http_client=stripe.RequestsClient(timeout=TIMEOUT),
        )

    def set_up(self, *, key: str, email: str, name: str) -> Setup:
        try:
            customer = self._client.v1.customers.create(
                {"email": email, "name": name, "metadata": {"method": key}},
                {"idempotency_key": f"customer-{key}"},
            )
            session = self._client.v1.checkout.sessions.create(
                {
                    "mode": "setup",
                    "currency": "eur",
                    "customer": customer.id,
                    "success_url": self._return_url,
                    "cancel_url": self._return_url,
                    "setup_intent_data": {"metadata": {"method": key}},
                },
                {"idempotency_key": f"setup-{key}"},
            )
        except stripe.InvalidRequestError as error:
            raise Unpayable(_words(error)) from error
        return Setup(customer=customer.id, url=session.url or "")

    def collect(
        self, *, key: str, customer: str, reference: str, amount: Decimal, currency: str
    ) -> Outcome:
        try:
            intent = self._client.v1.payment_intents.create(
                {
                    "amount": in_minor_units(amount, currency),
                    "currency": currency.lower(),
                    "customer": customer,
                    "payment_method": reference,
                    "off_session": True,
                    "confirm": True,
                    "metadata": {"payment": key},
                },
                {"idempotency_key": f"payment-{key}"},
            )
        except (stripe.CardError, stripe.InvalidRequestError) as error:
            return Outcome("failed", error=_words(error))
        if intent.status == "succeeded":
            return Outcome("succeeded", reference=intent.id)
        if intent.status == "processing":
            return Outcome("pending", reference=intent.id)
        return Outcome("failed", reference=intent.id, error=f"Stripe says {intent.status}.")


def read_event(payload: bytes, signature: str, secret: str) -> dict[str, object] | None:
    """A webhook's event, if Stripe signed it with `secret` in the last minutes; else None."""
    if not signature.isascii():
        return None
    try:
        event = stripe.Webhook.construct_event(payload, signature, secret)
    except (ValueError, stripe.SignatureVerificationError):
        return None
    return event.to_dict()


def _words(error: stripe.StripeError) -> str:
    return (error.user_message or str(error))[:500]
