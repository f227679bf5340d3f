"""Models and snapshots as the contract spells them."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from apps.warehouse.models import (
    Model,
    Snapshot,
    content_location,
    file_name,
    picture_location,
)
from apps.warehouse.queries import ModelRow
from core.api.fields import CallbackSerializer, Choice, StrictBoolean, StrictSerializer, StrictText
from core.uris import build_uri
from geometry.rendering import View

VECTORS = {"eye": ("x", "y", "z"), "direction": ("u", "v", "w")}


class AllowedTransformationsSerializer(StrictSerializer):
    """Whether other services may change the model on their own."""

    resize = StrictBoolean(required=False)
    rotation = StrictBoolean(required=False)


class SizeSerializer(serializers.Serializer):
    """Extents in mm; null until the model is analysed."""

    x = serializers.FloatField(allow_null=True)
    y = serializers.FloatField(allow_null=True)
    z = serializers.FloatField(allow_null=True)


class AnalysesSerializer(serializers.Serializer):
    """What the analysis found; only `manifold` is there before."""

    manifold = serializers.BooleanField(allow_null=True)


class FaultSerializer(serializers.Serializer):
    """Why a resource is in `error`."""

    code = serializers.CharField()
    title = serializers.CharField()


class ModelSerializer(StrictSerializer):
    """A stored 3D model."""

    known_extras = ("auto-align", "analyses.manifold")
    fixed_fields = ("type",)

    name = StrictText(max_length=255)
    type = Choice(choices=Model.Type.choices, required=False)
    allowed_transformations = AllowedTransformationsSerializer(required=False)
    unit = StrictText(max_length=16, required=False, allow_blank=True, allow_null=True)
    callback = CallbackSerializer(required=False, allow_null=True, write_only=True)
    uri = serializers.CharField(read_only=True)
    status = Choice(choices=Model.Status.choices, read_only=True)
    errors = FaultSerializer(many=True, read_only=True, allow_null=True)  # type: ignore[assignment]
    snapshot = serializers.URLField(read_only=True, allow_null=True)
    snapshot_content = serializers.URLField(read_only=True, allow_null=True)
    content = serializers.URLField(read_only=True, allow_null=True)
    analyses = AnalysesSerializer(read_only=True)
    size = SizeSerializer(read_only=True)
    volume_mm = serializers.FloatField(read_only=True, allow_null=True)
    surface_area_mm = serializers.FloatField(read_only=True, allow_null=True)
    polygons = serializers.IntegerField(read_only=True, allow_null=True)
    file_size = serializers.IntegerField(read_only=True, allow_null=True)
    user_uri = serializers.CharField(read_only=True)
    parents = serializers.ListField(child=serializers.CharField(), read_only=True)
    children = serializers.ListField(child=serializers.CharField(), read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        # The contract's flat spelling, which no Python name can have.
        flat = serializers.BooleanField(read_only=True, allow_null=True)
        return {**super().get_fields(), "analyses.manifold": flat}

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if "unit" in values:
            values["unit"] = values["unit"] or ""
        if self.instance is not None and values.pop("callback", None):
            raise serializers.ValidationError(
                {"callback": serializers.ErrorDetail("It is set at creation.", code="fixed")}
            )
        return values


def model_resource(model: ModelRow) -> dict[str, Any]:
    """The contract's model, written by hand: this is the most read resource of all."""
    analyses = model.analyses or {"manifold": None}
    x, y, z = analyses.get("size") or (None, None, None)
    picture = picture_location(model.picture_id, model.name)
    return {
        "uri": build_uri("models", "model-detail", uuid=model.uuid),
        "name": model.name,
        "type": model.type,
        "status": model.status,
        "errors": model.errors,
        "allowed_transformations": {"resize": model.may_resize, "rotation": model.may_rotate},
        "unit": model.unit or None,
        "snapshot": picture,
        "snapshot_content": picture,
        "content": content_location(model),
        "analyses": analyses,
        "analyses.manifold": analyses["manifold"],
        "size": {"x": x, "y": y, "z": z},
        "volume_mm": analyses.get("volume"),
        "surface_area_mm": analyses.get("surface_area"),
        "polygons": analyses.get("triangles"),
        "file_size": model.file_size,
        "user_uri": build_uri("users", "user-detail", uuid=model.owner_id),
        "parents": [build_uri("models", "model-detail", uuid=key) for key in model.parent_keys],
        "children": [build_uri("models", "model-detail", uuid=key) for key in model.child_keys],
        "created": model.created,
        "updated": model.updated,
    }


class SnapshotSerializer(StrictSerializer):
    """A picture of a model; what is left out is chosen by the service."""

    samples = serializers.IntegerField(min_value=0, max_value=5000, required=False)
    layer = serializers.IntegerField(min_value=0, required=False, allow_null=True)
    slice_height = serializers.FloatField(min_value=0.001, required=False, allow_null=True)
    color = serializers.RegexField(
        r"^#[0-9a-fA-F]{6}$",
        required=False,
        error_messages={"invalid": "A color is written #RRGGBB, such as #4a7fd0."},
    )
    height = serializers.IntegerField(min_value=0, max_value=768, required=False)
    width = serializers.IntegerField(min_value=0, max_value=1024, required=False)
    x = serializers.FloatField(required=False, allow_null=True)
    y = serializers.FloatField(required=False, allow_null=True)
    z = serializers.FloatField(required=False, allow_null=True)
    u = serializers.FloatField(required=False, allow_null=True)
    v = serializers.FloatField(required=False, allow_null=True)
    w = serializers.FloatField(required=False, allow_null=True)
    callback = CallbackSerializer(required=False, allow_null=True, write_only=True)
    uri = serializers.CharField(read_only=True)
    model = serializers.CharField(read_only=True)
    status = Choice(choices=Snapshot.Status.choices, read_only=True)
    progress = serializers.FloatField(read_only=True)
    errors = FaultSerializer(many=True, read_only=True, allow_null=True)  # type: ignore[assignment]
    content = serializers.URLField(read_only=True, allow_null=True)
    created = serializers.DateTimeField(read_only=True)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        """The kernel's view with every default filled in, and the callback beside it."""
        width, height = values.get("width") or 0, values.get("height") or 0
        # One of them given: the other at 4:3, within the contract's bounds.
        width = width or min(1024, max(1, round(height * 4 / 3))) if height else width or 1024
        height = height or min(768, max(1, round(width * 3 / 4)))
        chosen: dict[str, Any] = {
            "width": width,
            "height": height,
            "layer": values.get("layer"),
            "slice_height": values.get("slice_height") or settings.SNAPSHOT_LAYER_HEIGHT,
            **{name: values[name] for name in ("samples", "color") if name in values},
            **{name: self._triple(values, axes) for name, axes in VECTORS.items()},
        }
        try:
            view = View(**chosen)
        except ValueError as error:
            raise serializers.ValidationError(str(error), code="not-allowed") from error
        return {"view": view, "callback": values.get("callback")}

    def _triple(self, values: dict[str, Any], axes: tuple[str, ...]) -> tuple[float, ...] | None:
        given = [values.get(axis) for axis in axes]
        if all(value is None for value in given):
            return None
        missing = [axis for axis, value in zip(axes, given, strict=True) if value is None]
        if missing:
            words = f"Give all of {', '.join(axes)}, or none of them."
            detail = serializers.ErrorDetail(words, code="required")
            raise serializers.ValidationError({axis: [detail] for axis in missing})
        return tuple(float(value) for value in given if value is not None)


def snapshot_resource(snapshot: Snapshot) -> dict[str, Any]:
    """The contract's snapshot, with what the service chose filled in."""
    view = View(**snapshot.view)
    eye, direction = view.eye or (None,) * 3, view.direction or (None,) * 3
    name = file_name(snapshot.model.name, "png")
    return {
        "uri": snapshot.uri,
        "model": snapshot.model.uri,
        "status": snapshot.status,
        "progress": snapshot.progress,
        "errors": snapshot.errors,
        "samples": view.samples,
        "layer": view.layer,
        "slice_height": view.slice_height,
        "color": view.color,
        "height": view.height,
        "width": view.width,
        **dict(zip(("x", "y", "z"), eye, strict=True)),
        **dict(zip(("u", "v", "w"), direction, strict=True)),
        "content": picture_location(snapshot.content_id, name),
        "created": snapshot.created,
    }
