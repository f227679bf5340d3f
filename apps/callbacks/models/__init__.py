"""Events, subscriptions, deliveries, sinks, signing secrets."""

from apps.callbacks.models.delivery import Delivery, Outcome
from apps.callbacks.models.event import BureauCounter, Event, EventCounter
from apps.callbacks.models.origin import Origin
from apps.callbacks.models.secret import WebhookSecret
from apps.callbacks.models.sender_clock import SenderClock
from apps.callbacks.models.sink import Sink, SunkRequest
from apps.callbacks.models.subscription import Subscription

__all__ = [
    "BureauCounter",
    "Delivery",
    "Event",
    "EventCounter",
    "Origin",
    "Outcome",
    "SenderClock",
    "Sink",
    "Subscription",
    "SunkRequest",
    "WebhookSecret",
]
