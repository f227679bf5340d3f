"""Callbacks, as other apps see them: subscribe to a resource, tell its changes, forget it."""

import json
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.db.models import F

from apps.callbacks.models import SENDER_LOCK, Callback, Delivery, Origin, SenderClock, ring
from core.errors import ServiceError
from core.http import ForbiddenUrl, check_url, origin_of


class InvalidCallback(ServiceError):
    """A callback whose URL could never be requested."""


@transaction.atomic(savepoint=False)
def subscribe(*, uri: str, url: str, method: str, owner_id: UUID) -> None:
    """Request `url` with `method` (GET, POST or PUT) whenever the resource `uri` changes.

    Raises InvalidCallback if the URL is none that we request.
    """
    try:
        check_url(url)
        name = origin_of(url)
    except ForbiddenUrl as error:
        raise InvalidCallback(str(error), field="callback.url") from error
    Callback.objects.create(
        owner_id=owner_id, uri=uri, url=url, method=method, origin_id=_origin(name)
    )


@transaction.atomic(savepoint=False)
def emit(*, uri: str, changes: dict[str, Any]) -> None:
    """Tell everyone who asked what changed of `uri`, if the caller's transaction commits.

    changes : property -> new value; a nested property is named with dots
    """
    # The lock puts concurrent events of a resource in order.
    lanes = list(
        Callback.objects.select_for_update(no_key=True)
        .filter(uri=uri)
        .annotate(tick=SenderClock.now())
        .order_by("uuid")
    )
    if not lanes:
        return

    body = json.dumps(
        {"uri": uri, **changes}, cls=DjangoJSONEncoder, separators=(",", ":"), allow_nan=False
    )
    Callback.objects.filter(pk__in=[lane.pk for lane in lanes]).update(last_seq=F("last_seq") + 1)
    Delivery.objects.bulk_create(
        Delivery(
            callback=lane,
            origin_id=lane.origin_id,
            seq=lane.last_seq + 1,
            body=body,
            since_tick=lane.tick,
        )
        for lane in lanes
    )
    ring()


@transaction.atomic(savepoint=False)
def forget(*, uri: str) -> None:
    """Cancel what is still to be told of `uri`, which is being deleted."""
    waiting = (
        Delivery.objects.select_for_update(of=("self",))
        .filter(callback__uri=uri, state=Delivery.State.PENDING)
        .order_by("uuid")
        .values_list("uuid", flat=True)
    )
    Delivery.objects.filter(uuid__in=list(waiting)).update(state=Delivery.State.CANCELLED)


def sender_is_active() -> bool:
    """Whether a sender is at work: it holds the lock of the one that is."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"
            " AND classid = 0 AND objid = %s)",
            (SENDER_LOCK,),
        )
        return cursor.fetchone()[0]


def _origin(name: str) -> int:
    known = Origin.objects.filter(origin=name).values_list("pk", flat=True).first()
    if known is not None:
        return known
    # Two accounts may name a new host at the same moment.
    Origin.objects.bulk_create([Origin(origin=name)], ignore_conflicts=True)
    return Origin.objects.get(origin=name).pk
