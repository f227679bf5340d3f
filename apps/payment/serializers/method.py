"""Methods of payment as the API spells them."""

from typing import Annotated

from django.contrib.auth import get_user_model
from rest_framework import serializers

from apps.payment.models import PaymentMethod
from core import uris
from core.api.fields import Choice, StrictSerializer, UriField, ValidatedData
from core.api.openapi.response_types import FreeJson, OwnedAnswer, Uri


class PaymentMethodSerializer(StrictSerializer):
    """A way in which a user pays."""

    user_uri = UriField()
    type = Choice(choices=PaymentMethod.Type.choices)

    def validate(self, values: ValidatedData) -> ValidatedData:
        keys = uris.keys_of(values["user_uri"], "user")
        owner = get_user_model().objects.filter(pk__in=keys, is_active=True).first()
        if owner is None:
            words = "This is the URI of no user."
            raise serializers.ValidationError(
                {"user_uri": [serializers.ErrorDetail(words, code="resource-not-found")]}
            )
        return {"owner": owner, "type": values["type"]}


class PaymentMethodAnswer(OwnedAnswer):
    """A way in which a user pays."""

    type: Annotated[str, PaymentMethod.Type]
    status: Annotated[str, PaymentMethod.Status]
    errors: list[FreeJson] | None
    setup_url: Uri | None


def method_resource(method: PaymentMethod) -> PaymentMethodAnswer:
    """Return the representation of a payment method; no card or account number is stored here."""
    return {
        "uri": method.uri,
        "user_uri": method.owner.uri,
        "type": method.type,
        "status": method.status,
        "errors": method.errors,
        "setup_url": method.setup_url or None,
        "created": method.created,
        "updated": method.updated,
    }
