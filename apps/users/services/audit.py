"""Keeping the account of who did what."""

from typing import Any
from uuid import UUID

from apps.users.models import AuditEvent, User
from core.circumstances import circumstances


def record(
    *,
    action: str,
    actor: User | None,
    on: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    address: str = "",
    request_id: str = "",
    token: UUID | None = None,
) -> None:
    """Note an action, in the transaction of the action itself: both are kept, or neither.

    What the request in hand says is filled in where it is not given.
    """
    now = circumstances()
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
