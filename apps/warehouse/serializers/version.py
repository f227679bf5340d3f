"""Versions of models: what makes one, and what is answered."""

from collections.abc import Sequence
from uuid import UUID

from rest_framework import serializers

from apps.warehouse.models import Model, ModelVersion
from core.api.fields import StrictSerializer, StrictText, UriField
from core.api.openapi.response_types import ResourceAnswer, Uri
from core.auth_user import Person
from core.uris import user_uri


class ModelVersionSerializer(StrictSerializer):
    """A model that becomes the next version of another."""

    fixed_fields = ("model", "replaces")

    model = UriField()
    replaces = UriField(allow_null=True)  # null of a first version that is put back
    note = StrictText(max_length=1000, required=False, allow_null=True, allow_blank=True)

    def validate_replaces(self, value: str | None) -> str | None:
        if value is None and self.instance is None:
            raise serializers.ValidationError("Name the model that is replaced.", code="null")
        return value


class ModelVersionAnswer(ResourceAnswer):
    """A model as a version of a part."""

    model: Uri
    replaces: Uri | None
    newest: Uri
    number: int
    note: str | None
    user_uri: Uri | None


def version_resources(rows: Sequence[ModelVersion], user: Person) -> list[ModelVersionAnswer]:
    """Versions as JSON; `replaces` and `newest` are versions that `user` may read."""
    every: dict[UUID, list[ModelVersion]] = {}
    series = {row.series for row in rows}
    for row in ModelVersion.objects.visible_to(user).filter(series__in=series).order_by("number"):
        every.setdefault(row.series, []).append(row)
    return [_resource(row, every.get(row.series) or [row]) for row in rows]


def _resource(row: ModelVersion, versions: Sequence[ModelVersion]) -> ModelVersionAnswer:
    earlier = [each for each in versions if each.number < row.number]
    return {
        "uri": row.uri,
        "created": row.created,
        "updated": row.updated,
        "model": Model.uri_of(row.model_id),
        "replaces": Model.uri_of(earlier[-1].model_id) if earlier else None,
        "newest": Model.uri_of(versions[-1].model_id),
        "number": row.number,
        "note": row.note or None,
        "user_uri": user_uri(row.owner_id) if row.owner_id else None,
    }
