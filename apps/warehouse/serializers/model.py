"""Models as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.warehouse.models import Model, content_location, picture_location
from apps.warehouse.queries import ModelRow
from apps.warehouse.serializers.findings import AnalysesSerializer, found_out
from apps.warehouse.serializers.transformation import AppliedSerializer
from core.api.callbacks import CallbackTaker
from core.api.fields import Choice, StrictBoolean, StrictSerializer, StrictText
from core.api.schema import ErrorSerializer
from core.api.waiting import Waiter
from core.uris import user_uri


class AllowedTransformationsSerializer(StrictSerializer):
    """Whether other services may change the model on their own."""

    resize = StrictBoolean(required=False)
    rotation = StrictBoolean(required=False)


class SizeSerializer(serializers.Serializer):
    """Extents in mm; null until the model is analysed."""

    x = serializers.FloatField(allow_null=True)
    y = serializers.FloatField(allow_null=True)
    z = serializers.FloatField(allow_null=True)


class ModelSerializer(Waiter, CallbackTaker):
    """A stored 3D model."""

    known_extras = ("auto-align", "analyses.manifold")
    fixed_fields = ("type",)

    name = StrictText(max_length=255)
    type = Choice(choices=Model.Type.choices, required=False)
    allowed_transformations = AllowedTransformationsSerializer(required=False)
    unit = StrictText(max_length=16, required=False, allow_blank=True)
    uri = serializers.CharField(read_only=True)
    status = Choice(choices=Model.Status.choices, read_only=True)
    errors = ErrorSerializer(many=True, read_only=True, allow_null=True)  # type: ignore[assignment]
    transformations = AppliedSerializer(many=True, read_only=True, allow_null=True)
    snapshot = serializers.URLField(read_only=True, allow_null=True)
    snapshot_content = serializers.URLField(read_only=True, allow_null=True)
    preview = serializers.URLField(read_only=True, allow_null=True)
    thumbnail = serializers.URLField(read_only=True, allow_null=True)
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
        return values


def model_resource(model: ModelRow) -> dict[str, Any]:
    """The contract's model, written by hand: this is the most read resource of all."""
    analyses = found_out(model.analyses, model.printability)
    x, y, z = analyses["size"] or (None, None, None)
    picture = picture_location(model.picture_id, model.name)
    uri = Model.uri_of(model.uuid)
    shown = model.status == Model.Status.PROCESSED
    return {
        "uri": uri,
        "name": model.name,
        "type": model.type,
        "status": model.status,
        "errors": model.errors,
        "allowed_transformations": {"resize": model.may_resize, "rotation": model.may_rotate},
        "unit": model.unit or None,
        "transformations": model.transformations,
        "snapshot": picture,
        "snapshot_content": picture,
        "preview": f"{uri}preview/" if shown else None,
        "thumbnail": f"{uri}thumbnail/" if shown else None,
        "content": content_location(model),
        "analyses": analyses,
        "analyses.manifold": analyses["manifold"],
        "size": {"x": x, "y": y, "z": z},
        "volume_mm": analyses["volume"],
        "surface_area_mm": analyses["surface_area"],
        "polygons": analyses["triangles"],
        "file_size": model.file_size,
        "user_uri": user_uri(model.owner_id),
        "parents": [Model.uri_of(key) for key in model.parent_keys],
        "children": [Model.uri_of(key) for key in model.child_keys],
        "created": model.created,
        "updated": model.updated,
    }
