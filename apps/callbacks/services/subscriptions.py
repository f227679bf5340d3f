"""Webhook subscriptions."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.callbacks.models import Delivery, Subscription
from apps.callbacks.models.origin import key_of_origin
from apps.callbacks.services.secrets import ensure_secret
from core.errors import QuotaExceeded, RateLimited, ServiceError
from core.outbound.url_policy import ForbiddenUrl, origin_of, validate_url
from core.queue import quotas
from core.state_machine import EventScope

# Asked with every answer about a resource that takes a callback: without a queryset.
_GIVEN = """
    SELECT resource, url, method FROM callbacks_subscription
    WHERE resource = ANY(%s) AND owner_id = %s AND deleted IS NULL ORDER BY uuid
"""


class InvalidCallback(ServiceError):
    """A callback URL to which no request is possible."""


@transaction.atomic(savepoint=False)
def subscribe(*, uri: str, url: str, method: str, owner_id: UUID) -> None:
    """Request `url` with `method` (GET, POST or PUT) whenever the resource `uri` changes.

    Raises InvalidCallback if the URL is none that we request.
    """
    try:
        validate_url(url)
    except ForbiddenUrl as error:
        raise InvalidCallback(str(error), field="callback.url") from error
    _refuse_more(owner_id)
    ensure_secret(owner_id)
    Subscription.objects.create(
        owner_id=owner_id, resource=uri, url=url, method=method, origin_id=_origin(url)
    )


def callbacks_of(*, uris: Collection[str], owner_id: UUID) -> dict[str, dict[str, str]]:
    """The callbacks, {url, method}, that an account gave with these resources, by their URIs."""
    with connection.cursor() as cursor:
        cursor.execute(_GIVEN, [list(uris), owner_id])
        return {uri: {"url": url, "method": method} for uri, url, method in cursor}


@transaction.atomic
def create_subscription(
    *,
    owner_id: UUID,
    url: str,
    method: str,
    events: list[str],
    enabled: bool = True,
    board: EventScope | None = None,
) -> Subscription:
    """Subscribe `url` to the account's events that match `events`, from now on.

    board : subscribe to this bureau or location instead, whose events come from any account
    """
    # Each event is sent to each that matches: without a bound, one change would be many requests.
    most = quotas.quota_for("subscriptions", owner_id)
    there = Subscription.objects.of_account(owner_id).count()
    if most is not None and there >= most:
        raise QuotaExceeded(
            f"An account has at most {most} subscriptions: change one of them, or delete one "
            "first.",
            limit="subscriptions",
            most=most,
            used=there,
            free_by="deleting one of them",
        )
    _refuse_more(owner_id)
    ensure_secret(owner_id)
    return Subscription.objects.create(
        owner_id=owner_id,
        url=url,
        method=method,
        events=events,
        enabled=enabled,
        origin_id=_origin(url),
        bureau=board and board.bureau,
        location=board and board.location,
    )


@transaction.atomic
def update_subscription(*, subscription: Subscription, **fields: Any) -> None:
    """Change a subscription. What waits goes to a new URL; it is cancelled by `enabled=False`."""
    for name, value in fields.items():
        setattr(subscription, name, value)
    if "url" in fields:
        subscription.origin_id = _origin(subscription.url)
        _waiting(subscription).update(origin_id=subscription.origin_id)
    if not subscription.enabled:
        _waiting(subscription).update(state=Delivery.State.CANCELLED)
    subscription.save(update_fields=[*fields, "origin", "updated"])


@transaction.atomic
def delete_subscription(*, subscription: Subscription) -> None:
    """Delete a subscription and cancel its pending deliveries; the delivery history stays."""
    subscription.deleted = timezone.now()
    subscription.save(update_fields=["deleted", "updated"])
    _waiting(subscription).update(state=Delivery.State.CANCELLED)


def waiting_of(owner_id: UUID, at_most: int | None = None) -> int:
    """Return the number of pending callbacks of an account, counted up to the limit passed."""
    waiting = Delivery.objects.filter(owner_id=owner_id, state=Delivery.State.PENDING)
    return waiting[:at_most].count()


def subscriptions_of(owner_id: UUID) -> int:
    """How many subscriptions an account has."""
    return Subscription.objects.of_account(owner_id).count()


def _refuse_more(owner_id: UUID) -> None:
    # Each that waits is a request every 30 s to a server that may be anybody's.
    most = quotas.quota_for("callbacks", owner_id)
    if most is not None and waiting_of(owner_id, most) >= most:
        raise RateLimited(
            f"{most} of your callbacks wait for servers that do not answer with 2xx: mend them, "
            "or delete or disable their resources and subscriptions, and then try again.",
            limit="callbacks",
            most=most,
            used=most,
            wait=60,
        )


def _origin(url: str) -> int:
    return key_of_origin(origin_of(url))


def _waiting(subscription: Subscription) -> QuerySet[Delivery]:
    """Its pending deliveries, locked in the order in which everyone locks them."""
    waiting = Delivery.objects.filter(
        owner_id=subscription.owner_id, subscription=subscription, state=Delivery.State.PENDING
    )
    keys = waiting.select_for_update().order_by("uuid").values_list("uuid", flat=True)
    return Delivery.objects.filter(uuid__in=list(keys))
