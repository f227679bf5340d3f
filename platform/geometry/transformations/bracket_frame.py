"""Bracket: a rectangular frame joined to the mesh."""

import numpy as np
from manifold3d import Error, Manifold, Mesh64
from numpy.typing import NDArray

from geometry.transformations.streamed_mesh import Body, CannotShape, check_finite, flipped

OVERLAP = 0.01  # mm; how far a frame that is to be joined reaches into the model's box
JOINED_TRIANGLES = 1_500_000  # more would take a worker more than 2 GB


def frame(
    inner: tuple[NDArray[np.float64], NDArray[np.float64]],
    outer: tuple[NDArray[np.float64], NDArray[np.float64]],
    bottom: float,
    top: float,
) -> NDArray[np.float64]:
    """(9, 32): a closed ring of 16 vertices between two rectangles, and two heights, in mm.

    inner, outer : lowest and highest corner of each rectangle, (2,)

    Raises CannotShape: no-extent where the ring is so thin that float32 tells no sides apart, and
    not-finite.
    """
    loops = [_loop(*rectangle, height) for height in (bottom, top) for rectangle in (outer, inner)]
    outer_low, inner_low, outer_high, inner_high = loops
    check_finite(*loops)
    rounded = [loop.astype(np.float32) for loop in loops]
    thin = (rounded[0][:, :2] == rounded[1][:, :2]).any()
    if thin or rounded[0][0, 2] == rounded[2][0, 2]:
        raise CannotShape(
            "no-extent",
            "The bracket's width or thickness is too small beside the model's coordinates to be "
            "stored in an STL's 32-bit numbers. Make it larger, or move the model to the origin.",
        )
    triangles = []
    for i in range(4):
        j = (i + 1) % 4
        for a, b, c, d in [
            (outer_low[i], outer_low[j], outer_high[j], outer_high[i]),
            (inner_low[j], inner_low[i], inner_high[i], inner_high[j]),
            (outer_high[i], outer_high[j], inner_high[j], inner_high[i]),
            (outer_low[j], outer_low[i], inner_low[i], inner_low[j]),
        ]:
            triangles += [(a, b, c), (a, c, d)]
    return np.array(triangles).reshape(-1, 9).T


def join(body: Body, facets: NDArray[np.float64]) -> bool:
    """Unite the body with the (9, k) facets of a closed shell, by an exact boolean operation.

    A body that is inside out is turned right side out. Returns False, and leaves the body as it
    is, if it is not closed or very large.
    """
    solid = _solid(body)
    if solid is None:
        return False
    union = solid + Manifold(_mesh(facets))
    mesh = union.to_mesh64()
    corners = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    body.replace(np.ascontiguousarray(corners.reshape(-1, 9).T))
    return True


def _solid(body: Body) -> Manifold | None:
    parts, triangles = [], 0
    for facets in body.facets():
        triangles += facets.shape[1]
        if triangles > JOINED_TRIANGLES:
            return None
        parts.append(facets)
    whole = np.concatenate(parts, axis=1)
    solid = Manifold(_mesh(whole))
    if solid.volume() < 0:
        solid = Manifold(_mesh(flipped(whole)))
    closed = solid.status() == Error.NoError and not solid.is_empty()
    return solid if closed else None


def _mesh(facets: NDArray[np.float64]) -> Mesh64:
    corners = np.ascontiguousarray(facets.T.reshape(-1, 3))
    mesh = Mesh64(corners, np.arange(len(corners), dtype=np.uint64).reshape(-1, 3))
    mesh.merge()
    return mesh


def _loop(low: NDArray, high: NDArray, height: float) -> NDArray[np.float64]:
    """(4, 3): a rectangle's corners, counter-clockwise from above."""
    (x0, y0), (x1, y1) = low, high
    return np.array([(x0, y0, height), (x1, y0, height), (x1, y1, height), (x0, y1, height)])
