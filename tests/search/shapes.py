"""Small parts, and what may be done to them."""

import numpy as np
from numpy.typing import NDArray

from tests.conftest import CORNERS, SIDES, binary_stl


def box(x: float, y: float, z: float, at: tuple[float, float, float] = (0, 0, 0)) -> NDArray:
    """(12, 3, 3): a closed box."""
    return (CORNERS * [x, y, z] + at)[SIDES]


def bracket() -> NDArray:
    """(24, 3, 3): two arms of unequal length and breadth, and so without any symmetry."""
    return np.concatenate([box(60, 12, 5), box(8, 40, 20, (0, 12, 0)), box(6, 6, 30, (40, 3, 5))])


def bar() -> NDArray:
    """Nothing like the bracket."""
    return box(100, 4, 3)


def turned(part: NDArray, seed: int = 1, scale: float = 1.0, move: float = 30.0) -> NDArray:
    """The part in another place and attitude, its triangles in another order."""
    draw = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(draw.normal(size=(3, 3)))
    rotation[:, 0] *= np.sign(np.linalg.det(rotation))
    return draw.permutation(part @ rotation.T * scale + draw.normal(size=3) * move)


def mirrored(part: NDArray) -> NDArray:
    """The mirror image, its surface facing outward."""
    return (part * [-1, 1, 1])[:, ::-1]


def stl(part: NDArray) -> bytes:
    return binary_stl(part)
