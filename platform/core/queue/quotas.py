"""Quotas: stored bytes, resource counts and queued jobs per account.

Each has a default in the settings (`LIMITS`), which rows (`core.models.Limit`) override for an
account, a group or all accounts. Administrators and platform services have none but that of
requests. Usage is counted in the transaction that adds to it. Request rates:
`core.web.rate_limits`.
"""

import math
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils.module_loading import import_string

from core.auth_user import Person
from core.errors import QuotaExceeded, RateLimited
from core.models import Usage
from core.queue import fair_queueing
from core.request_context import request_context

QUEUED_PREFIX = "waiting."  # and the queue's name: jobs there that have not ended
MAX_WAIT_SECONDS = 600  # seconds that a client is asked to wait

# Whether there are rows at all: mostly there are none, which whoever reads the caller asks with it.
ARE_SET = "EXISTS (SELECT FROM core_limit)"
# Most limits have no row, and the others few. Asked at each creation: without a queryset.
_ROWS = 'SELECT "limit", holder, most FROM core_limit WHERE "limit" = ANY(%s)'
_LINE = """
    SELECT count(*) FROM (
        SELECT 1 FROM dramatiq.queue
        WHERE queue_name = ANY(%s) AND account = %s AND state IN ('queued', 'consumed') LIMIT %s
    ) AS jobs
"""
# How long it takes until the account's next job here is done.
_NEXT = """
    SELECT coalesce(sum(cost), 0) / greatest(1, (
        SELECT count(*) FROM dramatiq.queue WHERE queue_name = %(queue)s AND state = 'consumed'))
    FROM dramatiq.queue
    WHERE queue_name = %(queue)s AND state = 'queued' AND turn <= (
        SELECT turn FROM dramatiq.queue
        WHERE queue_name = %(queue)s AND account = %(account)s AND state IN ('queued', 'consumed')
        ORDER BY turn LIMIT 1)
"""


def quota(limit: str, user: Person) -> int | None:
    """Return a user's limit; None where there is none."""
    return all_of(user, [limit])[limit]


def quota_for(limit: str, key: UUID) -> int | None:
    """How much of this the user with this key may have."""
    return quota(limit, get_user_model()._base_manager.get(pk=key))


def all_of(user: Person, limits: Iterable[str] = ()) -> dict[str, int | None]:
    """Return the values of these limits, or of all, for a user.

    A row of the user's own comes first, then the most generous of their groups', then that for all
    accounts, then the setting.
    """
    names = list(limits) or list(settings.LIMITS)
    if _is_free(user):
        return {
            name: settings.LIMITS[name] if name.startswith("requests") else None for name in names
        }
    rows = _rows(names) if request_context().limits else []
    groups = set(user.memberships.values_list("group_id", flat=True)) if rows else set()
    found = {}
    for name in names:
        given = {holder: most for limit, holder, most in rows if limit == name}
        shared = [given[group] for group in groups & given.keys()]
        if user.pk in given:
            found[name] = given[user.pk]
        elif shared:
            found[name] = None if None in shared else max(shared)  # type: ignore[type-var]
        else:
            found[name] = given.get(None, settings.LIMITS[name])
    return found


def usage(limit: str, user: Person) -> int | None:
    """Return a user's usage; None where it is not counted per account."""
    if limit.startswith(QUEUED_PREFIX):
        return _in_line(
            limit.removeprefix(QUEUED_PREFIX), fair_queueing.flow_of(user).account, 1 << 40
        )
    if limit == "bytes":
        return Usage.objects.filter(pk=user.pk).values_list("bytes", flat=True).first() or 0
    counter = settings.LIMIT_COUNTS.get(limit)
    return import_string(counter)(user.pk) if counter else None


def require_quota(limit: str, user: Person, *, more: int, what: str, free_by: str) -> None:
    """Raise QuotaExceeded where `more` would exceed the user's limit.

    what    : the subject of the message, as in "You keep 12 of 10 ..."
    free_by : how to make room
    """
    allowed = quota(limit, user)
    if allowed is None:
        return
    there = usage(limit, user) or 0
    if there + more > allowed:
        raise QuotaExceeded(
            f"You keep {there:,} {what} and may keep {allowed:,}: make room by {free_by}, or ask "
            "the operator for more.",
            limit=limit,
            most=allowed,
            used=there,
            free_by=free_by,
        )


def require_queue_quota(queue: str, user: Person) -> None:
    """Raise TooMany where as many of a user's jobs wait in a queue as may."""
    limit = QUEUED_PREFIX + queue
    if limit not in settings.LIMITS or (allowed := quota(limit, user)) is None:
        return
    account = fair_queueing.flow_of(user).account
    there = _in_line(queue, account, allowed + 1)
    if there >= allowed:
        wait = _seconds_until_next(queue, account)
        raise RateLimited(
            f"{there:,} jobs of yours wait in this queue, and {allowed:,} may: try again in {wait} "
            "seconds, when the first of them is done.",
            limit=limit,
            most=allowed,
            used=there,
            wait=wait,
        )


def _rows(names: list[str]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(_ROWS, [names])
        return cursor.fetchall()


def _is_free(user: Person) -> bool:
    return user.is_staff or user.is_platform_service


def _in_line(queue: str, account: UUID, at_most: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_LINE, ([queue, fair_queueing.slow_queue(queue)], account, at_most))
        return cursor.fetchone()[0]


def _seconds_until_next(queue: str, account: UUID) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, {"queue": queue, "account": account})
        (seconds,) = cursor.fetchone()
    return min(MAX_WAIT_SECONDS, max(1, math.ceil(seconds)))
