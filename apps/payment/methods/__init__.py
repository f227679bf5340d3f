"""Payment providers behind one protocol."""

from apps.payment.methods.base import Collector, Outcome, Setup, Unpayable
from apps.payment.methods.manual import Manual
from apps.payment.methods.stripe import Stripe, read_event

__all__ = ["Collector", "Manual", "Outcome", "Setup", "Stripe", "Unpayable", "read_event"]
