"""Charges as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.payment.models import Charge
from core.api.fields import Choice, StrictSerializer, UriField
from core.api.money import AmountField
from core.uris import user_uri


class ChargeSerializer(StrictSerializer):
    """What is owed for an action, or given back."""

    corrects = serializers.CharField(read_only=True, allow_null=True)
    amount = serializers.FloatField(read_only=True)
    uri = serializers.CharField(read_only=True)
    uuid = serializers.UUIDField(read_only=True)
    namespace = serializers.CharField(read_only=True)
    action = serializers.CharField(read_only=True)
    type = serializers.CharField(read_only=True)
    source = serializers.CharField(read_only=True)  # type: ignore[assignment]
    currency = serializers.CharField(read_only=True)
    cost_centre = serializers.CharField(read_only=True, allow_null=True)
    status = Choice(choices=Charge.Status.choices, read_only=True)
    invoice_uuid = serializers.UUIDField(read_only=True, allow_null=True)
    user_uri = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)


class CorrectionSerializer(ChargeSerializer):
    """What to give back of a charge."""

    corrects = UriField()  # type: ignore[assignment]
    amount = AmountField()  # type: ignore[assignment]


def charge_on_invoice(charge: Charge) -> dict[str, Any]:
    """The contract's charge, as it stands on an invoice."""
    return {
        "uuid": charge.uuid,
        "namespace": charge.namespace,
        "action": charge.action,
        "type": charge.type,
        "source": charge.source,
        "amount": charge.amount,
        "currency": charge.currency,
        "cost_centre": charge.cost_centre or None,
        "invoice_uuid": charge.invoice_id,
    }


def charge_resource(charge: Charge) -> dict[str, Any]:
    """A charge by itself."""
    return charge_on_invoice(charge) | {
        "uri": charge.uri,
        "status": charge.status,
        "corrects": charge.corrects_id and Charge.uri_of(charge.corrects_id),
        "user_uri": user_uri(charge.owner_id),
        "created": charge.created,
        "updated": charge.updated,
    }
