"""Payment: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

ChargesFilters = TypedDict("ChargesFilters", {
    "action": Filter, "amount": Filter, "amount_from": Filter, "amount_to": Filter,
    "created": Filter, "created_from": Filter, "created_to": Filter, "currency": Filter,
    "invoice_uuid": Filter, "namespace": Filter, "source": Filter, "status": Filter, "uri": Filter,
    "user_uri": Filter, "sort": str, "limit": int,
}, total=False)
Charge = TypedDict("Charge", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "uuid": str, "namespace": str,
    "action": str, "type": str, "source": str, "amount": float, "currency": str,
    "cost_centre": str | None, "invoice_uuid": str | None, "status": str, "corrects": str | None,
})
CorrectionRequest = TypedDict("CorrectionRequest", {"corrects": Ref, "amount": float})
ConsentsFilters = TypedDict("ConsentsFilters", {
    "action": Filter, "consented": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "namespace": Filter, "uri": Filter, "user_uri": Filter, "sort": str,
    "limit": int,
}, total=False)
Consent = TypedDict("Consent", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "uuid": str, "namespace": str,
    "action": str, "consented": bool, "per_charge": float | None, "per_month": float | None,
    "currency": str | None, "cost_centre": str | None,
})
ConsentRequest = TypedDict("ConsentRequest", {
    "namespace": Required[str], "action": Required[str], "consented": Required[bool],
    "user_uri": Required[Ref], "per_charge": float | None, "per_month": float | None,
    "currency": str | None, "cost_centre": str | None,
}, total=False)
ConsentChange = TypedDict("ConsentChange", {
    "namespace": str, "action": str, "consented": bool, "user_uri": Ref, "per_charge": float | None,
    "per_month": float | None, "currency": str | None, "cost_centre": str | None,
}, total=False)
InvoicesFilters = TypedDict("InvoicesFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "currency": Filter,
    "due": Filter, "due_from": Filter, "due_to": Filter, "issued": Filter, "issued_from": Filter,
    "issued_to": Filter, "month": Filter, "month_from": Filter, "month_to": Filter,
    "status": Filter, "uri": Filter, "user_uri": Filter, "sort": str, "limit": int,
}, total=False)
ChargeOnInvoice = TypedDict("ChargeOnInvoice", {
    "uuid": str, "namespace": str, "action": str, "type": str, "source": str, "amount": float,
    "currency": str, "cost_centre": str | None, "invoice_uuid": str | None,
})
Money = TypedDict("Money", {"amount": float, "currency": str})
Invoice = TypedDict("Invoice", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "month": str,
    "charges": list[ChargeOnInvoice], "cost": Money, "issued": str | None, "due": str,
    "payment_uuid": str | None, "status": str, "taxes": list[JsonObject],
})
InvoiceChange = TypedDict("InvoiceChange", {
    "status": Literal["unpaid", "overdue", "paid"],
}, total=False)
PaymentMethodsFilters = TypedDict("PaymentMethodsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "status": Filter,
    "type": Filter, "uri": Filter, "user_uri": Filter, "sort": str, "limit": int,
}, total=False)
PaymentMethod = TypedDict("PaymentMethod", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "type": str, "status": str,
    "errors": list[JsonObject] | None, "setup_url": str | None,
})
PaymentMethodRequest = TypedDict("PaymentMethodRequest", {
    "user_uri": Ref, "type": Literal["manual", "stripe"],
})
PaymentStatusesFilters = TypedDict("PaymentStatusesFilters", {
    "action": Filter, "namespace": Filter, "status": Filter, "uri": Filter, "user_uri": Filter,
    "sort": str, "limit": int,
}, total=False)
PaymentStatus = TypedDict("PaymentStatus", {
    "uri": str, "namespace": str, "action": str, "service": str | None, "consented": bool,
    "cost": Money, "details": str, "status": str, "type": str, "user_uri": str,
})
PricesFilters = TypedDict("PricesFilters", {
    "action": Filter, "amount": Filter, "amount_from": Filter, "amount_to": Filter,
    "created": Filter, "created_from": Filter, "created_to": Filter, "currency": Filter,
    "namespace": Filter, "service": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
Price = TypedDict("Price", {
    "uri": str, "created": str, "updated": str, "namespace": str, "action": str,
    "service": str | None, "amount": float, "currency": str, "type": str,
})
PriceRequest = TypedDict("PriceRequest", {
    "namespace": str, "action": str, "service": NotRequired[Ref | None], "amount": float,
    "currency": str, "type": NotRequired[Literal["per-use"]],
})
PriceChange = TypedDict("PriceChange", {
    "namespace": str, "action": str, "service": Ref | None, "amount": float, "currency": str,
    "type": Literal["per-use"],
}, total=False)


class Payment(Methods):
    """Prices, consents, charges and invoices."""

    NAME = "payment"

    def charges(self, **filters: Unpack[ChargesFilters]) -> Iterator[Charge]:
        """List charges."""
        return self._list(self._at("/charge/"), filters)

    def charge(self, **fields: Unpack[CorrectionRequest]) -> Charge:
        """Create a charge."""
        return self._post(self._at("/charge/"), fields)

    def get_charge(self, charge: Ref) -> Charge:
        """Get a charge."""
        return self._get(charge)

    def charges_csv(self) -> bytes:
        """Export charges as CSV."""
        return self._read(self._at("/charges.csv"))

    def consents(self, **filters: Unpack[ConsentsFilters]) -> Iterator[Consent]:
        """List consents."""
        return self._list(self._at("/consent/"), filters)

    def consent(self, **fields: Unpack[ConsentRequest]) -> Consent:
        """Create a consent."""
        return self._post(self._at("/consent/"), fields)

    def get_consent(self, consent: Ref) -> Consent:
        """Get a consent."""
        return self._get(consent)

    def change_consent(self, consent: Ref, /, **fields: Unpack[ConsentChange]) -> None:
        """Update a consent."""
        self._put(consent, fields)

    def delete_consent(self, consent: Ref) -> None:
        """Delete a consent."""
        self._client.delete(consent)

    def invoices(self, **filters: Unpack[InvoicesFilters]) -> Iterator[Invoice]:
        """List invoices."""
        return self._list(self._at("/invoice/"), filters)

    def get_invoice(self, invoice: Ref) -> Invoice:
        """Get an invoice."""
        return self._get(invoice)

    def change_invoice(self, invoice: Ref, /, **fields: Unpack[InvoiceChange]) -> None:
        """Update an invoice."""
        self._put(invoice, fields)

    def invoices_csv(self) -> bytes:
        """Export invoices as CSV."""
        return self._read(self._at("/invoices.csv"))

    def payment_methods(self, **filters: Unpack[PaymentMethodsFilters]) -> Iterator[PaymentMethod]:
        """List payment methods."""
        return self._list(self._at("/payment-method/"), filters)

    def payment_method(self, **fields: Unpack[PaymentMethodRequest]) -> PaymentMethod:
        """Create a payment method."""
        return self._post(self._at("/payment-method/"), fields)

    def get_payment_method(self, payment_method: Ref) -> PaymentMethod:
        """Get a payment method."""
        return self._get(payment_method)

    def delete_payment_method(self, payment_method: Ref) -> None:
        """Delete a payment method."""
        self._client.delete(payment_method)

    def payment_statuses(
        self, **filters: Unpack[PaymentStatusesFilters],
    ) -> Iterator[PaymentStatus]:
        """List payment statuses."""
        return self._list(self._at("/payment-status/"), filters)

    def get_payment_status(self, payment_status: Ref) -> PaymentStatus:
        """Get a payment status."""
        return self._get(payment_status)

    def prices(self, **filters: Unpack[PricesFilters]) -> Iterator[Price]:
        """List prices."""
        return self._list(self._at("/price/"), filters)

    def price(self, **fields: Unpack[PriceRequest]) -> Price:
        """Create a price."""
        return self._post(self._at("/price/"), fields)

    def get_price(self, price: Ref) -> Price:
        """Get a price."""
        return self._get(price)

    def change_price(self, price: Ref, /, **fields: Unpack[PriceChange]) -> None:
        """Update a price."""
        self._put(price, fields)

    def delete_price(self, price: Ref) -> None:
        """Delete a price."""
        self._client.delete(price)
