"""Serializers: packing requests."""

from typing import Annotated, TypedDict

from apps.erp.base.serializers.resources import LinkField
from apps.erp.organisation.domain.packing_space import build_corner
from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.models.capacity import Capacity
from apps.erp.production.models.runs import Place, Run
from apps.erp.production.serializers.runs import PiecesField
from apps.erp.production.services.packing import BUDGETS
from core.api.fields import (
    Choice,
    StrictBoolean,
    StrictSerializer,
    StrictText,
    UriField,
    WholeNumber,
)
from core.api.openapi.response_types import Uri


class CreateRunsSerializer(StrictSerializer):
    """A run of a printer, and how it is to be packed."""

    takes_back = False

    run_name = StrictText(max_length=200)
    printer = LinkField(Printer)
    pieces = PiecesField()
    do_build_volume_check = StrictBoolean(default=True)
    config = UriField(allow_null=True, default=None)
    seed = WholeNumber(min_value=0, max_value=2**31 - 1, default=0)
    budget = Choice(choices=BUDGETS, default="standard")


class CornerAnswer(TypedDict):
    """A place in the build, mm."""

    x: float
    y: float
    z: float


class BoxAnswer(TypedDict):
    """The bounding box of a piece in the build."""

    low: CornerAnswer
    high: CornerAnswer


class BedOffsetAnswer(TypedDict):
    """Where the origin of a build stands on the bed, mm from the left front corner of its box."""

    x: float
    y: float


class UnpackingAnswer(TypedDict):
    """Where a piece is in a packed run, and how it comes out; null before that is known."""

    position: Annotated[int, "Position in unpacking order, lowest first."]
    piece: Uri
    name: Annotated[str, "Display name of the line item."]
    number: Annotated[int, "Number of the piece within its line item."]
    transform: list[list[float]] | None
    box: BoxAnswer | None
    bed_offset: Annotated[
        BedOffsetAnswer | None,
        "Position of the build on the bed, mm: add it to transform and box for the bed's corner "
        "as origin, as G-code of the run has it.",
    ]
    direction: Annotated[
        str | None, "Removal direction, such as +x or -z; null if several moves are needed."
    ]


def unpacking_of(place: Place) -> UnpackingAnswer:
    """A piece's place in a run, as JSON."""
    piece = place.piece
    return {
        "position": place.position,
        "piece": piece.uri,
        "name": piece.line_item.name,
        "number": piece.number,
        "transform": place.transform,
        "box": _box(place.box) if place.box else None,
        "bed_offset": _bed_offset(place.run) if place.box else None,
        "direction": place.direction or None,
    }


def _bed_offset(run: Run) -> BedOffsetAnswer | None:
    if run.printer_type is None:
        return None
    x, y = build_corner(run.printer_type, run.packing.get("reach", 0.0))
    return {"x": x, "y": y}


def _box(corners: list[list[float]]) -> BoxAnswer:
    low, high = corners
    return {"low": _corner(low), "high": _corner(high)}


def _corner(place: list[float]) -> CornerAnswer:
    x, y, z = place
    return {"x": x, "y": y, "z": z}


class CapacityAnswer(TypedDict):
    """How many copies fit."""

    at_least: Annotated[int, "Lower bound: number of parts packed."]
    at_most: Annotated[int, "Upper bound: number of parts proven to be the maximum."]
    exact: Annotated[bool, "Whether both bounds are equal."]
    reason: Annotated[str, "Proof of the upper bound."]
    status: Annotated[str, Capacity.Status]


def capacity_resource(capacity: Capacity) -> CapacityAnswer:
    """A capacity as JSON."""
    return {
        "at_least": capacity.at_least,
        "at_most": capacity.at_most,
        "exact": capacity.at_least == capacity.at_most,
        "reason": capacity.reason,
        "status": capacity.status,
    }
