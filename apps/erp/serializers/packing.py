"""What a client asks of a packing."""

from typing import Any

from rest_framework import serializers

from apps.erp.models import Capacity, Place, Printer
from apps.erp.serializers.production import PiecesField
from apps.erp.serializers.rows import LinkField
from apps.erp.services.packing import BUDGETS
from core.api.fields import (
    Choice,
    StrictBoolean,
    StrictSerializer,
    StrictText,
    UriField,
    WholeNumber,
)


class CreateRunsSerializer(StrictSerializer):
    """A run of a printer, and how it is to be packed."""

    run_name = StrictText(max_length=200)
    printer = LinkField(Printer)
    pieces = PiecesField()
    do_build_volume_check = StrictBoolean(default=True)
    config = UriField(allow_null=True, default=None)
    seed = WholeNumber(min_value=0, max_value=2**31 - 1, default=0)
    budget = Choice(choices=BUDGETS, default="standard")


class CornerSerializer(serializers.Serializer):
    """A place in the build, mm."""

    x = serializers.FloatField()
    y = serializers.FloatField()
    z = serializers.FloatField()


class BoxSerializer(serializers.Serializer):
    """The bounding box of a piece in the build."""

    low = CornerSerializer()
    high = CornerSerializer()


class UnpackingSerializer(serializers.Serializer):
    """Where a piece is in a packed run, and how it comes out; null before that is known."""

    position = serializers.IntegerField(help_text="The piece with the least comes out first.")
    piece = serializers.URLField()
    name = serializers.CharField(help_text="Of its line item.")
    number = serializers.IntegerField(help_text="Among the pieces of its line item.")
    transform = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), allow_null=True
    )
    box = BoxSerializer(allow_null=True)
    direction = serializers.CharField(
        allow_null=True, help_text="+x, -z and the like; null where it takes several moves."
    )


def unpacking_of(place: Place) -> dict[str, Any]:
    """A piece's place in a run, as JSON."""
    piece = place.piece
    return {
        "position": place.position,
        "piece": piece.uri,
        "name": piece.line_item.name,
        "number": piece.number,
        "transform": place.transform,
        "box": _box(place.box) if place.box else None,
        "direction": place.direction or None,
    }


def _box(corners: list[list[float]]) -> dict[str, dict[str, float]]:
    low, high = (dict(zip("xyz", corner, strict=True)) for corner in corners)
    return {"low": low, "high": high}


class CapacitySerializer(serializers.Serializer):
    """How many copies fit."""

    at_least = serializers.IntegerField(help_text="So many have been packed.")
    at_most = serializers.IntegerField(help_text="More are impossible.")
    exact = serializers.BooleanField(help_text="Whether the two are equal.")
    reason = serializers.CharField(help_text="Why no more than `at_most` fit.")
    status = Choice(choices=Capacity.Status.choices)


def capacity_resource(capacity: Capacity) -> dict[str, Any]:
    """A capacity as JSON."""
    return {
        "at_least": capacity.at_least,
        "at_most": capacity.at_most,
        "exact": capacity.at_least == capacity.at_most,
        "reason": capacity.reason,
        "status": capacity.status,
    }
