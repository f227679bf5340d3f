"""Public interface of callbacks: subscribe, emit, read events.

Statements of other apps ask this function of the database for the callback, {url, method}, that an
account gave with a resource, as a row: none, where it gave none.

    callbacks_given(uri, person)
"""

from typing import TYPE_CHECKING

from django.db import connection
from django.urls import URLPattern, path

from apps.callbacks.domain.event_types import ALL
from apps.callbacks.models.event import EVENT_CHANNEL, ring_streams
from apps.callbacks.models.sender_clock import SENDER_LOCK, sender_name
from apps.callbacks.services.consistency import broken_rules
from apps.callbacks.services.events import (
    Change,
    EventRow,
    cancel_pending,
    emit,
    emit_all,
    emit_status,
    emit_statuses,
    events_after,
    last_position,
    state_times,
)
from apps.callbacks.services.metrics import Figures, read_figures
from apps.callbacks.services.sinks import sinks_of
from apps.callbacks.services.subscriptions import (
    InvalidCallback,
    callbacks_of,
    subscribe,
    subscriptions_of,
    waiting_of,
)

if TYPE_CHECKING:
    from core.api.views import ResourceViewSet

__all__ = [
    "ALL",
    "EVENT_CHANNEL",
    "Change",
    "EventRow",
    "Figures",
    "InvalidCallback",
    "broken_rules",
    "callbacks_of",
    "emit",
    "emit_all",
    "event_urls",
    "events_after",
    "cancel_pending",
    "last_position",
    "read_figures",
    "ring_streams",
    "sender_is_active",
    "sender_name",
    "sinks_of",
    "state_times",
    "subscribe",
    "subscriptions_of",
    "emit_status",
    "emit_statuses",
    "waiting_of",
]


def event_urls(of: type["ResourceViewSet"], *, at: str = "") -> list[URLPattern]:
    """The events of each resource, and their replay: a service adds them to its urls.

    of : the viewset of these resources
    at : the path of their collection, where that is not named as they are
    """
    # Here, since workers and the sender have no use for views.
    from apps.callbacks.views.history import HistoryViewSet
    from core.api.openapi.schema import in_words

    kind, one = of.kind.KIND, in_words(of.kind)
    says = {"list": f"List events of {one}", "replay": f"Replay an event of {one}"}
    options = {"of": of, "says": says}
    route = f"{at or kind}/<uuid:uuid>/"
    return [
        path(
            f"{route}events/",
            HistoryViewSet.as_view({"get": "list"}, **options),
            name=f"{kind}-events",
        ),
        path(
            f"{route}events/<int:seq>/replay/",
            HistoryViewSet.as_view({"post": "replay"}, **options),
            name=f"{kind}-event-replay",
        ),
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
