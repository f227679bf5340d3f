"""Models as the contract spells them."""

from typing import Annotated, TypedDict

from apps.warehouse.models import Model, content_location, picture_location
from apps.warehouse.queries import ModelRow
from apps.warehouse.serializers.analyses import AnalysisAnswer, found_out
from apps.warehouse.serializers.conversion import (
    ConversionAnswer,
    SourceAnswer,
    conversion_answer,
)
from apps.warehouse.serializers.transformation import AppliedAnswer
from core.api.callbacks import CallbackInputMixin, WithCallback
from core.api.fields import Choice, StrictBoolean, StrictSerializer, StrictText, ValidatedData
from core.api.openapi.response_types import ErrorAnswer, FreeJson, OwnedAnswer, Uri
from core.api.queue_position import WithQueuePosition
from core.uris import user_uri


class AllowedTransformationsSerializer(StrictSerializer):
    """Whether other services may change the model on their own."""

    resize = StrictBoolean(required=False)
    rotation = StrictBoolean(required=False)


class AllowedTransformationsAnswer(TypedDict):
    """Whether other services may change the model on their own."""

    resize: bool
    rotation: bool


class SizeAnswer(TypedDict):
    """Extents in mm; null until the model is analysed."""

    x: float | None
    y: float | None
    z: float | None


class ModelSerializer(CallbackInputMixin):
    """A stored 3D model."""

    known_extras = ("auto-align", "analyses.manifold")
    fixed_fields = ("type",)

    name = StrictText(max_length=255)
    type = Choice(choices=Model.Type.choices, required=False)
    allowed_transformations = AllowedTransformationsSerializer(required=False)
    unit = StrictText(max_length=16, required=False, allow_blank=True)
    convert = StrictBoolean(  # type: ignore[assignment]
        required=False,
        write_only=True,
        help_text="In a PUT: true starts a conversion that was not done at upload.",
    )

    def validate(self, values: ValidatedData) -> ValidatedData:
        if self.instance is None:
            values.pop("convert", None)  # a form without it says false
        return values


# The contract's flat spelling, which no Python name can have.
Flat = TypedDict("Flat", {"analyses.manifold": bool | None})


class ModelAnswer(OwnedAnswer, Flat, WithCallback, WithQueuePosition):
    """A stored 3D model."""

    name: str
    type: Annotated[str, Model.Type]
    status: Annotated[str, Model.Status]
    errors: list[ErrorAnswer] | None
    allowed_transformations: AllowedTransformationsAnswer
    unit: str | None
    transformations: list[AppliedAnswer] | None
    snapshot: Uri | None
    snapshot_content: Uri | None
    preview: Uri | None
    thumbnail: Uri | None
    thumbnail_content: Annotated[
        Uri | None,
        "Signed URL of the thumbnail, 256 x 192 pixels, rendered with the default snapshot.",
    ]
    content: Uri | None
    analyses: Annotated[FreeJson, AnalysisAnswer]
    size: SizeAnswer
    volume_mm: float | None
    surface_area_mm: float | None
    polygons: int | None
    file_size: int | None
    parents: list[Uri]
    children: list[Uri]
    conversion: ConversionAnswer | None
    source: SourceAnswer | None


def model_resource(model: ModelRow) -> ModelAnswer:
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
        "thumbnail_content": picture_location(model.small_picture_id, model.name),
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
        "conversion": conversion_answer(model),
        "source": model.source,  # type: ignore[typeddict-item]
        "created": model.created,
        "updated": model.updated,
        "callback": model.callback,
        "queue": None,
    }
