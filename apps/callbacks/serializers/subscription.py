"""Subscriptions as clients see them."""

from typing import Annotated, Literal

from rest_framework import serializers

from apps.callbacks.domain.event_types import known_patterns
from apps.callbacks.models import Subscription
from core.api.answers import CallbackAnswer, OwnedAnswer
from core.api.fields import CallbackSerializer, Choice, StrictBoolean
from core.uris import user_uri


class SubscriptionSerializer(CallbackSerializer):
    """Where an account's events are told: the callback of all its resources."""

    events = serializers.ListField(
        child=Choice(choices=known_patterns()),
        allow_empty=False,
        max_length=len(known_patterns()),
        help_text="Types of events; slice.* is every type of that kind, * every type.",
    )
    enabled = StrictBoolean(required=False)  # type: ignore[assignment]


class SubscriptionAnswer(OwnedAnswer, CallbackAnswer):
    """Where an account's events are told: the callback of all its resources."""

    events: Annotated[
        list[Annotated[str, Literal[*known_patterns()]]],
        "Types of events; slice.* is every type of that kind, * every type.",
    ]
    enabled: bool


def subscription_resource(row: Subscription) -> SubscriptionAnswer:
    """A subscription, as it was written."""
    return {
        "uri": row.uri,
        "url": row.url,
        "method": row.method,
        "events": row.events,
        "enabled": row.enabled,
        "user_uri": user_uri(row.owner_id),
        "created": row.created,
        "updated": row.updated,
    }
