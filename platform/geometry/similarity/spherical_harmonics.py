"""Rotation-invariant power spectrum of the distance field (spherical harmonics on shells)."""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.aabb_tree import AabbTree

# A change of any of these asks for another DESCRIPTOR_VERSION.
DEGREES = 9  # l = 0 to 8
SPHERES, DIRECTIONS = 24, 600
SHELLS = 8
REACH = 2.2  # normal frame
DECAY = 0.25  # normal frame
SCALE = 1.90  # the mean L1 distance of random parts becomes 2.0

ROTATIONS = 4608
FEW_DIRECTIONS = 24  # more than the 2 l + 1 harmonics of any degree
SUPER_FIBONACCI = np.sqrt(2.0), 1.533751168755204288118041


def harmonics_of(
    tree: AabbTree,
    *,
    spheres: int = SPHERES,
    directions: int = DIRECTIONS,
    below: float = math.inf,
) -> NDArray[np.float64]:
    """(SHELLS, 81): coefficients of exp(-(distance / DECAY)^2) about the origin.

    tree  : of a surface's triangles, in the normal frame
    below : distances beyond this count as this
    """
    radii = REACH * (np.arange(spheres) + 0.5) / spheres
    toward = _directions(directions)
    distances = tree.distances((radii[:, None, None] * toward).reshape(-1, 3), below=below)
    field = np.exp(-((distances / DECAY) ** 2)).reshape(spheres, directions)

    centres = np.linspace(REACH * 3 / 32, REACH, SHELLS)
    width = centres[1] - centres[0]
    hats = np.maximum(1 - np.abs(radii - centres[:, None]) / width, 0) * radii**2
    hats /= hats.sum(axis=1, keepdims=True)
    return hats @ field @ _real_harmonics(toward) / directions


def power_spectrum(harmonics: NDArray[np.float64]) -> NDArray[np.float64]:
    """(324,): what rotation and mirroring leave of them.

    The products of all pairs of shells, degree by degree, as in M. Kazhdan, T. Funkhouser and
    S. Rusinkiewicz, "Rotation invariant spherical harmonic representation of 3D shape
    descriptors" (2003), whose energies are the diagonal.
    """
    rows, columns = np.triu_indices(SHELLS)
    doubled = np.where(rows == columns, 1.0, np.sqrt(2.0))
    powers = []
    for degree in range(DEGREES):
        part = harmonics[:, _of(degree)]
        products = (part @ part.T)[rows, columns] * doubled
        powers.append(np.sign(products) * np.sqrt(np.abs(products)))
    return np.concatenate(powers) / SCALE


def correlated_rotations(
    a: NDArray[np.float64], b: NDArray[np.float64], *, hand: int, count: int, apart: float
) -> NDArray[np.float64]:
    """(count, 3, 3): orthogonal matrices that lay the field of `a` on that of `b`, best first.

    Parameters
    ----------
    a, b  : (SHELLS, 81), harmonics
    hand  : the determinant, 1 or -1
    apart : degrees between any two of them, at least
    """
    rotations, table = _rotation_table()
    products = []
    for degree in range(DEGREES):
        # Turned by -1, a harmonic of odd degree changes its sign.
        sign = hand**degree
        products.append(sign * (b[:, _of(degree)].T @ a[:, _of(degree)]).ravel())
    scores = table @ np.concatenate(products).astype(np.float32)
    chosen = well_apart(rotations, np.argsort(-scores, kind="stable"), count=count, apart=apart)
    return hand * rotations[chosen]


def well_apart(
    matrices: NDArray[np.float64], order: NDArray[np.int64], *, count: int, apart: float
) -> list[int]:
    """The first `count` of `order`; left out are those within `apart` degrees of one before.

    matrices : (n, 3, 3), orthogonal
    """
    least = 1 + 2 * np.cos(np.radians(apart))  # trace of a rotation by that angle
    chosen: list[int] = []
    free = np.ones(len(matrices), dtype=bool)
    for index in order:
        if free[index]:
            chosen.append(index)
            free &= np.einsum("nij,ij->n", matrices, matrices[index]) < least
            if len(chosen) == count:
                break
    return chosen


def _of(degree: int) -> slice:
    return slice(degree**2, (degree + 1) ** 2)


@cache
def _directions(count: int) -> NDArray[np.float64]:
    """(count, 3): a Fibonacci sphere."""
    index = np.arange(count) + 0.5
    z = 1 - 2 * index / count
    turn = index * np.pi * (3 - np.sqrt(5))
    flat = np.sqrt(1 - z * z)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)


def _real_harmonics(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 81): real and orthonormal over the sphere of area 4 pi, at (n, 3) unit vectors."""
    x, y, z = directions.T
    values = np.empty((len(directions), DEGREES**2))
    along = (x + 1j * y) ** 0
    start = np.full(len(z), np.sqrt(1 / (4 * np.pi)))
    for order in range(DEGREES):
        if order:
            along = along * (x + 1j * y)
            start = start * np.sqrt((2 * order + 1) / (2 * order))
        before, legendre = np.zeros(len(z)), start
        for degree in range(order, DEGREES):
            if degree > order:
                factor = np.sqrt((4 * degree**2 - 1) / (degree**2 - order**2))
                last = np.sqrt(((degree - 1) ** 2 - order**2) / (4 * (degree - 1) ** 2 - 1))
                before, legendre = legendre, factor * (z * legendre - last * before)
            middle = degree**2 + degree
            if order == 0:
                values[:, middle] = legendre
            else:
                values[:, middle + order] = np.sqrt(2) * legendre * along.real
                values[:, middle - order] = np.sqrt(2) * legendre * along.imag
    return values


def prepare() -> None:
    """Load the compiled loops, and make the table that comparisons read: 0.1 s.

    Once in a process and those forked from it.
    """
    from geometry.mesh import aabb_kernels  # noqa: F401

    _rotation_table()


@cache
def _rotation_table() -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Rotations spread evenly, (n, 3, 3), and what each does to harmonics, (n, 969).

    The rotations are a super-Fibonacci spiral (M. Alexa, CVPR 2022). What a rotation does to the
    harmonics of one degree is read off at a few directions, where they are known on both sides.
    """
    index = np.arange(ROTATIONS) + 0.5
    angles = [2 * np.pi * index / ratio for ratio in SUPER_FIBONACCI]
    inner, outer = np.sqrt(index / ROTATIONS), np.sqrt(1 - index / ROTATIONS)
    x, y = inner * np.sin(angles[0]), inner * np.cos(angles[0])
    z, w = outer * np.sin(angles[1]), outer * np.cos(angles[1])
    rotations = np.stack(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)

    directions = _directions(FEW_DIRECTIONS)
    still = _real_harmonics(directions)
    turned = _real_harmonics((directions @ rotations).reshape(-1, 3))  # at R^-1 u
    turned = turned.reshape(ROTATIONS, FEW_DIRECTIONS, -1)
    table = [
        (np.linalg.pinv(still[:, _of(degree)]) @ turned[:, :, _of(degree)]).reshape(ROTATIONS, -1)
        for degree in range(DEGREES)
    ]
    return rotations, np.concatenate(table, axis=1).astype(np.float32)
