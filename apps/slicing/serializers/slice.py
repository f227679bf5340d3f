"""Slices as the contract spells them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict, cast

from apps.slicing.engines.base import ObjectUse
from apps.slicing.models import PlatePiece, Slice
from apps.slicing.services.slices import Preview, UsedSettings
from core.api.callbacks import CallbackInputMixin, WithCallback
from core.api.fields import UriField
from core.api.money import MoneyAnswer
from core.api.openapi.response_types import ErrorAnswer, FreeJson, OwnedAnswer, Uri
from core.api.queue_position import WithQueuePosition


class SliceEstimatesAnswer(TypedDict):
    """Figures of the gcode; null until it exists."""

    build_time_seconds: float | None
    support_volume_cc: float | None
    build_volume_cc: float | None


NO_ESTIMATES: SliceEstimatesAnswer = {
    "build_time_seconds": None,
    "support_volume_cc": None,
    "build_volume_cc": None,
}


class SliceSerializer(CallbackInputMixin):
    """A tool-path."""

    fixed_fields = ("model", "config")

    model = UriField()
    config = UriField()


class SliceAnswer(OwnedAnswer, WithCallback, WithQueuePosition):
    """A tool-path."""

    model: Uri
    config: Uri
    status: Annotated[str, Slice.Status]
    progress: float
    stage: str | None
    content: Uri | None
    slice_time: int | None
    estimates: SliceEstimatesAnswer
    figures: FreeJson | None
    errors: list[ErrorAnswer] | None
    warnings: list[ErrorAnswer]
    engine: str
    engine_version: str | None
    program: Annotated[
        str | None,
        "Slicer in a shop that makes it, such as orcaslicer; null: the platform's.",
    ]
    model_sha256: str | None
    config_sha256: str
    run: Annotated[Uri | None, "Packed run whose pieces were sliced as separate objects."]


def slice_resource(row: Slice) -> SliceAnswer:
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
        "estimates": row.estimates or NO_ESTIMATES,
        "figures": row.figures,
        "errors": row.errors,
        "warnings": row.warnings,
        "engine": row.config.engine,
        "engine_version": row.engine_version or None,
        "program": row.program or None,
        "model_sha256": row.model_sha256 or None,
        "config_sha256": row.config.content_id,
        "run": row.plate and row.plate["run"],
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
        "callback": None,
        "queue": None,
    }


class PlateObjectAnswer(TypedDict):
    """What one piece on a plate takes; the last, `shared`, is what belongs to none."""

    name: Annotated[str, "Object name in the G-code."]
    piece: Uri | None
    model: Uri | None
    time_seconds: float
    filament_mm: float
    volume_cc: float
    support_cc: float
    mass_g: Annotated[float | None, "Mass, g; null if the density of the filament is unknown."]
    first_layer: Annotated[int | None, "First layer of the object, from 0."]
    last_layer: int | None
    box: Annotated[
        list[list[float]] | None,
        "Bounding box on the bed: minimum and maximum corner, mm.",
    ]


def plate_object(row: ObjectUse, pieces: Mapping[str, PlatePiece]) -> PlateObjectAnswer:
    """Return the usage of a piece of a sliced build; `pieces` are those of the plate, by name."""
    of = pieces.get(row["name"])
    later = {"mass_g": None, "first_layer": None, "last_layer": None}  # of slices made before
    fields = {**later, **row, "piece": of and of["piece"], "model": of and of["model"]}
    return cast(PlateObjectAnswer, fields)


class UsedParameterAnswer(TypedDict):
    """A parameter as it would be used."""

    value: Annotated[Any, "Effective value; a list if there are several; null if unknown."]
    source: Annotated[str, Literal["config", "default"]]


class SliceSettingsAnswer(TypedDict):
    """What a slice is made with."""

    layer_height: Annotated[
        float | None, "Layer height, mm; null until the slice is processed, and if unknown."
    ]
    presets: Annotated[
        dict[str, str] | None, "Names of the presets: printer, print, filament; null if none."
    ]
    parameters: Annotated[
        dict[str, UsedParameterAnswer],
        "Parameters of the curated config, each with its source; empty without one.",
    ]


def settings_resource(used: UsedSettings) -> SliceSettingsAnswer:
    """The effective settings as JSON."""
    return {
        "layer_height": used.layer_height,
        "presets": used.presets,
        "parameters": used.parameters,
    }


class PreviewAnswer(TypedDict):
    """The expected result of a slice, without slicing."""

    model: Uri
    config: Uri
    accepted: Annotated[bool, "Whether the request without dry_run would return 201."]
    refusals: Annotated[list[ErrorAnswer], "Errors the request would be rejected with."]
    cost: Annotated[MoneyAnswer | None, "Charge for the slice."]
    failures: Annotated[list[ErrorAnswer], "Errors the slice would fail with."]
    warnings: list[ErrorAnswer]
    cached: Annotated[bool, "Whether an equal slice already exists."]
    slice_time: int | None
    estimates: SliceEstimatesAnswer
    engine: str
    engine_version: str | None
    parameters: dict[str, UsedParameterAnswer]


def preview_resource(preview: Preview) -> PreviewAnswer:
    """The answer to a dry run."""
    return {
        "model": preview.model,
        "config": preview.config,
        "accepted": not preview.refusals,
        "refusals": preview.refusals,
        "cost": preview.cost,
        "failures": preview.failures,
        "warnings": preview.warnings,
        "cached": preview.cached,
        "slice_time": preview.slice_time,
        "estimates": preview.estimates or NO_ESTIMATES,
        "engine": preview.engine,
        "engine_version": preview.engine_version,
        "parameters": preview.parameters,
    }
