"""Configs and slices as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.slicing.models import Config, EngineName, Slice
from apps.slicing.parameters import PARAMETERS, ParameterErrors, parse_parameters
from core.api.fields import CallbackSerializer, Choice, StrictSerializer, StrictText, UriField

ESTIMATES = ("build_time_seconds", "support_volume_cc", "build_volume_cc")


class CuratedParametersField(serializers.Field):
    """The curated parameters, by name; null or left out where the service may choose."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Send an object with the parameters.", code="invalid")
        try:
            return parse_parameters(data)
        except ParameterErrors as refused:
            raise serializers.ValidationError(
                {
                    error.key: [serializers.ErrorDetail(error.title, code=error.code)]
                    for error in refused.errors
                }
            ) from refused

    def to_representation(self, value: dict[str, Any]) -> dict[str, Any]:
        return value


class ConfigSerializer(StrictSerializer):
    """How to slice."""

    fixed_fields = ("engine", "parameters")

    engine = Choice(choices=EngineName.choices)
    description = StrictText(max_length=1000, required=False, allow_blank=True, allow_null=True)
    parameters = CuratedParametersField(required=False)
    uri = serializers.CharField(read_only=True)
    content = serializers.URLField(read_only=True)
    user_uri = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if "description" in values:
            values["description"] = values["description"] or ""
        if self.instance is None:
            values.setdefault("parameters", dict.fromkeys(PARAMETERS))
        return values


def config_resource(config: Config) -> dict[str, Any]:
    """The contract's config: every curated parameter, null where nothing was given."""
    return {
        "uri": config.uri,
        "engine": config.engine,
        "description": config.description,
        "parameters": config.parameters,
        "content": config.content_location(),
        "user_uri": config.owner.uri,
        "created": config.created,
        "updated": config.updated,
    }


class EstimatesSerializer(serializers.Serializer):
    """What the gcode says of the print; null until it is there."""

    build_time_seconds = serializers.FloatField(allow_null=True)
    support_volume_cc = serializers.FloatField(allow_null=True)
    build_volume_cc = serializers.FloatField(allow_null=True)


class NoteSerializer(serializers.Serializer):
    """An error or a warning."""

    code = serializers.CharField()
    title = serializers.CharField()
    details = serializers.DictField(required=False)


class SliceSerializer(StrictSerializer):
    """A tool-path."""

    model = UriField()
    config = UriField()
    callback = CallbackSerializer(required=False, allow_null=True, write_only=True)
    uri = serializers.CharField(read_only=True)
    status = Choice(choices=Slice.Status.choices, read_only=True)
    progress = serializers.FloatField(read_only=True)
    stage = serializers.CharField(read_only=True, allow_null=True)
    content = serializers.URLField(read_only=True, allow_null=True)
    slice_time = serializers.IntegerField(read_only=True, allow_null=True)
    estimates = EstimatesSerializer(read_only=True)
    figures = serializers.DictField(read_only=True, allow_null=True)
    errors = NoteSerializer(many=True, read_only=True, allow_null=True)  # type: ignore[assignment]
    warnings = NoteSerializer(many=True, read_only=True)
    engine_version = serializers.CharField(read_only=True, allow_null=True)
    model_sha256 = serializers.CharField(read_only=True, allow_null=True)
    user_uri = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)


def slice_resource(row: Slice) -> dict[str, Any]:
    """The contract's slice."""
    return {
        "uri": row.uri,
        "model": row.model_uri,
        "config": row.config.uri,
        "status": row.status,
        "progress": row.progress,
        "stage": row.stage or None,
        "content": row.content_location(),
        "slice_time": row.slice_time,
        "estimates": row.estimates or dict.fromkeys(ESTIMATES),
        "figures": row.figures,
        "errors": row.errors,
        "warnings": row.warnings,
        "engine_version": row.engine_version or None,
        "model_sha256": row.model_sha256 or None,
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
    }
