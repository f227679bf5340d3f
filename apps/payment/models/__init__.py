"""Prices, consents, charges, invoices, payments."""

from apps.payment.models.charge import Charge
from apps.payment.models.consent import Consent
from apps.payment.models.invoice import Invoice, InvoiceEvent
from apps.payment.models.method import PaymentMethod
from apps.payment.models.payment import Payment
from apps.payment.models.price import Price
from apps.payment.models.status import PaymentStatus

__all__ = [
    "Charge",
    "Consent",
    "Invoice",
    "InvoiceEvent",
    "Payment",
    "PaymentMethod",
    "PaymentStatus",
    "Price",
]
