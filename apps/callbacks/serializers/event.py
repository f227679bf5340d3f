"""A resource's events, each with who was told and how that went."""

from typing import Any

from rest_framework import serializers

from apps.callbacks.models import Delivery, Event, Outcome
from core.api.fields import StrictSerializer


class OutcomeSerializer(serializers.Serializer):
    """What came of attempts: one entry for all that ended alike."""

    outcome = serializers.CharField(
        help_text="The status that was answered, or dns, refused, connect-timeout, tls, blocked, "
        "timeout, broken."
    )
    count = serializers.IntegerField()
    first = serializers.DateTimeField()
    last = serializers.DateTimeField()
    milliseconds = serializers.IntegerField(help_text="Of the last one.")
    answer = serializers.CharField(allow_null=True, help_text="How the last one's answer began.")


class DeliverySerializer(serializers.Serializer):
    """An event on its way to one receiver."""

    webhook_id = serializers.UUIDField()
    url = serializers.CharField()
    method = serializers.CharField()
    subscription = serializers.CharField(
        allow_null=True, help_text="The account's that asked; null for the resource's own callback."
    )
    state = serializers.ChoiceField(choices=Delivery.State.values)
    attempts = serializers.IntegerField()
    outcomes = OutcomeSerializer(many=True)
    error = serializers.CharField(allow_null=True, help_text="Why the last attempt reached nobody.")
    created = serializers.DateTimeField()
    next_attempt = serializers.DateTimeField(allow_null=True)
    delivered = serializers.DateTimeField(allow_null=True)
    replayed = serializers.DateTimeField(allow_null=True)


class EventSerializer(StrictSerializer):
    """A change of the resource."""

    position = serializers.IntegerField(help_text="Among all events of its owner.")
    type = serializers.CharField()
    sequence = serializers.IntegerField(help_text="Among the events of this resource.")
    created = serializers.DateTimeField()
    changes = serializers.DictField()
    deliveries = DeliverySerializer(many=True)


def event_resource(row: Event) -> dict[str, Any]:
    """An event and its deliveries, as far as they were fetched with it."""
    return {
        "position": row.position,
        "type": row.type,
        "sequence": row.seq,
        "created": row.created,
        "changes": row.changes,
        "deliveries": [_delivery(delivery) for delivery in row.deliveries.all()],
    }


def _delivery(row: Delivery) -> dict[str, Any]:
    subscription = row.subscription
    return {
        "webhook_id": row.uuid,
        "url": subscription.url,
        "method": subscription.method,
        "subscription": subscription.uri if subscription.resource is None else None,
        "state": row.state,
        "attempts": row.tries,
        "outcomes": [_outcome(outcome) for outcome in row.outcomes.all()],
        "error": row.last_error or None,
        "created": row.created,
        "next_attempt": row.next_attempt,
        "delivered": row.delivered_at,
        "replayed": row.replayed_at,
    }


def _outcome(row: Outcome) -> dict[str, Any]:
    return {
        "outcome": row.outcome,
        "count": row.count,
        "first": row.first_at,
        "last": row.last_at,
        "milliseconds": row.ms,
        "answer": row.response_head or None,
    }
