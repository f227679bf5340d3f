"""Gcode as the contract spells it, and the layers of any gcode."""

from typing import Any

from rest_framework import serializers

from apps.slicing.models import Gcode
from core.api.fields import Choice, StrictText
from core.api.schema import ErrorSerializer
from core.api.waiting import Waiter
from gcode import LaidPath, Layer


class GcodeSerializer(Waiter):
    """Gcode of a client's own."""

    name = StrictText(max_length=255, required=False, allow_blank=True)
    uri = serializers.CharField(read_only=True)
    status = Choice(choices=Gcode.Status.choices, read_only=True)
    content = serializers.URLField(read_only=True, allow_null=True)
    errors = ErrorSerializer(many=True, read_only=True, allow_null=True)  # type: ignore[assignment]
    figures = serializers.DictField(read_only=True, allow_null=True)
    file_size = serializers.IntegerField(read_only=True, allow_null=True)
    user_uri = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)


def gcode_resource(row: Gcode) -> dict[str, Any]:
    """The contract's gcode."""
    return {
        "uri": row.uri,
        "name": row.name or None,
        "status": row.status,
        "content": row.content_location(),
        "errors": row.errors,
        "figures": row.figures,
        "file_size": row.file_size,
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
    }


class LayerSerializer(serializers.Serializer):
    """A layer's figures."""

    uri = serializers.CharField()
    number = serializers.IntegerField(help_text="Counted from 0.")
    z = serializers.FloatField(help_text="mm")
    height = serializers.FloatField(help_text="mm")
    filament_mm = serializers.FloatField()
    build_time_seconds = serializers.FloatField()
    lines = serializers.IntegerField(help_text="Moves that lay something down.")
    travels = serializers.IntegerField(help_text="Moves that do not.")
    bounds = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="mm: the lowest and the highest x and y of what is laid down.",
    )


class PathSerializer(serializers.Serializer):
    """Consecutive lines of one feature."""

    feature = serializers.CharField(help_text="The slicer's word, in lower case.")
    width = serializers.FloatField(help_text="mm")
    points = serializers.ListField(
        child=serializers.FloatField(), help_text="mm: x and y by turns."
    )


class DrawnLayerSerializer(LayerSerializer):
    """A layer's figures, and what it lays down."""

    complete = serializers.BooleanField(help_text="Whether `paths` are all of the layer.")
    paths = PathSerializer(many=True)


def layer_resource(uri: str, number: int, layer: Layer) -> dict[str, Any]:
    """A layer's figures."""
    return {"uri": uri, "number": number, **layer._asdict()}


def drawn_layer(
    uri: str, number: int, layer: Layer, paths: list[LaidPath], *, complete: bool
) -> dict[str, Any]:
    """A layer's figures, and what it lays down."""
    drawn = [path._asdict() for path in paths]
    return {**layer_resource(uri, number, layer), "complete": complete, "paths": drawn}
