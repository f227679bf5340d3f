"""Limits of a packing request."""

from collections.abc import Sequence

from geometry.packing.request import PackItem, Volume
from input_errors import InputError

MAX_PIECES = 2_000
MAX_MODELS = 300
MAX_TRIANGLES = 5_000_000  # of the different models together
MAX_SIDE = 1_000.0  # mm, of the volume
MAX_DISTANCE = 50.0  # mm


def check_limits(pieces: Sequence[PackItem], volume: Volume, distance: float) -> None:
    """Raises InputError: limit-exceeded."""
    count = sum(piece.quantity for piece in pieces)
    triangles = sum(len(piece.triangles) for piece in pieces)
    for what, value, limit, cure in (
        ("pieces", count, MAX_PIECES, "Divide them among several packings."),
        ("different models", len(pieces), MAX_MODELS, "Divide them among several packings."),
        ("triangles", triangles, MAX_TRIANGLES, "Simplify the models, or divide them."),
        ("mm of the volume's longest side", max(volume), MAX_SIDE, "Take a smaller volume."),
        ("mm of distance", distance, MAX_DISTANCE, "Ask for a smaller distance."),
    ):
        if value > limit:
            raise InputError(
                "limit-exceeded",
                f"{value:,g} {what} were asked for; at most {limit:,g} are packed at once. {cure}",
                {"what": what, "value": value, "limit": limit},
            )
    if distance < 0:
        raise InputError(
            "limit-exceeded",
            f"A distance of {distance:g} mm was asked for. Ask for 0 mm or more.",
            {"what": "mm of distance", "value": distance, "limit": 0},
        )
