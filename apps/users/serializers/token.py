"""API tokens as the contract spells them."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from apps.users.credential import METRICS
from apps.users.models import ApiToken
from core.api.fields import StrictBoolean, StrictSerializer, StrictText


class ApiTokenSerializer(StrictSerializer):
    """A key for programs: HTTP Basic with `uuid` as user name and `secret` as password."""

    fixed_fields = ("namespaces", "read_only")

    name = StrictText(max_length=200, required=False, allow_blank=True)
    expires = serializers.DateTimeField(required=False, allow_null=True)
    namespaces = serializers.ListField(
        child=serializers.ChoiceField(choices=[*settings.SERVICES, METRICS]),
        required=False,
        allow_null=True,
        allow_empty=False,
        help_text="The services that the token is for, or `metrics` alone; null = all services.",
    )
    read_only = StrictBoolean(  # type: ignore[assignment]
        required=False, help_text="Whether the token may only read."
    )
    uri = serializers.CharField(read_only=True)
    uuid = serializers.UUIDField(read_only=True)
    secret = serializers.CharField(
        read_only=True, allow_null=True, help_text="Shown once, in the answer of its creation."
    )
    user_uri = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    last_used = serializers.DateTimeField(read_only=True, allow_null=True)

    def validate_namespaces(self, names: list[str] | None) -> list[str] | None:
        if names and METRICS in names and len(names) > 1:
            words = f"A token for {METRICS} opens nothing else: name it alone."
            raise serializers.ValidationError(words, code="not-allowed")
        return names


def token_resource(token: ApiToken) -> dict[str, Any]:
    """The contract's API token; `secret` is null but for the answer of its creation."""
    return {
        "uri": token.uri,
        "uuid": token.uuid,
        "secret": token.secret,
        "name": token.name,
        "namespaces": token.namespaces,
        "read_only": token.read_only,
        "user_uri": token.user.uri,
        "created": token.created,
        "expires": token.expires,
        "last_used": token.last_used,
    }
