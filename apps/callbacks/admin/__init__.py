"""Admin: events, subscriptions, deliveries, origins, sinks and signing secrets."""

from apps.callbacks.admin import deliveries, events, origins, secrets, sinks, subscriptions

__all__ = ["deliveries", "events", "origins", "secrets", "sinks", "subscriptions"]
