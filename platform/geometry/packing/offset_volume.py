"""Lower bounds of offset (dilated) volumes and areas."""

import math

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import mesh_volume, triangle_areas
from geometry.packing.metrics import bounds_of

MAX_CELLS = 1_000_000
CELLS_ALONG = 100  # where there is no radius: only the mesh's own volume is then of use
MAX_SPANS = 1 << 21  # columns below triangles that are looked at together
FLAT = np.array([1, 1, 0], dtype=np.float32)
OFF_CENTRE = (0.4969, 0.5047)  # of a cell: columns miss the corners and edges of round numbers


def grown_volume(triangles: NDArray[np.float32], radius: float) -> float:
    """mm^3: at least this is the volume of all points within `radius` of a solid.

    Cells are counted that lie wholly within it: those whose centre is no farther from a centre
    inside the solid than the radius less half a cell's diagonal. Where the mesh's own volume is
    larger it counts, if its shells are closed and do not overlap; so does what its largest
    triangle alone comes to, which is all that is known of an open sheet.
    """
    cells = _Cells(triangles, radius)
    own = abs(mesh_volume(triangles)) if cells.simple else 0.0
    sheet = 2 * radius * triangle_areas(triangles).max() + 4 / 3 * math.pi * radius**3
    return max(cells.grown(cells.inside), own, float(sheet))


def grown_shadow(triangles: NDArray[np.float32], radius: float) -> float:
    """mm^2: at least this is the area of all points within `radius` of a projection along z."""
    cells = _Cells(triangles, radius)
    own = abs(mesh_volume(triangles)) / float(np.ptp(triangles[:, :, 2])) if cells.simple else 0.0
    flat = triangle_areas(triangles * FLAT).max() + math.pi * radius**2
    return max(cells.grown(np.asarray(cells.inside.any(axis=2))), own, float(flat))


class _Cells:
    """The cells [x, y, z] about a solid.

    inside : those whose centres the surface winds about
    simple : whether the surface is closed, and nowhere wound about twice
    """

    def __init__(self, triangles: NDArray[np.float32], radius: float):
        low, high = bounds_of(triangles)
        self._radius = radius
        self._cell = _cell(high - low, radius)
        pad = math.ceil(radius / self._cell) + 1
        self._shape = np.ceil((high - low) / self._cell).astype(int) + 2 * pad
        column, z, sign = _crossings((triangles - low) / self._cell + pad, int(self._shape[1]))
        order = np.lexsort((z, column))
        depth = np.cumsum(sign[order])
        last = np.append(np.diff(column[order]) > 0, True) if len(order) else order.astype(bool)
        shut = not depth[last].any()
        self.simple = bool(shut and len(depth) and np.ptp(depth) == 1)
        self.inside = self._fill(column, z, sign)

    def grown(self, inside: NDArray[np.bool_]) -> float:
        """The size of the cells wholly within the radius of what is inside, in 2D or 3D."""
        from scipy import ndimage  # only where a bound is asked for: boxes need none of it

        reach = self._radius / self._cell - math.sqrt(inside.ndim) / 2
        if reach <= 0 or not inside.any():
            return 0.0
        near = ndimage.distance_transform_edt(~inside) <= reach
        return float(np.count_nonzero(near)) * self._cell**inside.ndim

    def _fill(
        self, column: NDArray[np.int64], z: NDArray[np.float64], sign: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        winding = np.zeros((self._shape[0] * self._shape[1], self._shape[2]), dtype=np.int16)
        above = np.ceil(z - 0.5).astype(np.int64)  # the first centre beyond the crossing
        np.add.at(winding, (column, above), sign.astype(np.int16))
        np.cumsum(winding, axis=1, out=winding)
        inside = (winding != 0) & (winding[:, -1:] == 0)  # a column that does not close is open
        return inside.reshape(self._shape)


def _cell(extents: NDArray[np.float64], radius: float) -> float:
    """mm: a quarter of the radius, or as small as the number of cells lets it be."""
    cell = radius / 4 if radius else float(extents.max()) / CELLS_ALONG
    while np.prod((extents + 2 * radius) / cell + 2) > MAX_CELLS:
        cell *= 1.1
    return cell


def _crossings(
    triangles: NDArray[np.float64], across: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Where the surface crosses the columns of centres; `triangles` in units of cells.

    Returns
    -------
    For each crossing its column, x * across + y; its z; and 1 where the column enters the solid,
    -1 where it leaves it.
    """
    ends = np.cumsum(_columns(triangles))
    found = []
    start = 0
    while start < len(triangles):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + MAX_SPANS, side="right")))
        found.append(_crossed(triangles[start:stop], across))
        start = stop
    column, z, sign = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return column, z, sign


def _columns(triangles: NDArray[np.float64]) -> NDArray[np.int64]:
    first, last = _span(triangles)
    return np.prod(last - first, axis=1)


def _span(triangles: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(m, 2) the first columns that may meet each triangle, and the first beyond them."""
    plane = triangles[:, :, :2] - OFF_CENTRE
    return (
        np.ceil(plane.min(axis=1)).astype(np.int64),
        np.floor(plane.max(axis=1)).astype(np.int64) + 1,
    )


def _crossed(
    triangles: NDArray[np.float64], across: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    first, last = _span(triangles)
    wide = last - first  # (m, 2)
    counts = wide[:, 0] * wide[:, 1]
    which = np.repeat(np.arange(len(triangles)), counts)
    rank = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    x = first[which, 0] + rank // wide[which, 1]
    y = first[which, 1] + rank % wide[which, 1]
    a, b, c = triangles[which].transpose(1, 2, 0)  # each (3, n)
    px, py = x + OFF_CENTRE[0], y + OFF_CENTRE[1]
    u = (b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)
    v = (c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)
    w = (a[0] - px) * (b[1] - py) - (a[1] - py) * (b[0] - px)
    area = u + v + w
    met = ((u > 0) & (v > 0) & (w > 0)) | ((u < 0) & (v < 0) & (w < 0))
    z = (u * a[2] + v * b[2] + w * c[2])[met] / area[met]
    return (x * across + y)[met], z, -np.sign(area[met]).astype(np.int64)
