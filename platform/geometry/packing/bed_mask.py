"""Non-rectangular bed as a cell mask."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.bed_shape import Outline, largest_box, overhang
from geometry.convex_hull import hull

BORDER = 1e-2  # mm, that packers keep away from the edge: rounding must not decide


class BedMask(NamedTuple):
    """The convex outline of a plate, in the coordinates of its volume.

    outline : corners in order, mm
    inset   : mm that stay free along the edges
    """

    outline: Outline
    inset: float = 0.0

    def rectangle(self) -> tuple[float, float, float, float]:
        """(left, front, right, back), mm: a large one within it."""
        return largest_box(self.outline, self.inset + BORDER)

    def overhang(self, triangles: NDArray[np.floating]) -> float:
        """mm by which a part reaches over what is free; below 0: the room that it has."""
        corners = hull(triangles[..., :2].reshape(-1, 2))
        return overhang(self.outline, corners) + self.inset

    def grown_area(self, radius: float) -> float:
        """mm^2, of all points within this distance of it: Steiner's formula."""
        corners = np.asarray(self.outline, np.float64)
        sides = np.roll(corners, -1, axis=0) - corners
        x, y = corners.T
        area = abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())) / 2
        return area + float(np.hypot(*sides.T).sum()) * radius + np.pi * radius**2

    def beside(self, cells: tuple[int, int], pitch: float) -> NDArray[np.bool_]:
        """Of (x, y) cells, those that are not wholly on what is free."""
        corners = np.asarray(self.outline, np.float64)
        sides = np.roll(corners, -1, axis=0) - corners
        x, y = corners.T
        turn = 1.0 if (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() >= 0 else -1.0
        inward = turn * np.stack([-sides[:, 1], sides[:, 0]], axis=1)  # (k, 2)
        inward /= np.hypot(*inward.T)[:, None]
        least = np.einsum("kj,kj->k", inward, corners) + self.inset + BORDER
        across, along = (np.arange(count + 1) * pitch for count in cells)
        off = np.zeros((cells[0] + 1, cells[1] + 1), dtype=bool)
        for normal, free in zip(inward, least.tolist(), strict=True):
            off |= normal[0] * across[:, None] + normal[1] * along < free
        return off[:-1, :-1] | off[1:, :-1] | off[:-1, 1:] | off[1:, 1:]
