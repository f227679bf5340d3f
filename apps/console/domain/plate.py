"""Top view of a packed build plate: outlines and numbers of its pieces, coloured by order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manufacturing.generated.erp import Unpacking

# Fill colours of orders; a plate with more orders repeats them.
COLORS = (
    "#2f6fd6",
    "#e8590c",
    "#7a56c9",
    "#2f9e62",
    "#0c8599",
    "#c2255c",
    "#a87417",
    "#5c6b7d",
)
GRID = 32  # mm between two lines
RADIUS = 0.026  # of a number's disc, as a part of the longer side of the bed


@dataclass(frozen=True)
class Outline:
    """The bounding box of a piece, seen from above, in mm; y grows downward as in SVG.

    number : in the order in which the pieces are unpacked, from 1
    color  : that of its order
    """

    number: int
    x: float
    y: float
    width: float
    height: float
    color: str

    @property
    def cx(self) -> float:
        """The middle, along x."""
        return round(self.x + self.width / 2, 2)

    @property
    def cy(self) -> float:
        """The middle, along y."""
        return round(self.y + self.height / 2, 2)


@dataclass(frozen=True)
class Plate:
    """A build plate seen from above; lengths in mm."""

    width: float
    depth: float
    outlines: list[Outline]

    @property
    def columns(self) -> list[int]:
        """Where the grid's lines along y stand."""
        return list(range(GRID, int(self.width), GRID))

    @property
    def rows(self) -> list[float]:
        """Where the grid's lines along x stand."""
        return [self.depth - y for y in range(GRID, int(self.depth), GRID)]

    @property
    def view(self) -> str:
        """The viewBox: the bed with room for the names of the axes."""
        return f"-12 -6 {self.width + 18:g} {self.depth + 18:g}"

    @property
    def radius(self) -> float:
        """The radius of a number's disc."""
        return round(RADIUS * max(self.width, self.depth), 2)

    @property
    def size(self) -> float:
        """The font size of a number."""
        return round(1.15 * self.radius, 2)


def colors(orders: Sequence[str]) -> dict[str, str]:
    """Return a colour for each order, in the order in which they come first."""
    named = dict.fromkeys(orders)
    return {order: COLORS[at % len(COLORS)] for at, order in enumerate(named)}


def on_bed(place: Unpacking) -> tuple[list[float], list[float]] | None:
    """Return the lowest and the highest corner of a piece on its bed, mm; None without a place."""
    box, offset = place["box"], place["bed_offset"]
    if box is None:
        return None
    x, y = (offset["x"], offset["y"]) if offset else (0.0, 0.0)
    low, high = ([box[end]["x"] + x, box[end]["y"] + y, box[end]["z"]] for end in ("low", "high"))
    return low, high


def top_view(
    bed: Mapping[str, float], places: Sequence[Unpacking], colored: Mapping[str, str]
) -> Plate:
    """Return the top view of a plate.

    places  : the pieces in unpacking order; one that has no place is left out, and keeps its number
    colored : the colour of each piece, by its URI
    """
    return Plate(
        bed["x"],
        bed["y"],
        [
            Outline(
                number=number,
                x=round(low[0], 2),
                y=round(bed["y"] - high[1], 2),
                width=round(high[0] - low[0], 2),
                height=round(high[1] - low[1], 2),
                color=colored.get(place["piece"], COLORS[-1]),
            )
            for number, place in enumerate(places, start=1)
            if (corners := on_bed(place))
            for low, high in [corners]
        ],
    )
