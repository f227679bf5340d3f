"""Prices as the API spells them."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from apps.payment.models import Price
from core.api.fields import Choice, StrictSerializer, StrictText, UriField, ValidatedData
from core.api.money import AmountField, CurrencyField, require_exact
from core.api.openapi.response_types import ResourceAnswer, Uri

OF_SERVICE = "Service of integrations to which the price is restricted; null: any service."


class PriceSerializer(StrictSerializer):
    """What every use of an action costs."""

    fixed_fields = ("namespace", "action", "service")

    namespace = StrictText(max_length=64)
    action = StrictText(max_length=64)
    service = UriField(required=False, allow_blank=True, help_text=OF_SERVICE)
    amount = AmountField()
    currency = CurrencyField()
    type = Choice(choices=["per-use"], required=False)

    def validate(self, values: ValidatedData) -> ValidatedData:
        held: Any = self.instance
        amount = values["amount"] if "amount" in values else held.amount
        require_exact(amount, values["currency"] if "currency" in values else held.currency)
        return values


class PriceAnswer(ResourceAnswer):
    """What every use of an action costs."""

    namespace: str
    action: str
    service: Annotated[Uri | None, OF_SERVICE]
    amount: Decimal
    currency: str
    type: Annotated[str, Literal["per-use"]]


def price_resource(price: Price) -> PriceAnswer:
    """A price."""
    return {
        "uri": price.uri,
        "namespace": price.namespace,
        "action": price.action,
        "service": price.service or None,
        "amount": price.amount,
        "currency": price.currency,
        "type": price.type,
        "created": price.created,
        "updated": price.updated,
    }
