"""Permissions, and questions about them, as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.users.models import Permission, User
from core.api.fields import StrictSerializer, StrictText


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
    uri = serializers.CharField(read_only=True)
    uuid = serializers.UUIDField(read_only=True)
    created_by = serializers.CharField(read_only=True, allow_null=True)
    created = serializers.DateTimeField(read_only=True)


class PersonSerializer(serializers.Serializer):
    """Somebody who holds a right, also through a group."""

    uri = serializers.CharField()
    holder = serializers.CharField()


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


def permission_resource(row: Any) -> dict[str, Any]:
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

    holder = Opaque(max_length=2048, required=False)
    namespace = Opaque(max_length=200)
    object = Opaque(max_length=2048)
    right = Opaque(max_length=200)
    allowed = serializers.BooleanField(read_only=True)


class QuestionsSerializer(StrictSerializer):
    """Many questions at once."""

    questions = serializers.ListField(child=QuestionSerializer(), max_length=100, allow_empty=False)


class AnswersSerializer(serializers.Serializer):
    """What many questions are answered: each question again, with `allowed`."""

    answers = QuestionSerializer(many=True)
