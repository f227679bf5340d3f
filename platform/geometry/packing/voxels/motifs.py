"""Pair motifs: a part and its flipped copy packed as one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.packing.voxels.grid import GridPlacement
from geometry.packing.voxels.lattice import HALF_TURNS, blocks_of, collision_tables, nearest_step
from geometry.packing.voxels.voxelization import Solid, solid_of, symmetries

WORTH = 0.95  # of the room of two apart, that a pair may take at most

Part = tuple[int, tuple[int, int, int]]  # a turn of the model, and where its block begins


class Motif(NamedTuple):
    """A pair as one solid.

    solid : both as cells; its middle means nothing
    parts : for each of its turns those of the two, and where their blocks begin in its block
    """

    solid: Solid
    parts: tuple[tuple[Part, Part], ...]

    def places(self, model: int, place: GridPlacement) -> list[GridPlacement]:
        """Where the two stand if the pair stands at a place."""
        x, y, z = place[2:]
        return [
            GridPlacement(model, turn, x + i, y + j, z + k)
            for turn, (i, j, k) in self.parts[place.turn]
        ]


def find_motif(solid: Solid, rotations: NDArray[np.float64], pitch: float) -> Motif | None:
    """The pair whose box is least, None where none is worth it.

    Parameters
    ----------
    rotations : (r, 3, 3), the allowed ones
    pitch     : mm
    """
    apart = solid.size + solid.pad - 1
    found: list[tuple[int, int, NDArray[np.int64]]] = []
    for number, mixed in enumerate(collision_tables(solid).mixed):
        step = nearest_step(mixed)
        found.append((int(np.prod(apart + np.abs(step))), number, step))
    room, number, step = min(found, key=lambda each: each[:2])
    if room > WORTH * 2 * np.prod(apart):
        return None
    half = HALF_TURNS[number]
    allowed = {rotation.tobytes() for rotation in rotations + 0.0}
    both = [r for r in rotations if (np.einsum("ij,jk->ik", r, half) + 0.0).tobytes() in allowed]
    if not both:
        return None
    starts = np.maximum(0, -step), np.maximum(0, step)
    backwards = tuple(np.flatnonzero(np.diag(half) < 0).tolist())
    single = blocks_of(solid)
    cells = []
    for block, pad in zip(single, (0, solid.pad), strict=True):
        pair = np.zeros(solid.size + np.abs(step) + 2 * solid.pad, dtype=bool)
        for start, one in zip(starts, (block, np.flip(block, backwards)), strict=True):
            low = start + solid.pad - pad
            x, y, z = (slice(a, a + n) for a, n in zip(low, one.shape, strict=True))
            pair[x, y, z] |= one
        cells.append(pair)
    whole = solid_of(
        cells[0],
        cells[1],
        solid.shell,
        solid.pad,
        np.zeros(3),
        # The two may stand as turns with the same cells, of which other sides have other slack.
        (solid.size + np.abs(step)) * pitch - (solid.size * pitch - solid.extents).min(),
        np.array(both),
    )
    same = symmetries(*(np.pad(single[0], solid.pad), single[1]))
    turn_of = {
        (np.einsum("ij,jk->ik", rotations[turn.rotation], symmetry) + 0.0).tobytes(): i
        for i, turn in enumerate(solid.turns)
        for symmetry in same
    }
    parts = []
    for turn in whole.turns:
        pair_parts: list[Part] = []
        for start, own in zip(starts, (np.eye(3), half), strict=True):
            rotation = np.einsum("ij,jk->ik", both[turn.rotation], own) + 0.0
            far = whole.size - start - solid.size
            at = [
                int((far if flip else start)[a])
                for a, flip in zip(turn.axes, turn.flips, strict=True)
            ]
            pair_parts.append((turn_of[rotation.tobytes()], (at[0], at[1], at[2])))
        parts.append((pair_parts[0], pair_parts[1]))
    return Motif(whole, tuple(parts))
