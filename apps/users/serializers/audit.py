"""Representation of audit events."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from apps.users.models import AuditEvent
from core.api.openapi.response_types import FreeJson, Uri


class AuditEventAnswer(TypedDict):
    """Something that was done to rights, keys or logins."""

    uri: Uri
    uuid: UUID
    action: str
    actor: Annotated[Uri | None, "URI of the user who performed the action."]
    on: Annotated[Uri | None, "URI of the target of the action."]
    before: FreeJson | None
    after: FreeJson | None
    address: str | None
    request_id: str | None
    token: UUID | None
    created: datetime


def event_resource(event: AuditEvent) -> AuditEventAnswer:
    """The event, whole."""
    return {
        "uri": event.uri,
        "uuid": event.uuid,
        "action": event.action,
        "actor": event.actor.uri if event.actor else None,
        "on": event.on or None,
        "before": event.before,
        "after": event.after,
        "address": event.address or None,
        "request_id": event.request_id or None,
        "token": event.token,
        "created": event.created,
    }
