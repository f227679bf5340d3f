"""Snapshots as the contract spells them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from rest_framework import serializers

from apps.warehouse.models import Snapshot, picture_location
from core.api.fields import (
    CallbackSerializer,
    Faults,
    Number,
    PatternText,
    StrictBoolean,
    StrictSerializer,
    ValidatedData,
    WholeNumber,
)
from core.api.openapi.response_types import ErrorAnswer, Uri
from core.api.queue_position import WithQueuePosition
from geometry.rendering.view import View

VECTORS: dict[str, tuple[str, str, str]] = {"eye": ("x", "y", "z"), "direction": ("u", "v", "w")}
LAYER_HEIGHT = 0.2  # mm; of a layer view without one
# All are set at creation: a PUT may only send back what was read.
LOOK = ("samples", "layer", "slice_height", "color", "transparent", "height", "width")
FIELDS = (*LOOK, *"xyzuvw", "callback")


class SnapshotSerializer(StrictSerializer):
    """A picture of a model; the service chooses what is omitted."""

    fixed_fields = FIELDS

    samples = WholeNumber(min_value=0, max_value=5000, required=False)
    layer = WholeNumber(min_value=0, max_value=2**31 - 1, required=False, allow_null=True)
    slice_height = Number(min_value=0.001, max_value=1000, required=False, allow_null=True)
    color = PatternText(
        r"^#[0-9a-fA-F]{6}$",
        required=False,
        allow_null=True,
        error_messages={"invalid": "A color is written #RRGGBB, such as #4a7fd0."},
    )
    transparent = StrictBoolean(required=False)
    height = WholeNumber(min_value=0, max_value=768, required=False)
    width = WholeNumber(min_value=0, max_value=1024, required=False)
    x = Number(required=False, allow_null=True)
    y = Number(required=False, allow_null=True)
    z = Number(required=False, allow_null=True)
    u = Number(required=False, allow_null=True)
    v = Number(required=False, allow_null=True)
    w = Number(required=False, allow_null=True)
    callback = CallbackSerializer(required=False, allow_null=True)

    def to_internal_value(self, data: Any) -> ValidatedData:
        """Report the faults of the camera together with all others."""
        faults: Faults = {}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            faults = dict(error.detail)  # type: ignore[arg-type]
            values = {}
        if isinstance(data, Mapping) and self.instance is None:
            for axes in VECTORS.values():
                faults = {**_camera_faults(data, axes), **faults}
        if faults:
            raise serializers.ValidationError(faults)
        return values

    def _fixed(self, values: Mapping[str, Any]) -> Faults:
        """As of any resource; what was read before the service had chosen the camera has none."""
        axes = {axis for axes in VECTORS.values() for axis in axes}
        said = {
            name: value for name, value in values.items() if not (value is None and name in axes)
        }
        return super()._fixed(said)

    def validate(self, values: ValidatedData) -> ValidatedData:
        """The kernel's view with every default filled in, and the callback beside it."""
        if self.instance is not None:
            return {}
        width, height = values.get("width") or 0, values.get("height") or 0
        # One of them given: the other at 4:3, within the contract's bounds.
        width = width or min(1024, max(1, round(height * 4 / 3))) if height else width or 1024
        height = height or min(768, max(1, round(width * 3 / 4)))
        chosen = {
            name: values[name]
            for name in ("samples", "color", "transparent")
            if values.get(name) is not None
        }
        view = View(
            width=width,
            height=height,
            layer=values.get("layer"),
            slice_height=values.get("slice_height") or LAYER_HEIGHT,
            eye=_triple(values, VECTORS["eye"]),
            direction=_triple(values, VECTORS["direction"]),
            **chosen,
        )
        return {"view": view, "callback": values.get("callback")}

    def _current(self, name: str) -> Any:
        return None if name == "callback" else super()._current(name)


def _camera_faults(data: Mapping[str, Any], axes: tuple[str, ...]) -> Faults:
    """Return the missing axes where others are present, and a direction of length zero."""
    given = [axis for axis in axes if data.get(axis) not in (None, "")]
    if given and len(given) < len(axes):
        words = f"Give all of {', '.join(axes)}, or none of them."
        detail = serializers.ErrorDetail(words, code="required")
        return {axis: [detail] for axis in axes if axis not in given}
    if given and axes == VECTORS["direction"] and all(data[axis] in (0, "0") for axis in axes):
        words = "The camera's direction is not zero: one of u, v, w must be another number."
        return {axes[0]: [serializers.ErrorDetail(words, code="not-allowed")]}
    return {}


def _triple(values: ValidatedData, axes: tuple[str, str, str]) -> tuple[float, float, float] | None:
    first, second, third = (values.get(axis) for axis in axes)
    if first is None or second is None or third is None:
        return None
    return first, second, third


class SnapshotAnswer(WithQueuePosition):
    """A picture of a model; the service chooses what is omitted."""

    uri: Uri
    model: Uri
    status: Annotated[str, Snapshot.Status]
    progress: float
    errors: list[ErrorAnswer] | None
    samples: int
    layer: int | None
    slice_height: float | None
    color: str | None
    transparent: bool
    height: int
    width: int
    x: float | None
    y: float | None
    z: float | None
    u: float | None
    v: float | None
    w: float | None
    content: Uri | None
    created: datetime


def snapshot_resource(snapshot: Snapshot) -> SnapshotAnswer:
    """The contract's snapshot, with what the service chose filled in."""
    view = View(**snapshot.view)
    camera = snapshot.camera or {"eye": view.eye, "direction": view.direction}
    x, y, z = camera["eye"] or (None,) * 3
    u, v, w = camera["direction"] or (None,) * 3
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
        "transparent": view.transparent,
        "height": view.height,
        "width": view.width,
        "x": x,
        "y": y,
        "z": z,
        "u": u,
        "v": v,
        "w": w,
        "content": picture_location(snapshot.content_id, snapshot.model.name),
        "created": snapshot.created,
        "queue": None,
    }
