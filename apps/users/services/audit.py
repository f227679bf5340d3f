"""Writes audit events."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from apps.users.models import AuditEvent, User
from core.request_context import request_context


def record(
    *,
    action: str,
    actor: User | None,
    on: str = "",
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    address: str = "",
    request_id: str = "",
    token: UUID | None = None,
) -> None:
    """Record an action in the audit log, in the action's own transaction.

    Values that are not passed are taken from the current request.
    """
    now = request_context()
    AuditEvent.objects.create(
        action=action,
        actor=actor,
        on=on,
        before=before,
        after=after,
        address=address or now.address,
        request_id=request_id or now.request_id,
        token=token or now.token,
    )


def record_each(*, action: str, actor: User | None, events: Iterable[dict[str, object]]) -> None:
    """Note the same action on several things at once: `on` of each, and its `before` or `after`."""
    now = request_context()
    request = {"address": now.address, "request_id": now.request_id, "token": now.token}
    AuditEvent.objects.bulk_create(
        AuditEvent(action=action, actor=actor, **request, **event) for event in events
    )
