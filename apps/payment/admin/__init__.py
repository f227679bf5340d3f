"""Admin: prices, payment methods, consents, charges and invoices."""

from apps.payment.admin.accounts import ConsentAdmin, PaymentMethodAdmin, PriceAdmin
from apps.payment.admin.ledger import ChargeAdmin, InvoiceAdmin

__all__ = ["ChargeAdmin", "ConsentAdmin", "InvoiceAdmin", "PaymentMethodAdmin", "PriceAdmin"]
