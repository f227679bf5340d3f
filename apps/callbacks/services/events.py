"""Events: written with the change that they tell of, read in the order in which they happened."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Q

from apps.callbacks.domain.event_types import ALL, matching, patterns_of, type_of
from apps.callbacks.models import Delivery, Event, EventCounter, SenderClock, Subscription
from apps.callbacks.models.delivery import ring
from core.states import Stateful


@dataclass(frozen=True)
class EventRow:
    """An event: `position` is its number among its owner's, `seq` among its resource's."""

    position: int
    uuid: UUID
    type: str
    uri: str
    seq: int
    changes: dict[str, Any]
    created: datetime


@dataclass(frozen=True)
class Change:
    """`uri`, a resource of `owner_id`, changed.

    changes : property -> new value, `status` among them; a nested property is named with dots
    """

    uri: str
    owner_id: UUID
    changes: dict[str, Any]


def emit(*, uri: str, owner_id: UUID, changes: dict[str, Any]) -> None:
    """Write the event of one change, and tell whoever asked."""
    emit_all([Change(uri, owner_id, changes)])


def tell(row: Stateful, **more: Any) -> None:
    """Write the event that a row has come to the status that it has now, with its news."""
    tell_all([row], **more)


def tell_all(rows: Iterable[Stateful], **more: Any) -> None:
    """The same of many rows; `more` comes with each."""
    emit_all(
        Change(row.uri, row.audience, {"status": row.status, **row.news(), **more})  # type: ignore[attr-defined]
        for row in rows
    )


@transaction.atomic(savepoint=False)
def emit_all(changes: Iterable[Change]) -> None:
    """Write the events of these changes, in this order, and tell whoever asked.

    They are told if the caller's transaction commits, which should be soon: other events of the
    same owners wait for it.
    """
    of_owner: dict[UUID, list[Event]] = {}
    for change in changes:
        of_owner.setdefault(change.owner_id, []).append(_event(change))
    for owner_id in sorted(of_owner):  # everybody locks the accounts' counters in this order
        Event.write(of_owner[owner_id])
        _tell(owner_id, of_owner[owner_id])


def events_after(
    *, owner_id: UUID, position: int, limit: int, types: Collection[str] = (ALL,)
) -> list[EventRow]:
    """An account's events after `position`, at most `limit`, in order; none is ever added between.

    types : only these types or patterns, such as slice.*
    """
    rows = Event.objects.filter(matching(types), owner_id=owner_id, position__gt=position)
    return [
        EventRow(row.position, row.uuid, row.type, row.uri, row.seq, row.changes, row.created)
        for row in rows.order_by("position")[:limit]
    ]


def last_position(*, owner_id: UUID) -> int:
    """The position of an account's newest event; 0 where it had none."""
    counter = EventCounter.objects.filter(owner_id=owner_id).values_list("last", flat=True)
    return counter.first() or 0


@transaction.atomic(savepoint=False)
def forget(*, uri: str) -> None:
    """Cancel what is still to be told of `uri`, which is being deleted."""
    waiting = (
        Delivery.objects.select_for_update(of=("self",))
        .filter(event__uri=uri, state=Delivery.State.PENDING)
        .order_by("uuid")
        .values_list("uuid", flat=True)
    )
    Delivery.objects.filter(uuid__in=list(waiting)).update(state=Delivery.State.CANCELLED)


def _event(change: Change) -> Event:
    body = {"uri": change.uri, **change.changes}
    return Event(
        owner_id=change.owner_id,
        uri=change.uri,
        type=type_of(change.uri, change.changes["status"]),
        body=json.dumps(body, cls=DjangoJSONEncoder, separators=(",", ":"), allow_nan=False),
    )


def _tell(owner_id: UUID, events: list[Event]) -> None:
    """A delivery to each that subscribed; the lock on the counter keeps them in order."""
    patterns = {event.type: patterns_of(event.type) for event in events}
    asked = sorted({pattern for known in patterns.values() for pattern in known})
    of_account = Q(owner_id=owner_id, resource=None, events__overlap=asked)
    of_resource = Q(resource__in={event.uri for event in events})
    subscriptions = list(
        Subscription.objects.filter(of_resource | of_account, enabled=True, deleted=None)
        .annotate(tick=SenderClock.now())
        .order_by("uuid")
    )
    if not subscriptions:
        return
    Delivery.objects.bulk_create(
        Delivery(
            subscription=subscription,
            event=event,
            owner_id=subscription.owner_id,
            origin_id=subscription.origin_id,
            lane=_lane(subscription, event.uri),
            seq=event.seq,
            since_tick=subscription.tick,
        )
        for event in events
        for subscription in subscriptions
        if subscription.resource == event.uri
        or not set(subscription.events).isdisjoint(patterns[event.type])
    )
    ring()


def _lane(subscription: Subscription, uri: str) -> UUID:
    """What is told in order: all events of one resource to one subscription."""
    return uuid5(subscription.uuid, uri)
