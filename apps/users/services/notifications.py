"""Write, read and settle notifications of persons."""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from apps.users import queries
from apps.users.models import Notification, User
from core.errors import ServiceError
from core.request_context import request_context

Kind = Notification.Kind
MAX_UNREAD = 100  # that are counted, and one more than is shown as a number


class AlreadyRead(ServiceError):
    """What was read cannot become unread."""

    code = "cannot-set-property"


def notify(
    *,
    recipients: Iterable[UUID],
    kind: str,
    subject: str,
    shop: str = "",
    data: Mapping[str, object] | None = None,
    includes_caller: bool = False,
) -> None:
    """Notify people of what happened to `subject`, in the transaction of the change.

    Not the caller of the request, who did it, unless `includes_caller`; nor accounts without
    sign-in, guests, and people who have switched off the kind. One that is unread is counted and
    becomes the newest.

    recipients : keys of accounts
    subject    : URI of the resource; shop: URI of its bureau
    data       : names and numbers of the sentence
    """
    caller = request_context().caller
    left_out = {caller.pk} if caller is not None and not includes_caller else set()
    people = sorted(set(recipients) - left_out)
    if people:
        queries.write_notifications(people, kind, subject, shop, json.dumps(dict(data or {})))


def notify_of_failure(*, owner: UUID, subject: str, name: str) -> None:
    """Notify the owner of a job that failed permanently."""
    notify(recipients=[owner], kind=Kind.JOB_FAILED, subject=subject, data={"name": name})


def settle(*, subject: str, kinds: Collection[str]) -> None:
    """Mark what happened to `subject` as read for all recipients: one of them has acted on it."""
    rows = Notification.objects.filter(subject=subject, kind__in=kinds, read=None)
    rows.update(read=Now())


def unread_of(user: User) -> list[Notification]:
    """Return the newest unread notifications of a person, at most MAX_UNREAD: one statement."""
    rows = user.notifications.filter(read=None)
    return list(rows.order_by("-updated")[:MAX_UNREAD])


def change(*, actor: User, row: Notification, read: datetime | None = None) -> None:
    """Mark a notification as read, at the time of the server. Raises AlreadyRead."""
    if read is None and row.read is not None:
        title = "The notification is read, and cannot become unread: send a time, or leave it out."
        raise AlreadyRead(title, field="read")
    if read is not None:
        Notification.objects.filter(pk=row.pk, read=None).update(read=Now())


@transaction.atomic
def mark_all_as_read(*, actor: User, until: datetime | None = None) -> int:
    """Mark the caller's notifications as read, those up to `until` where it is given; how many."""
    rows = actor.notifications.filter(read=None, updated__lte=until or timezone.now())
    # Locked in the order in which they are written.
    keys = list(rows.select_for_update().order_by("pk").values_list("pk", flat=True))
    return Notification.objects.filter(pk__in=keys).update(read=Now())
