"""Event log: written in the transaction of the change, numbered per account, read in order."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import F, Q
from django.utils.module_loading import import_string

from apps.callbacks.domain.event_types import ALL, matching, patterns_of, type_of
from apps.callbacks.models import (
    BureauCounter,
    Delivery,
    Event,
    EventCounter,
    SenderClock,
    Subscription,
)
from apps.callbacks.models.delivery import ring
from core.state_machine import EventScope, Stateful

# Types of events of a job that failed permanently.
FAILURES = frozenset(
    {"model.error", "slice.error", "operation.error", "run.error", "line-item.error"}
)


@dataclass(frozen=True)
class EventRow:
    """An event: `position` is its number among those that are read, `seq` its resource's."""

    position: int
    uuid: UUID
    type: str
    uri: str
    seq: int
    changes: Mapping[str, object]
    created: datetime


@dataclass(frozen=True)
class Change:
    """`uri`, a resource of `owner_id`, changed.

    changes : property -> new value, `status` among them; a nested property is named with dots
    board   : where others hear of it
    """

    uri: str
    owner_id: UUID
    changes: Mapping[str, object]
    board: EventScope | None = None


def emit(*, uri: str, owner_id: UUID, changes: Mapping[str, object]) -> None:
    """Write the event of one change, with a delivery for each matching subscription."""
    emit_all([Change(uri, owner_id, changes)])


def emit_status(row: Stateful, **more: Any) -> None:
    """Write the event that a row has come to the status that it has now, with its news."""
    emit_statuses([row], **more)


def emit_statuses(rows: Iterable[Stateful], **more: Any) -> None:
    """The same of many rows; `more` comes with each. Owners of failed jobs are notified."""
    rows = list(rows)
    changes = [
        Change(row.uri, row.audience, {"status": row.status, **row.news(), **more}, row.board)  # type: ignore[attr-defined]
        for row in rows
    ]
    for row, change in zip(rows, changes, strict=True):
        if type_of(change.uri, row.status) in FAILURES:
            _notify_owner(change, getattr(row, "name", ""))
    emit_all(changes)


def _notify_owner(change: Change, name: str) -> None:
    notify = import_string(settings.JOB_FAILED_HOOK)
    notify(owner=change.owner_id, subject=change.uri, name=name)


@transaction.atomic(savepoint=False)
def emit_all(changes: Iterable[Change]) -> None:
    """Write the events of these changes, in order, with a delivery for each matching subscription.

    They are delivered once the caller's transaction commits, which should be soon: other events of
    the same owners and bureaus wait for it.
    """
    of_owner, of_bureau = defaultdict(list), defaultdict(list)
    for change in changes:
        event = _event(change)
        of_owner[change.owner_id].append(event)
        if event.bureau is not None:
            of_bureau[event.bureau].append(event)
    # Everybody locks the counters in this order: in a bureau, several people's at a time.
    for bureau in sorted(of_bureau):
        Event.number_in(bureau, of_bureau[bureau])
    for owner_id in sorted(of_owner):
        Event.write(of_owner[owner_id])
        _tell(owner_id, of_owner[owner_id])


def events_after(
    *,
    owner_id: UUID,
    position: int,
    limit: int,
    types: Collection[str] = (ALL,),
    board: EventScope | None = None,
) -> list[EventRow]:
    """Return an account's events after `position`, at most `limit`, in order, without gaps.

    types : only these types or patterns, such as slice.*
    board : the events of this bureau instead, of any account; of a location, only its own
    """
    rows = Event.objects.filter(matching(types))
    if board is None:
        rows = rows.filter(owner_id=owner_id).annotate(at=F("position"))
    else:
        place = {"location": board.location} if board.location else {}
        rows = rows.filter(bureau=board.bureau, **place).annotate(at=F("bureau_position"))
    return [
        EventRow(row.at, row.uuid, row.type, row.uri, row.seq, row.changes, row.created)
        for row in rows.filter(at__gt=position).order_by("at")[:limit]
    ]


def last_position(*, owner_id: UUID, board: EventScope | None = None) -> int:
    """The position of an account's newest event, or of a bureau's; 0 where it had none."""
    if board is None:
        counter: Any = EventCounter.objects.filter(owner_id=owner_id)
    else:
        counter = BureauCounter.objects.filter(bureau=board.bureau)
    return counter.values_list("last", flat=True).first() or 0


def state_times(uri: str) -> dict[str, datetime]:
    """Return when a resource last came to each of its states, as far as its events are kept."""
    rows = Event.objects.filter(uri=uri).order_by("seq").values_list("type", "created")
    return {name.rpartition(".")[2]: created for name, created in rows}


@transaction.atomic(savepoint=False)
def cancel_pending(*, uri: str) -> None:
    """Cancel the pending deliveries of `uri`, which is being deleted."""
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
        type=type_of(change.uri, str(change.changes["status"])),
        body=json.dumps(body, cls=DjangoJSONEncoder, separators=(",", ":"), allow_nan=False),
        bureau=change.board.bureau if change.board else None,
        location=change.board.location if change.board else None,
    )


def _tell(owner_id: UUID, events: list[Event]) -> None:
    """A delivery to each that subscribed; the lock on the counter keeps them in order."""
    patterns = {event.type: patterns_of(event.type) for event in events}
    asked = sorted({pattern for known in patterns.values() for pattern in known})
    of_account = Q(owner_id=owner_id, resource=None, bureau=None, events__overlap=asked)
    of_resource = Q(resource__in={event.uri for event in events})
    wanted = of_resource | of_account
    if bureaus := {event.bureau for event in events} - {None}:
        wanted |= Q(bureau__in=bureaus, events__overlap=asked)
    subscriptions = list(
        Subscription.objects.filter(wanted, enabled=True, deleted=None)
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
        if _is_of(subscription, event)
        and (subscription.resource or not set(patterns[event.type]).isdisjoint(subscription.events))
    )
    ring()


def _is_of(subscription: Subscription, event: Event) -> bool:
    """Whether the event is of what it is subscribed to."""
    if subscription.resource is not None:
        return subscription.resource == event.uri
    if subscription.bureau is None:
        return subscription.owner_id == event.owner_id
    place = subscription.location
    return subscription.bureau == event.bureau and (place is None or place == event.location)


def _lane(subscription: Subscription, uri: str) -> UUID:
    """Return the key of the lane: all events of one resource for one subscription, in order."""
    return uuid5(subscription.uuid, uri)
