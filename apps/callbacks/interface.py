"""Callbacks, as other apps see them: subscribe to a resource, tell its changes, read them."""

from django.db import connection

from apps.callbacks.models.clock import SENDER_LOCK
from apps.callbacks.models.event import EVENT_CHANNEL
from apps.callbacks.services.events import (
    EventRow,
    emit,
    events_after,
    forget,
    last_position,
)
from apps.callbacks.services.figures import Figures, read_figures
from apps.callbacks.services.subscriptions import InvalidCallback, subscribe

__all__ = [
    "EVENT_CHANNEL",
    "EventRow",
    "Figures",
    "InvalidCallback",
    "emit",
    "events_after",
    "forget",
    "last_position",
    "read_figures",
    "sender_is_active",
    "subscribe",
]


def sender_is_active() -> bool:
    """Whether a sender is at work: it holds the lock of the one that is."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"
            " AND classid = 0 AND objid = %s)",
            (SENDER_LOCK,),
        )
        return cursor.fetchone()[0]
