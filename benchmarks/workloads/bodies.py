"""Bodies with bosses and holes, in families, or the STL files of a folder."""

from pathlib import Path

import numpy as np
from manifold3d import Error, Manifold, Mesh64
from numpy.typing import NDArray

from geometry.formats.stl import read_triangles
from geometry.mesh import InvalidMesh
from geometry.similarity import describe

Triangles = NDArray[np.float64]  # (m, 3, 3), mm

MAX_TRIANGLES = 60_000


def generated(families: int, sizes: int) -> dict[tuple[int, int], Triangles]:
    """By family and size."""
    rng = np.random.default_rng(0)
    return {
        (family, size): triangles_of(body(np.random.default_rng(family), 0.12 * rng.random(40)))
        for family in range(families)
        for size in range(sizes)
    }


def read(folder: Path) -> dict[tuple[int, int], Triangles]:
    """By number; each file is a family of its own."""
    parts = {}
    for number, path in enumerate(sorted(folder.rglob("*.[sS][tT][lL]"))):
        try:
            triangles = read_triangles(path, max_triangles=MAX_TRIANGLES).astype(np.float64)
            describe(path)
        except InvalidMesh as error:
            print(f"{path.name}: left out. {error}")
            continue
        parts[number, 0] = triangles
    return parts


def body(rng: np.random.Generator, change: NDArray[np.float64]) -> Manifold:
    """A block with bosses, holes and slots; `change` varies its measures, not its plan."""
    measures = iter(1 + change)
    x, y, z = (rng.uniform(8, 40) * next(measures) for _ in range(3))
    solid = Manifold.cube((x, y, z))
    for _ in range(rng.integers(1, 4)):
        at = rng.uniform(0.1, 0.9, 3) * (x, y, z)
        if rng.random() < 0.5:
            boss = Manifold.cube(tuple(rng.uniform(4, 20, 3) * next(measures)), center=True)
        else:
            radius = rng.uniform(2, 9) * next(measures)
            boss = Manifold.cylinder(rng.uniform(5, 30), radius, radius * rng.uniform(0.3, 1), 48)
            boss = boss.rotate(tuple(90 * rng.integers(0, 4, 3)))
        solid += boss.translate(tuple(at))
    for _ in range(rng.integers(1, 5)):
        hole = Manifold.cylinder(
            200, rng.uniform(0.8, 4) * next(measures), circular_segments=48, center=True
        )
        solid -= hole.rotate(tuple(90 * rng.integers(0, 2, 3))).translate(
            tuple(rng.uniform(0.2, 0.8, 3) * (x, y, z))
        )
    return solid


def triangles_of(solid: Manifold) -> Triangles:
    mesh = solid.to_mesh64()
    return mesh.vert_properties[:, :3][mesh.tri_verts]


def solid_of(triangles: Triangles) -> Manifold | None:
    """None where it is not closed."""
    vertices, faces = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    solid = Manifold(Mesh64(vertices, faces.reshape(-1, 3).astype(np.uint64)))
    return solid if solid.status() == Error.NoError and not solid.is_empty() else None
