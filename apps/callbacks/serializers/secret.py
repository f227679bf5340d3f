"""Serializers: signing secrets."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.callbacks.models import WebhookSecret
from core.api.response_types import Uri


class WebhookSecretAnswer(TypedDict):
    """What the caller's callbacks are signed with, as Standard Webhooks writes it."""

    uri: Uri
    secret: Annotated[str | None, "Null for a token that is restricted to reading."]
    created: datetime
    expires: Annotated[datetime | None, "Until when it signs; null = for good."]


def secret_resource(row: WebhookSecret, *, shown: bool) -> WebhookSecretAnswer:
    """A signing secret; `shown` where the caller may know it."""
    return {
        "uri": row.uri,
        "secret": row.secret if shown else None,
        "created": row.created,
        "expires": row.expires,
    }
