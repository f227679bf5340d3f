"""A packer that finds free places by correlation: the same cells, Fourier transforms for bits."""

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from geometry.packing.request import Volume
from geometry.packing.voxels.voxelization import Solid, Turn


def pack(solids: list[Solid], room: Volume, pitch: float, order: list[int], layers: int) -> int:
    """The height in cells after placing each at the lowest place of its lowest turn."""
    cells = [int(np.ceil(side / pitch - 1e-6)) + 1 for side in room]
    shape = (cells[0], cells[1], layers)
    padded = [fft.next_fast_len(side, real=True) for side in shape]
    covered = np.zeros(shape, dtype=np.float32)
    height = 0
    for model in order:
        solid = solids[model]
        spectrum = fft.rfftn(covered, padded)
        best = None
        for turn in solid.turns:
            moving = _block(solid, turn, solid.moving, 0)
            extents = solid.extents[list(turn.axes)]
            slack = np.array(moving.shape) * pitch - extents
            places = np.floor((np.array(room) - extents - slack / 2) / pitch + 1e-9).astype(int) + 1
            places[2] = min(places[2], layers - moving.shape[2] + 1)
            if (places < 1).any():
                continue
            hits = fft.irfftn(spectrum * fft.rfftn(moving, padded).conj(), padded)
            free = hits[: places[0], : places[1], : places[2]] < 0.5
            levels = np.flatnonzero(free.any(axis=(0, 1)))
            if len(levels):
                z = int(levels[0])
                if best is None or z + moving.shape[2] < best[0]:
                    x, y = np.argwhere(free[:, :, z])[0]
                    best = z + moving.shape[2], turn, (int(x), int(y), z)
        if best is None:
            continue
        height = max(height, best[0])
        _cover(covered, solid, best[1], best[2])
    return height


def _cover(covered: NDArray, solid: Solid, turn: Turn, at: tuple[int, int, int]) -> None:
    cells = np.argwhere(_block(solid, turn, solid.standing, solid.pad)) + at - solid.pad
    inside = ((cells >= 0) & (cells < covered.shape)).all(axis=1)
    covered[tuple(cells[inside].T)] = 1


def _block(solid: Solid, turn: Turn, runs: tuple[NDArray, ...], pad: int) -> NDArray[np.float32]:
    """V or D as cells after a turn."""
    cells = np.zeros(solid.size + 2 * pad, dtype=np.float32)
    for u, v, first, length in runs[2]:
        cells[u, v, first : first + length] = 1
    backwards = [axis for axis, flip in enumerate(turn.flips) if flip]
    return np.flip(np.transpose(cells, turn.axes), backwards)
