"""Operators' pages: what happened, who is told, and how it went."""

from apps.callbacks.admin import deliveries, events, secrets, subscriptions

__all__ = ["deliveries", "events", "secrets", "subscriptions"]
