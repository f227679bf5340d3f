"""Slices as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.slicing.models import Slice
from core.api.callbacks import CallbackTaker
from core.api.fields import Choice, UriField
from core.api.money import MoneySerializer
from core.api.schema import ErrorSerializer
from core.api.waiting import Waiter

ESTIMATES = ("build_time_seconds", "support_volume_cc", "build_volume_cc")


class SliceEstimatesSerializer(serializers.Serializer):
    """What the gcode says of the print; null until it is there."""

    build_time_seconds = serializers.FloatField(allow_null=True)
    support_volume_cc = serializers.FloatField(allow_null=True)
    build_volume_cc = serializers.FloatField(allow_null=True)


class SliceSerializer(Waiter, CallbackTaker):
    """A tool-path."""

    fixed_fields = ("model", "config")

    model = UriField()
    config = UriField()
    uri = serializers.CharField(read_only=True)
    status = Choice(choices=Slice.Status.choices, read_only=True)
    progress = serializers.FloatField(read_only=True)
    stage = serializers.CharField(read_only=True, allow_null=True)
    content = serializers.URLField(read_only=True, allow_null=True)
    slice_time = serializers.IntegerField(read_only=True, allow_null=True)
    estimates = SliceEstimatesSerializer(read_only=True)
    figures = serializers.DictField(read_only=True, allow_null=True)
    errors = ErrorSerializer(many=True, read_only=True, allow_null=True)  # type: ignore[assignment]
    warnings = ErrorSerializer(many=True, read_only=True)
    engine = serializers.CharField(read_only=True)
    engine_version = serializers.CharField(read_only=True, allow_null=True)
    model_sha256 = serializers.CharField(read_only=True, allow_null=True)
    config_sha256 = serializers.CharField(read_only=True)
    user_uri = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)

    def _current(self, name: str) -> Any:
        row: Any = self.instance
        return slice_resource(row)[name]


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
        "engine": row.config.engine,
        "engine_version": row.engine_version or None,
        "model_sha256": row.model_sha256 or None,
        "config_sha256": row.config.content_id,
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
    }


class UsedParameterSerializer(serializers.Serializer):
    """A parameter as it would be used."""

    value = serializers.JSONField(
        allow_null=True, help_text="A list where there are several; null where it cannot be told."
    )
    source = serializers.ChoiceField(choices=["config", "default"])  # type: ignore[assignment]


class PreviewSerializer(serializers.Serializer):
    """What would come of a slice, as far as can be told without making it."""

    model = serializers.CharField()
    config = serializers.CharField()
    accepted = serializers.BooleanField(help_text="Whether the same without dry_run would be 201.")
    refusals = ErrorSerializer(many=True, help_text="The errors that it would be refused with.")
    cost = MoneySerializer(allow_null=True, help_text="What it would be charged.")
    failures = ErrorSerializer(many=True, help_text="The errors that the slice would end in.")
    warnings = ErrorSerializer(many=True)
    cached = serializers.BooleanField(help_text="Whether an equal slice is there already.")
    slice_time = serializers.IntegerField(allow_null=True)
    estimates = SliceEstimatesSerializer()
    engine = serializers.CharField()
    engine_version = serializers.CharField(allow_null=True)
    parameters = serializers.DictField(child=UsedParameterSerializer())


def preview_resource(preview: dict[str, Any]) -> dict[str, Any]:
    """The answer to a dry run."""
    return {**preview, "estimates": preview["estimates"] or dict.fromkeys(ESTIMATES)}
