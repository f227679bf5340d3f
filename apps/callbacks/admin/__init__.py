"""Operators' pages: what happened, who is told, and how it went."""

from apps.callbacks.admin import deliveries, events, origins, secrets, sinks, subscriptions

__all__ = ["deliveries", "events", "origins", "secrets", "sinks", "subscriptions"]
