"""Gcode as the contract spells it, and the layers of any gcode."""

from typing import Annotated, TypedDict

from apps.slicing.models import Gcode, LayerPaths
from core.api.fields import StrictSerializer, StrictText
from core.api.openapi.response_types import ErrorAnswer, FreeJson, OwnedAnswer, Uri
from core.api.queue_position import WithQueuePosition
from core.files.signed_urls import download_url
from gcode import LaidPath, Layer


class GcodeSerializer(StrictSerializer):
    """Gcode of a client's own."""

    name = StrictText(max_length=255, required=False, allow_blank=True)


class GcodeAnswer(OwnedAnswer, WithQueuePosition):
    """Gcode of a client's own."""

    name: str | None
    status: Annotated[str, Gcode.Status]
    content: Uri | None
    errors: list[ErrorAnswer] | None
    figures: FreeJson | None
    metadata: Annotated[FreeJson | None, "What the slicer states in the file."]
    plate: Annotated[
        int | None, "Plate number, if the file holds G-code of several: each is a resource."
    ]
    file_size: int | None


def gcode_resource(row: Gcode) -> GcodeAnswer:
    """The contract's gcode."""
    return {
        "uri": row.uri,
        "name": row.name or None,
        "status": row.status,
        "content": row.content_location(),
        "errors": row.errors,
        "figures": row.figures,
        "metadata": row.metadata,
        "plate": row.plate,
        "file_size": row.file_size,
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
        "queue": None,
    }


class LayerAnswer(TypedDict):
    """A layer's figures."""

    uri: Uri
    number: Annotated[int, "Layer number, from 0."]
    z: Annotated[float, "Height of the nozzle, mm."]
    height: Annotated[float, "Layer height, mm."]
    filament_mm: float
    build_time_seconds: float
    lines: Annotated[int, "Number of extruding moves."]
    travels: Annotated[int, "Number of travel moves."]
    bounds: Annotated[
        tuple[list[float], list[float]],
        "Bounding box of the extrusions: minimum and maximum x and y, mm.",
    ]


class PathAnswer(TypedDict):
    """Consecutive lines of one feature."""

    feature: Annotated[str, "Feature type named by the slicer, in lower case."]
    width: Annotated[float, "Average line width, mm."]
    points: Annotated[list[float], "Alternating x and y coordinates, mm."]


class DrawnLayerAnswer(LayerAnswer):
    """A layer's figures, and what it lays down."""

    complete: Annotated[bool, "Whether `paths` holds all toolpaths of the layer."]
    paths: list[PathAnswer]


class PathsAnswer(TypedDict):
    """What all layers lay down: begun by the first request, there after a moment."""

    status: Annotated[str, LayerPaths.Status]
    errors: list[ErrorAnswer] | None
    content: Uri | None


def paths_resource(paths: LayerPaths, name: str) -> PathsAnswer:
    """Whether the paths are there, and where; `name` is that of the file."""
    content = None
    if paths.content_id is not None:
        media_type = "application/octet-stream"
        content = download_url(paths.content_id, media_type=media_type, filename=name)
    return {"status": paths.status, "errors": paths.errors, "content": content}


def layer_resource(uri: str, number: int, layer: Layer) -> LayerAnswer:
    """A layer's figures."""
    return {
        "uri": uri,
        "number": number,
        "z": layer.z,
        "height": layer.height,
        "filament_mm": layer.filament_mm,
        "build_time_seconds": layer.build_time_seconds,
        "lines": layer.lines,
        "travels": layer.travels,
        "bounds": layer.bounds,
    }


def drawn_layer(
    uri: str, number: int, layer: Layer, paths: list[LaidPath], *, complete: bool
) -> DrawnLayerAnswer:
    """A layer's figures, and what it lays down."""
    drawn: list[PathAnswer] = [
        {"feature": path.feature, "width": path.width, "points": path.points} for path in paths
    ]
    return {**layer_resource(uri, number, layer), "complete": complete, "paths": drawn}
