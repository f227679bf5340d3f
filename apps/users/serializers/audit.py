"""Audit events as the API tells them."""

from typing import Any

from rest_framework import serializers

from apps.users.models import AuditEvent
from core.api.fields import StrictSerializer


class AuditEventSerializer(StrictSerializer):
    """Something that was done to rights, keys or logins."""

    uri = serializers.CharField(read_only=True)
    uuid = serializers.UUIDField(read_only=True)
    action = serializers.CharField(read_only=True)
    actor = serializers.CharField(read_only=True, allow_null=True, help_text="URI of who did it.")
    on = serializers.CharField(
        read_only=True, allow_null=True, help_text="URI of what it was done to."
    )
    before = serializers.DictField(read_only=True, allow_null=True)
    after = serializers.DictField(read_only=True, allow_null=True)
    address = serializers.CharField(read_only=True, allow_null=True)
    request_id = serializers.CharField(read_only=True, allow_null=True)
    token = serializers.UUIDField(read_only=True, allow_null=True)
    created = serializers.DateTimeField(read_only=True)


def event_resource(event: AuditEvent) -> dict[str, Any]:
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
