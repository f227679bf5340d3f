"""Serializers: subscriptions."""

from typing import Annotated, Literal
from uuid import UUID

from rest_framework import serializers

from apps.callbacks.domain.event_types import known_patterns
from apps.callbacks.models import Subscription
from core.api.fields import CallbackSerializer, Choice, StrictBoolean, StrictText
from core.api.openapi.response_types import CallbackAnswer, OwnedAnswer, Uri
from core.uris import resource_uri, user_uri


class SubscriptionSerializer(CallbackSerializer):
    """The URL that receives all events of an account or of a bureau."""

    fixed_fields = ("bureau", "location")

    events = serializers.ListField(
        child=Choice(choices=known_patterns()),
        allow_empty=False,
        max_length=len(known_patterns()),
        help_text="Event types; slice.* matches all types of that kind, * all types.",
    )
    enabled = StrictBoolean(required=False)  # type: ignore[assignment]
    bureau = StrictText(max_length=500, required=False, allow_null=True)
    location = StrictText(max_length=500, required=False, allow_null=True)


class SubscriptionAnswer(OwnedAnswer, CallbackAnswer):
    """The URL that receives all events of an account or of a bureau."""

    events: Annotated[
        list[Annotated[str, Literal[*known_patterns()]]],
        "Event types; slice.* matches all types of that kind, * all types.",
    ]
    enabled: bool
    bureau: Uri | None
    location: Uri | None


def subscription_resource(row: Subscription) -> SubscriptionAnswer:
    """A subscription, as it was written."""
    return {
        "uri": row.uri,
        "url": row.url,
        "method": row.method,
        "events": row.events,
        "enabled": row.enabled,
        "bureau": _uri("bureau", row.bureau),
        "location": _uri("location", row.location),
        "user_uri": user_uri(row.owner_id),
        "created": row.created,
        "updated": row.updated,
    }


def _uri(kind: str, key: UUID | None) -> str | None:
    return resource_uri("erp", kind, uuid=key) if key else None
