"""Serializers: events with deliveries."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from apps.callbacks.models import Delivery, Event, Outcome
from core.api.openapi.response_types import FreeJson, Uri


class OutcomeAnswer(TypedDict):
    """What came of attempts: one entry for all that ended alike."""

    outcome: Annotated[
        str,
        "HTTP status of the response, or dns, refused, connect-timeout, tls, blocked, timeout, "
        "broken.",
    ]
    count: int
    first: datetime
    last: datetime
    milliseconds: Annotated[int, "Duration of the last attempt, ms."]
    answer: Annotated[str | None, "Beginning of the last response."]


class DeliveryAnswer(TypedDict):
    """An event on its way to one receiver."""

    webhook_id: UUID
    url: str
    method: str
    subscription: Annotated[
        Uri | None, "URI of the subscription; null for the callback of the resource."
    ]
    state: Annotated[str, Delivery.State]
    attempts: int
    outcomes: list[OutcomeAnswer]
    error: Annotated[str | None, "Error of the last attempt; null if none."]
    created: datetime
    next_attempt: datetime | None
    delivered: datetime | None
    replayed: datetime | None


class EventAnswer(TypedDict):
    """A change of the resource."""

    position: Annotated[int, "Position among all events of the owner."]
    type: str
    sequence: Annotated[int, "Sequence number among the events of the resource."]
    created: datetime
    changes: FreeJson
    deliveries: list[DeliveryAnswer]


def event_resource(row: Event) -> EventAnswer:
    """An event and its deliveries, as far as they were fetched with it."""
    return {
        "position": row.position,
        "type": row.type,
        "sequence": row.seq,
        "created": row.created,
        "changes": row.changes,
        "deliveries": [_delivery(delivery) for delivery in row.deliveries.all()],
    }


def _delivery(row: Delivery) -> DeliveryAnswer:
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


def _outcome(row: Outcome) -> OutcomeAnswer:
    return {
        "outcome": row.outcome,
        "count": row.count,
        "first": row.first_at,
        "last": row.last_at,
        "milliseconds": row.ms,
        "answer": row.response_head or None,
    }
