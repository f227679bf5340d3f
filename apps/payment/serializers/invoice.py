"""Invoices as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.payment.models import Invoice
from apps.payment.serializers.charge import charge_on_invoice
from core.api.fields import Choice, StrictSerializer
from core.api.money import MoneySerializer
from core.money import rounded


class ChargeOnInvoiceSerializer(serializers.Serializer):
    """A charge on an invoice."""

    uuid = serializers.UUIDField()
    namespace = serializers.CharField()
    action = serializers.CharField()
    type = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    amount = serializers.FloatField()
    currency = serializers.CharField()
    cost_centre = serializers.CharField(allow_null=True)
    invoice_uuid = serializers.UUIDField()


class InvoiceSerializer(StrictSerializer):
    """What a user owes for a month; an administrator may say that it is `paid`."""

    status = Choice(choices=Invoice.Status.choices, required=False)
    charges = ChargeOnInvoiceSerializer(many=True, read_only=True)
    cost = MoneySerializer(read_only=True)
    month = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    issued = serializers.DateTimeField(read_only=True, allow_null=True)
    due = serializers.DateTimeField(read_only=True)
    payment_uuid = serializers.UUIDField(read_only=True, allow_null=True)
    taxes = serializers.ListField(child=serializers.DictField(), read_only=True)
    user_uri = serializers.CharField(read_only=True)
    uri = serializers.CharField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)


def invoice_resource(invoice: Invoice) -> dict[str, Any]:
    """The contract's invoice; `issued` is null while it still grows."""
    charges = sorted(invoice.charges.all(), key=lambda charge: charge.uuid)  # type: ignore[attr-defined]
    return {
        "uri": invoice.uri,
        "month": f"{invoice.month:%Y-%m}",
        "charges": [charge_on_invoice(charge) for charge in charges],
        "cost": {
            "amount": rounded(invoice.cost, invoice.currency),
            "currency": invoice.currency,
        },
        "created": invoice.created,
        "issued": invoice.issued,
        "due": invoice.due,
        "payment_uuid": invoice.payment_uuid,
        "status": invoice.status,
        "taxes": [],
        "user_uri": invoice.owner.uri,  # type: ignore[attr-defined]
        "updated": invoice.updated,
    }
