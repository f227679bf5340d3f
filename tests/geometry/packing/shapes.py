"""Triangles of simple bodies to pack."""

import numpy as np
from numpy.typing import NDArray

from geometry.packing.request import PackItem, Placement, orientations
from tests.geometry.shapes import box


def boxes(*pairs: tuple[tuple, tuple]) -> NDArray[np.float32]:
    """Several boxes as one body; they may touch and overlap."""
    return np.concatenate([box(low, high) for low, high in pairs])


def cuboid(x: float, y: float, z: float) -> NDArray[np.float32]:
    return box((0, 0, 0), (x, y, z))


def corner() -> NDArray[np.float32]:
    """A body that no rotation but the identity maps onto itself."""
    return boxes(((0, 0, 0), (12, 5, 3)), ((0, 0, 0), (4, 9, 3)), ((0, 0, 0), (3, 3, 7)))


def cup(size: float, wall: float) -> NDArray[np.float32]:
    """Open at the top."""
    inner = size - wall
    return boxes(
        ((0, 0, 0), (size, size, wall)),
        ((0, 0, 0), (wall, size, size)),
        ((inner, 0, 0), (size, size, size)),
        ((0, 0, 0), (size, wall, size)),
        ((0, inner, 0), (size, size, size)),
    )


def cage(size: float, bar: float) -> NDArray[np.float32]:
    """The twelve edges of a cube."""
    far = size - bar
    bars = []
    for axis in range(3):
        for u in (0, far):
            for v in (0, far):
                low = [u, v]
                low.insert(axis, 0)
                high = [u + bar, v + bar]
                high.insert(axis, size)
                bars.append((tuple(low), tuple(high)))
    return boxes(*bars)


def ring(size: float, bar: float, thick: float) -> NDArray[np.float32]:
    """A square ring about z."""
    far = size - bar
    return boxes(
        ((0, 0, 0), (size, bar, thick)),
        ((0, far, 0), (size, size, thick)),
        ((0, 0, 0), (bar, size, thick)),
        ((far, 0, 0), (size, size, thick)),
    )


def piece(triangles: NDArray[np.float32], quantity: int = 1, policy: str = "free") -> PackItem:
    return PackItem("part.stl", triangles, quantity, orientations(policy))


def moved(triangles: NDArray[np.float32], placement: Placement) -> NDArray[np.float64]:
    """(n, 3) the corners where they are placed."""
    corners = triangles.reshape(-1, 3).astype(np.float64)
    return corners @ placement.transform[:3, :3].T + placement.transform[:3, 3]
