"""Converts a layout into the returned packing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from geometry.packing.metrics import density, height
from geometry.packing.request import Packing, PackItem, Placement, Volume
from geometry.packing.voxels.disassembly import Exits
from geometry.packing.voxels.grid import Grid, GridPlacement
from geometry.packing.voxels.layout import Layout

LIFT = 5e-13  # mm off the floor, so that no rounding puts a corner beneath it


def to_packing(
    pieces: Sequence[PackItem],
    volume: Volume,
    wall: float,
    items: Sequence[tuple[int, int]],
    layout: Layout,
    exits: Exits,
    work: int,
) -> Packing:
    """What stands in a layout, lowered until it touches the floor, in the order in which it leaves.

    items : (piece, copy) of each
    exits : of `list(layout.places)`, by position
    """
    standing = list(layout.places)
    centres = [layout.grid.middle(layout.places[item]) for item in standing]
    below = min(
        centre[2] - _extents(layout.grid, layout.places[item])[2] / 2
        for item, centre in zip(standing, centres, strict=True)
    )
    shift = wall - np.array([0.0, 0.0, below - LIFT])
    placements = []
    for number, direction in exits.order:
        piece, copy = items[standing[number]]
        place = layout.places[standing[number]]
        solid = layout.grid.shapes[place.model].solid
        rotation = pieces[piece].rotations[solid.turns[place.turn].rotation]
        transform = np.eye(4)
        transform[:3, :3] = rotation
        transform[:3, 3] = centres[number] + shift - np.einsum("ij,j->i", rotation, solid.centre)
        placements.append(Placement(piece, copy, transform, direction))
    top = height(pieces, placements)
    return Packing(
        placements=tuple(placements),
        unplaced=tuple(items[item] for item in range(len(items)) if item not in layout.places),
        height=top,
        density=density(pieces, placements, volume, top),
        work=work,
        stopped="work",
        packer="premium_packer",
        pitch=layout.grid.pitch,
    )


def _extents(grid: Grid, place: GridPlacement) -> NDArray[np.float64]:
    """(3,) mm: of the model as it is turned."""
    solid = grid.shapes[place.model].solid
    return solid.extents[list(solid.turns[place.turn].axes)]
