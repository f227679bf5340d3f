"""Permissions, and questions about them, as the contract spells them."""

from datetime import datetime
from typing import Any, TypedDict
from uuid import UUID

from rest_framework import serializers

from apps.users.models import Permission, User
from core.api.fields import StrictSerializer, StrictText
from core.api.openapi.response_types import Uri


class Opaque(StrictText):
    """A string that comes back exactly as it was sent."""

    def __init__(self, **options: Any):
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        value = super().to_internal_value(data)
        if not value.isprintable():
            raise serializers.ValidationError(
                "Send text without line breaks and other invisible characters.", code="not-allowed"
            )
        return value


class PermissionSerializer(StrictSerializer):
    """A holder's right on an object, in a namespace."""

    known_extras = ("resource_name",)

    holder = Opaque(max_length=2048)
    namespace = Opaque(max_length=200)
    object = Opaque(max_length=2048)
    right = Opaque(max_length=200)


class PersonAnswer(TypedDict):
    """A user who holds a right, directly or through a group."""

    uri: Uri
    holder: str


# The columns that `permission_resource` reads.
COLUMNS = (
    "uuid",
    "holder",
    "holder_posted",
    "holder_uuid",
    "namespace",
    "object",
    "object_posted",
    "right",
    "created_by_id",
    "created",
)


class PermissionAnswer(TypedDict):
    """A holder's right on an object, in a namespace."""

    uri: Uri
    uuid: UUID
    holder: str
    namespace: str
    object: str
    right: str
    created_by: Uri | None
    created: datetime


def permission_resource(row: Any) -> PermissionAnswer:
    """The contract's permission; `row` is one, or a tuple with COLUMNS as names."""
    by = row.created_by_id
    return {
        "uri": Permission.uri_of(row.uuid),
        "uuid": row.uuid,
        "holder": row.holder_posted or row.holder,
        "namespace": row.namespace,
        "object": row.object_posted or row.object,
        "right": row.right,
        "created_by": User.uri_of(by) if by else None,
        "created": row.created,
    }


class QuestionSerializer(StrictSerializer):
    """May the holder do this to the object? Without `holder`: may the caller?"""

    known_extras = ("allowed",)

    holder = Opaque(max_length=2048, required=False)
    namespace = Opaque(max_length=200)
    object = Opaque(max_length=2048)
    right = Opaque(max_length=200)


class QuestionsSerializer(StrictSerializer):
    """Many questions at once."""

    questions = serializers.ListField(child=QuestionSerializer(), max_length=100, allow_empty=False)


class QuestionAnswer(TypedDict):
    """A question again, with what it is answered."""

    holder: str
    namespace: str
    object: str
    right: str
    allowed: bool


class AnswersAnswer(TypedDict):
    """What many questions are answered: each question again, with `allowed`."""

    answers: list[QuestionAnswer]
