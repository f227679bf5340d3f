"""Consents as the contract spells them."""

from decimal import Decimal
from uuid import UUID

from rest_framework import serializers

from apps.payment.models import Consent
from core.api.fields import StrictBoolean, StrictSerializer, StrictText, UriField, ValidatedData
from core.api.money import AmountField, CurrencyField
from core.api.openapi.response_types import OwnedAnswer

CEILINGS = ("per_charge", "per_month")


class ConsentSerializer(StrictSerializer):
    """A user's consent to be charged for an action, with an optional ceiling."""

    fixed_fields = ("namespace", "action", "user_uri")

    namespace = StrictText(max_length=64)
    action = StrictText(max_length=64)
    consented = StrictBoolean()
    user_uri = UriField()
    per_charge = AmountField(required=False, allow_null=True)
    per_month = AmountField(required=False, allow_null=True)
    currency = CurrencyField(required=False, allow_blank=True)
    cost_centre = StrictText(max_length=64, required=False, allow_blank=True)

    def validate(self, values: ValidatedData) -> ValidatedData:
        held = {name: getattr(self.instance, name, None) for name in (*CEILINGS, "currency")}
        meant = held | values
        if any(meant[name] is not None for name in CEILINGS) and not meant["currency"]:
            words = "A ceiling needs a currency, such as EUR."
            raise serializers.ValidationError({"currency": [words]}, code="required")
        return values


class ConsentAnswer(OwnedAnswer):
    """A user's agreement to be charged for an action."""

    uuid: UUID
    namespace: str
    action: str
    consented: bool
    per_charge: Decimal | None
    per_month: Decimal | None
    currency: str | None
    cost_centre: str | None


def consent_resource(consent: Consent) -> ConsentAnswer:
    """The contract's consent."""
    return {
        "uri": consent.uri,
        "uuid": consent.uuid,
        "namespace": consent.namespace,
        "action": consent.action,
        "consented": consent.consented,
        "user_uri": consent.owner.uri,
        "per_charge": consent.per_charge,
        "per_month": consent.per_month,
        "currency": consent.currency or None,
        "cost_centre": consent.cost_centre or None,
        "created": consent.created,
        "updated": consent.updated,
    }
