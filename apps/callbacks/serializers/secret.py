"""Signing secrets as clients see them."""

from typing import Any

from rest_framework import serializers

from apps.callbacks.models import WebhookSecret
from core.api.fields import StrictSerializer


class WebhookSecretSerializer(StrictSerializer):
    """What the caller's callbacks are signed with, as Standard Webhooks writes it."""

    uri = serializers.CharField(read_only=True)
    secret = serializers.CharField(
        read_only=True, allow_null=True, help_text="Null for a token that is restricted to reading."
    )
    created = serializers.DateTimeField(read_only=True)
    expires = serializers.DateTimeField(
        read_only=True, allow_null=True, help_text="Until when it signs; null = for good."
    )


def secret_resource(row: WebhookSecret, *, shown: bool) -> dict[str, Any]:
    """A signing secret; `shown` where the caller may know it."""
    return {
        "uri": row.uri,
        "secret": row.secret if shown else None,
        "created": row.created,
        "expires": row.expires,
    }
