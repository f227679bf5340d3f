"""Surface point sampling: uniform by area, or feature-preserving."""

import numpy as np
from numpy.typing import NDArray

from geometry.similarity.normalized_surface import NormalForm

SEED = 1  # the same surface has the same points


def spread_points(surface: NormalForm, count: int) -> NDArray[np.float64]:
    """(count, 3), normal frame: evenly by area."""
    steps = (np.arange(count) + 0.5) / count
    return _on_facets(surface, _drawn(surface.areas, steps))


def probe_points(surface: NormalForm, count: int) -> NDArray[np.float64]:
    """(count, 3), normal frame, in an order of which any beginning is a fair choice.

    Half by area. Half by the directions that facets look into, each by the root of its area: by
    area alone a plate is little more than its two large sides, which match in any pose about its
    axis; and if all directions counted alike, a pimple would be half of the part.
    """
    rng = np.random.default_rng(SEED)
    grid = np.indices((3, 3, 3)).reshape(3, -1).T - 1.0
    directions = grid[14:] / np.linalg.norm(grid[14:], axis=1, keepdims=True)  # 13 and opposites
    sides = np.abs(surface.normals @ directions.T).argmax(axis=1)
    of_side = np.bincount(sides, weights=surface.areas, minlength=len(directions))
    by_side = surface.areas / np.sqrt(of_side[sides])
    half = count // 2
    facets = [_drawn(surface.areas, rng.random(half)), _drawn(by_side, rng.random(count - half))]
    return _on_facets(surface, rng.permutation(np.concatenate(facets)))


def corner_points(surface: NormalForm, count: int) -> NDArray[np.float64]:
    """(count, 3), normal frame: random corners, of which a small feature has its share."""
    chosen = np.random.default_rng(SEED).choice(surface.vertices, count)
    return surface.triangles.reshape(-1, 3)[chosen]


def _drawn(weights: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.int64]:
    """Indices at these shares, 0 to 1, of the running sum of the weights."""
    running = np.cumsum(weights)
    return np.minimum(np.searchsorted(running, at * running[-1], side="right"), len(weights) - 1)


def _on_facets(surface: NormalForm, facets: NDArray[np.int64]) -> NDArray[np.float64]:
    """A random point of each."""
    u, v = np.random.default_rng(SEED).random((2, len(facets), 1))
    root = np.sqrt(u)
    a, b, c = surface.triangles[facets].transpose(1, 0, 2)
    return (1 - root) * a + root * (1 - v) * b + root * v * c
