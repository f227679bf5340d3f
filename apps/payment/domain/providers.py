"""Configured payment providers."""

from django.conf import settings

from apps.payment.methods import Collector, Manual, Stripe
from apps.payment.models import PaymentMethod


def collectors() -> dict[str, Collector]:
    """Return the collector of each type of payment method; Stripe only where it is configured."""
    known: dict[str, Collector] = {PaymentMethod.Type.MANUAL: Manual()}
    if settings.STRIPE_SECRET_KEY:
        known[PaymentMethod.Type.STRIPE] = Stripe(
            settings.STRIPE_SECRET_KEY,
            api=settings.STRIPE_API,
            return_url=settings.PAYMENT_RETURN_PAGE,
        )
    return known
