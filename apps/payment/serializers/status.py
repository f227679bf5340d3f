"""Payment statuses as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.payment.models import PaymentStatus
from apps.payment.models.evaluation import CONSENT_REQUIRED, METHOD_REQUIRED, OK, evaluate
from core.api.fields import Choice, StrictSerializer
from core.api.money import MoneySerializer
from core.money import rounded


class PaymentStatusSerializer(StrictSerializer):
    """Whether an action may be charged to a user."""

    namespace = serializers.CharField(read_only=True)
    action = serializers.CharField(read_only=True)
    service = serializers.CharField(read_only=True, allow_null=True)
    consented = serializers.BooleanField(read_only=True)
    cost = MoneySerializer(read_only=True)
    details = serializers.CharField(read_only=True)
    status = Choice(choices=[OK, CONSENT_REQUIRED, METHOD_REQUIRED], read_only=True)
    type = serializers.CharField(read_only=True)
    user_uri = serializers.CharField(read_only=True)
    uri = serializers.CharField(read_only=True)


def status_resource(row: PaymentStatus) -> dict[str, Any]:
    """The contract's payment status, of an evaluated row."""
    terms = row.terms()
    status, details = evaluate(terms, spent=row.spent)
    return {
        "uri": row.uri,
        "namespace": terms.namespace,
        "action": terms.action,
        "service": row.price.service or None,
        "consented": terms.consented,
        "cost": {
            "amount": rounded(terms.amount, terms.currency),
            "currency": terms.currency,
        },
        "details": details,
        "status": status,
        "type": row.price.type,
        "user_uri": row.owner.uri,  # type: ignore[attr-defined]
    }
