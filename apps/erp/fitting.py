"""How many parts fit at most, told from what the warehouse knows: no mesh is read."""

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

from geometry.packing.boxes import EXACT, UNITS
from geometry.packing.boxes import ROUNDING as MOVED
from geometry.packing.rows import Policy, Volume, orientations

Sides = tuple[float, float, float]

ROUNDING = 1e-9  # relative; a quotient so little below a whole number is that number
LEAST = 1e-18  # of the room, so that counts stay below 2^63
TURNED = {
    "free": "in none of its 24 orientations does it fit",
    "upright": "however it is turned about z it does not fit",
    "as_is": "as it lies it does not fit",
}


class Outline(NamedTuple):
    """A part, as far as its bounds go.

    size   : extents as it lies, mm
    volume : mm^3; None where the surface is not closed
    """

    name: str
    size: Sides
    volume: float | None
    policy: str
    quantity: int = 1


class Room(NamedTuple):
    """What parts are packed into, and how."""

    volume: Volume
    distance: float
    mode: str
    packer: str


class Fit(NamedTuple):
    """At most so many fit, and a sentence that says why; at least so many do, side by side."""

    at_least: int
    at_most: int
    reason: str


def how_many(outline: Outline, room: Room) -> Fit:
    """Of one part: at least as many as stand in a plain grid, at most what `room` has place for."""
    boxes = _fitting(outline, room)
    if not boxes:
        return Fit(0, 0, _too_large(outline, room))
    at_most = _whole(_free(room) / _needed(outline, boxes, room))
    at_least = max(_grid(box, room) for box in boxes)
    return Fit(min(at_least, at_most), at_most, _because(at_most, [outline], room))


def most_together(outlines: Sequence[Outline], room: Room) -> Fit:
    """Of all of them together: the smallest are counted first."""
    for outline in outlines:
        if not _fitting(outline, room):
            return Fit(0, 0, _too_large(outline, room))
    free, at_most = _free(room), 0
    needs = [(_needed(outline, _fitting(outline, room), room), outline) for outline in outlines]
    for need, outline in sorted(needs, key=lambda pair: pair[0]):
        counted = min(outline.quantity, _whole(free / need))
        at_most += counted
        free -= counted * need
        if counted < outline.quantity:
            break
    return Fit(0, at_most, _because(at_most, outlines, room))


def _fitting(outline: Outline, room: Room) -> list[Sides]:
    """The part's box in each allowed orientation in which it is not longer than the volume."""
    turned = {
        _turned(outline.size, rotation) for rotation in orientations(cast(Policy, outline.policy))
    }
    return sorted(
        box
        for box in turned
        if all(side <= most for side, most in zip(box, room.volume, strict=True))
    )


def _turned(size: Sides, rotation) -> Sides:
    x, y, z = (float(size[abs(row).argmax()]) for row in rotation)
    return x, y, z


def _grid(box: Sides, room: Room) -> int:
    """How many boxes stand side by side, in the whole units that the box packer places by."""
    gap = math.ceil(room.distance * UNITS - EXACT)
    counts = [
        (math.floor(most * UNITS + EXACT) + gap) // max(1, _units(side) + gap)
        for side, most in zip(box, room.volume, strict=True)
    ]
    return math.prod(counts if room.mode == "volume" else counts[:2])


def _units(side: float) -> int:
    exact = side * UNITS
    if abs(exact - round(exact)) <= EXACT:
        return round(exact)
    return math.ceil(exact + MOVED * UNITS)


def _free(room: Room) -> float:
    """What there is to fill: of a volume its mm^3, of a plate its mm^2, grown for the gaps."""
    sides = room.volume[: 2 if room.mode == "plate" else 3]
    if room.packer == "box_packer":
        return math.prod(side + room.distance for side in sides)
    radius = room.distance / 2
    if room.mode == "plate":  # Steiner's formula, here and below
        x, y = sides
        return x * y + 2 * (x + y) * radius + math.pi * radius**2
    x, y, z = sides
    faces, edges = 2 * (x * y + y * z + z * x), x + y + z
    return x * y * z + faces * radius + math.pi * edges * radius**2 + 4 / 3 * math.pi * radius**3


def _needed(outline: Outline, boxes: Sequence[Sides], room: Room) -> float:
    """What one part takes of it at least; tiny, not 0, where that cannot be told."""
    flat, least = room.mode == "plate", LEAST * _free(room)
    if room.packer == "box_packer":
        grown = min(
            math.prod(side + room.distance for side in (box[:2] if flat else box)) for box in boxes
        )
        return max(grown, least)
    radius, volume = room.distance / 2, outline.volume or 0.0
    # The Brunn-Minkowski inequality: nothing that large grows by less than a ball, or a disc.
    if flat:
        shadow = volume / max(box[2] for box in boxes)
        grown = (math.sqrt(shadow) + math.sqrt(math.pi) * radius) ** 2
    else:
        grown = (math.cbrt(volume) + math.cbrt(4 / 3 * math.pi) * radius) ** 3
    return max(grown, least)


def _whole(quotient: float) -> int:
    return math.floor(quotient * (1 + ROUNDING))


def _because(at_most: int, outlines: Sequence[Outline], room: Room) -> str:
    if room.packer == "box_packer":
        by = "their bounding boxes with the distance"
    else:
        what = "shadow on the plate" if room.mode == "plate" else "volume"
        by = f"their {what}, grown by half the distance"
    words = f"By {by}, no more than {at_most:,} fit."
    if room.packer == "box_packer" and any(_hindered(outline, room) for outline in outlines):
        words += " More might if they could be turned in every way."
    return words


def _hindered(outline: Outline, room: Room) -> bool:
    """Whether what forbids turning is what makes it take more."""
    free = outline._replace(policy="free")
    least = _needed(free, _fitting(free, room), room)
    return least < _needed(outline, _fitting(outline, room), room) * (1 - ROUNDING)


def _too_large(outline: Outline, room: Room) -> str:
    size, volume = _written(outline.size), _written(room.volume)
    if outline.policy != "free" and _fitting(outline._replace(policy="free"), room):
        return (
            f"{outline.name} is {size} mm; it fits {volume} mm only if it is turned in a way that "
            "is not allowed for it. Allow more orientations, or turn the model."
        )
    return (
        f"{outline.name} is {size} mm; {TURNED[outline.policy]} {volume} mm. Make it smaller, "
        "divide it, or take a larger printer."
    )


def _written(sides: Sequence[float]) -> str:
    return " x ".join(f"{round(side, 3):g}" for side in sides)
