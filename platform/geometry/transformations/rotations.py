"""Rotation matrices: Euler angles in degrees, axis alignment."""

import math

import numpy as np
from numpy.typing import NDArray

IDENTITY = np.eye(3)
HALF_TURN = np.diag([1.0, -1.0, -1.0])  # about x
QUARTERS = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]  # cosine, sine
AXIS_TOLERANCE = 1e-6  # rad; a direction this near an axis is the axis


def product(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """a b, without BLAS: the same bits whatever library numpy was built with."""
    return np.einsum("ij,jk->ik", a, b)


def about_axis(axis: int, degrees: float) -> NDArray[np.float64]:
    """(3, 3): a right-handed rotation about x (0), y (1) or z (2); quarter turns are exact."""
    degrees = math.fmod(degrees, 360.0)
    quarters, rest = divmod(degrees, 90.0)
    if rest:
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    else:
        cosine, sine = QUARTERS[int(quarters) % 4]
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = IDENTITY.copy()
    matrix[[i, j], [i, j]] = cosine
    matrix[i, j], matrix[j, i] = -sine, sine
    return matrix


def from_degrees(x: float, y: float, z: float) -> NDArray[np.float64]:
    """(3, 3): about the fixed axes, x first, then y, then z."""
    return product(about_axis(2, z), product(about_axis(1, y), about_axis(0, x)))


def to_degrees(matrix: NDArray[np.float64]) -> tuple[float, float, float]:
    """The inverse of `from_degrees`; z is 0 where x and z turn about the same line."""
    y = math.atan2(-matrix[2, 0], math.hypot(matrix[0, 0], matrix[1, 0]))
    if math.hypot(matrix[0, 0], matrix[1, 0]) > AXIS_TOLERANCE:
        x = math.atan2(matrix[2, 1], matrix[2, 2])
        z = math.atan2(matrix[1, 0], matrix[0, 0])
    else:
        x, z = math.atan2(-matrix[1, 2], matrix[1, 1]), 0.0
    return math.degrees(x) + 0.0, math.degrees(y) + 0.0, math.degrees(z) + 0.0


def turning_down(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, 3): the smallest rotation that takes a unit vector to -z; exact along the axes."""
    x, y, z = snapped(direction)
    if z == 1.0:
        return HALF_TURN
    # Rodrigues' formula with the axis d x (-z) = (-y, x, 0) and the cosine -z.
    cross = np.array([[0.0, 0.0, x], [0.0, 0.0, y], [-x, -y, 0.0]])
    return IDENTITY + cross + product(cross, cross) / (1.0 - z)


def snapped(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """The direction itself, or the axis that it misses only by rounding."""
    axis = np.round(direction)
    near = np.abs(direction - axis).max() < AXIS_TOLERANCE and np.abs(axis).sum() == 1.0
    return axis + 0.0 if near else direction


def is_quarter_turn(matrix: NDArray[np.float64]) -> bool:
    """Whether it only exchanges and reverses axes, which rounds nothing."""
    return bool(np.isin(matrix, (-1.0, 0.0, 1.0)).all())
