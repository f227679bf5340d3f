"""Folders and tags of models: changes of many, and what a label tells."""

from http import HTTPStatus
from typing import Annotated, TypedDict

from rest_framework import serializers

from apps.warehouse.models import Label, Model
from apps.warehouse.models.label import SEPARATOR
from apps.warehouse.services.labels import MAX_TAGS, LabelChange
from core.api.fields import StrictSerializer, StrictText, UriField, ValidatedData
from core.api.openapi.response_types import ErrorAnswer, ResourceAnswer, Uri
from core.errors import ErrorEntry, ServiceError

MAX_ROWS = 1000
MAX_DEPTH = 8  # folders in one another


class FolderField(StrictText):
    """A folder as a path: names between slashes, without blanks around them."""

    def to_internal_value(self, data: object) -> str:
        path = super().to_internal_value(data)
        names = [name.strip() for name in path.split(SEPARATOR)] if path else []
        if not all(names):
            raise serializers.ValidationError("A folder's name is empty: write A/B.")
        if len(names) > MAX_DEPTH:
            raise serializers.ValidationError(f"At most {MAX_DEPTH} folders are in one another.")
        return SEPARATOR.join(names)


class TagField(StrictText):
    """A tag: any text without a comma, which separates values of a filter."""

    def to_internal_value(self, data: object) -> str:
        tag = super().to_internal_value(data)
        if "," in tag:
            raise serializers.ValidationError("A tag has no comma.")
        return tag


class LabelChangeSerializer(StrictSerializer):
    """The new folder and tags of one model; what is left out stays."""

    model = UriField()
    folder = FolderField(max_length=255, required=False, allow_null=True, allow_blank=True)
    tags = serializers.ListField(child=TagField(max_length=64), required=False, max_length=MAX_TAGS)
    add_tags = serializers.ListField(
        child=TagField(max_length=64), required=False, max_length=MAX_TAGS
    )
    remove_tags = serializers.ListField(
        child=TagField(max_length=64), required=False, max_length=MAX_TAGS
    )

    def validate(self, values: ValidatedData) -> ValidatedData:
        if "tags" in values and ("add_tags" in values or "remove_tags" in values):
            raise serializers.ValidationError(
                {"tags": "Send either tags, or add_tags and remove_tags."}
            )
        if values.keys() == {"model"}:
            raise serializers.ValidationError({"folder": "Send folder, tags or add_tags."})
        return values


class LabelsSerializer(StrictSerializer):
    """Folders and tags of many models: each is changed by itself."""

    labels = serializers.ListField(child=LabelChangeSerializer(), min_length=1, max_length=MAX_ROWS)


class LabelAnswer(ResourceAnswer):
    """The folder and tags that the caller gave a model."""

    model: Uri
    folder: str | None
    tags: list[str]


class LabelResultAnswer(TypedDict):
    """What became of one change."""

    model: Uri
    status: int
    folder: str | None
    tags: list[str] | None
    errors: Annotated[list[ErrorEntry] | None, list[ErrorAnswer]]


class LabelResultsAnswer(TypedDict):
    """What became of each change, in the order of the request."""

    results: list[LabelResultAnswer]


def label_resource(row: Label) -> LabelAnswer:
    """A label as JSON."""
    return {
        "uri": row.uri,
        "created": row.created,
        "updated": row.updated,
        "model": Model.uri_of(row.model_id),
        "folder": row.folder or None,
        "tags": row.tags,
    }


def label_result(change: LabelChange, became: Label | ServiceError) -> LabelResultAnswer:
    """What became of one change."""
    if isinstance(became, ServiceError):
        return {
            "model": change["model"],
            "status": int(became.status),
            "folder": None,
            "tags": None,
            "errors": became.entries(),
        }
    return {
        "model": change["model"],
        "status": int(HTTPStatus.OK),
        "folder": became.folder or None,
        "tags": became.tags,
        "errors": None,
    }
