"""Payment providers behind one protocol."""

from apps.payment.methods.base import Collector, Outcome, Setup, Unpayable
from apps.payment.methods.checkout import (
    MAX_WEBHOOK_BYTES,
    Checkout,
    CheckoutFault,
    CheckoutRequest,
    CheckoutSession,
    Refund,
    read_notice,
    units_of,
)
from apps.payment.methods.manual import Manual
from apps.payment.methods.stripe import Stripe, read_event

__all__ = [
    "MAX_WEBHOOK_BYTES",
    "Checkout",
    "CheckoutFault",
    "CheckoutRequest",
    "CheckoutSession",
    "Collector",
    "Manual",
    "Outcome",
    "Refund",
    "Setup",
    "Stripe",
    "Unpayable",
    "read_event",
    "read_notice",
    "units_of",
]
