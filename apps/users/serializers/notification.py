"""Notifications of a person."""

from datetime import datetime
from typing import Annotated, Literal, TypedDict

from rest_framework import serializers

from apps.users.models.notification import Notification
from core.api.fields import StrictSerializer
from core.api.openapi.response_types import FreeJson, Uri


class NotificationSerializer(StrictSerializer):
    """The read state of a notification."""

    read = serializers.DateTimeField(required=False, allow_null=True)


class ReadAllSerializer(StrictSerializer):
    """Which notifications become read: all, or those up to a time."""

    until = serializers.DateTimeField(required=False, allow_null=True)


class NotificationAnswer(TypedDict):
    """What happened to a resource, for the person who reads it."""

    uri: Uri
    kind: Annotated[str, Literal[*Notification.Kind.values]]
    shop: Uri | None
    subject: Uri
    data: FreeJson
    count: int
    created: datetime
    updated: datetime
    read: datetime | None


class UnreadAnswer(TypedDict):
    """The unread notifications of the caller."""

    count: int
    more: bool
    newest: list[NotificationAnswer]


class ReadAllAnswer(TypedDict):
    """How many notifications have become read."""

    count: int


def notification_resource(row: Notification) -> NotificationAnswer:
    """A notification as JSON."""
    return {
        "uri": row.uri,
        "kind": row.kind,
        "shop": row.shop or None,
        "subject": row.subject,
        "data": row.data,
        "count": row.count,
        "created": row.created,
        "updated": row.updated,
        "read": row.read,
    }
