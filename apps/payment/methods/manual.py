"""Manual payment: an administrator marks invoices as paid."""

from decimal import Decimal

from apps.payment.methods.base import Outcome, Setup


class Manual:
    """Invoices are sent and paid as the business does it; nothing happens by itself."""

    automatic = False

    def set_up(self, *, key: str, email: str, name: str) -> Setup:
        return Setup(customer="", url="")

    def collect(
        self, *, key: str, customer: str, reference: str, amount: Decimal, currency: str
    ) -> Outcome:
        return Outcome("succeeded")
