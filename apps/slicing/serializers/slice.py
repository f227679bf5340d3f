"""Slices as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.slicing.models import Slice
from core.api.callbacks import CallbackTaker
from core.api.fields import Choice, UriField
from core.api.money import MoneySerializer
from core.api.schema import ErrorSerializer

ESTIMATES = ("build_time_seconds", "support_volume_cc", "build_volume_cc")


class SliceEstimatesSerializer(serializers.Serializer):
    """What the gcode says of the print; null until it is there."""

    build_time_seconds = serializers.FloatField(allow_null=True)
    support_volume_cc = serializers.FloatField(allow_null=True)
    build_volume_cc = serializers.FloatField(allow_null=True)


class SliceSerializer(CallbackTaker):
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
    run = serializers.CharField(
        read_only=True,
        allow_null=True,
        help_text="Of a packed run: what was sliced piece by piece.",
    )
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
        "run": row.plate and row.plate["run"],
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
    }


class PlateObjectSerializer(serializers.Serializer):
    """What one piece on a plate takes; the last, `shared`, is what belongs to none."""

    name = serializers.CharField(help_text="As the gcode calls it.")
    piece = serializers.CharField(allow_null=True)
    model = serializers.CharField(allow_null=True)
    time_seconds = serializers.FloatField()
    filament_mm = serializers.FloatField()
    volume_cc = serializers.FloatField()
    support_cc = serializers.FloatField()
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="Lowest and highest corner of what is laid down for it, mm on the bed.",
    )


def plate_object(row: dict[str, Any], pieces: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What a piece of a sliced run takes; `pieces` are those of the plate, by name."""
    of = pieces.get(row["name"], {})
    return {**row, "piece": of.get("piece"), "model": of.get("model")}


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
