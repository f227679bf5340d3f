"""Serializers: signing secrets."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.callbacks.models import WebhookSecret
from core.api.openapi.response_types import Uri


class WebhookSecretAnswer(TypedDict):
    """What the caller's callbacks are signed with, as Standard Webhooks writes it."""

    uri: Uri
    secret: Annotated[str | None, "Signing secret; null to read-only tokens."]
    created: datetime
    expires: Annotated[datetime | None, "Expiry time of the secret; null: no expiry."]


def secret_resource(row: WebhookSecret, *, shown: bool) -> WebhookSecretAnswer:
    """A signing secret; `shown` where the caller may know it."""
    return {
        "uri": row.uri,
        "secret": row.secret if shown else None,
        "created": row.created,
        "expires": row.expires,
    }
