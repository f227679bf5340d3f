"""Twins of a part: copies, damaged ones, mirror images, and some that are not the part."""

import numpy as np
from manifold3d import Manifold

from benchmarks.workloads.bodies import Triangles, solid_of, triangles_of


def twin(part: Triangles, kind: str, rng: np.random.Generator) -> Triangles | None:
    """None where the part does not allow it."""
    diagonal = float(np.linalg.norm(np.ptp(part.reshape(-1, 3), axis=0)))
    if kind == "subdivided":
        return subdivided(part)
    if kind == "soup":
        kept = part[rng.random(len(part)) > 0.05]
        flipped = rng.random(len(kept)) < 0.2
        return np.where(flipped[:, None, None], kept[:, ::-1], kept)
    if kind == "mirrored":
        return (part * [-1, 1, 1])[:, ::-1]
    if kind == "stretched":
        return part * rng.permutation([1.01, 1, 1])
    if kind == "noisy":
        return shaken(part, 2e-4 * diagonal, rng)
    if kind == "copy":
        return part

    solid = solid_of(part)
    if solid is None:
        return None
    if kind == "re-meshed":
        fine = triangles_of(solid.refine_to_length(diagonal / 25))
        return shaken(fine, 2e-5 * diagonal, rng)
    facet = part[rng.integers(len(part))]
    normal = np.cross(facet[1] - facet[0], facet[2] - facet[0])
    size = np.linalg.norm(normal)
    if not size:
        return None
    at = tuple(facet.mean(axis=0))
    if kind == "pimple":
        return triangles_of(solid + Manifold.sphere(0.005 * diagonal, 24).translate(at))
    x, y, z = normal / size
    drill = Manifold.cylinder(diagonal, 0.005 * diagonal, circular_segments=24, center=True)
    tilt, turn = np.degrees([np.arccos(np.clip(z, -1, 1)), np.arctan2(y, x)])
    return triangles_of(solid - drill.rotate((0, tilt, 0)).rotate((0, 0, turn)).translate(at))


def shaken(part: Triangles, far: float, rng: np.random.Generator) -> Triangles:
    """Each vertex moved by about so much."""
    vertices, faces = np.unique(part.reshape(-1, 3), axis=0, return_inverse=True)
    return (vertices + rng.normal(size=vertices.shape) * far)[faces].reshape(-1, 3, 3)


def subdivided(part: Triangles) -> Triangles:
    a, b, c = part.transpose(1, 0, 2)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    split = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.concatenate([np.stack(corners, axis=1) for corners in split])


def placed(part: Triangles, rng: np.random.Generator) -> tuple[Triangles, float]:
    """Turned, scaled, moved and shuffled; and the scale."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    scale = 10 ** rng.uniform(-1, 1.4)
    away = rng.normal(size=3) * np.ptp(part) * scale
    return rng.permutation(part @ turn.T * scale + away), scale
