"""Decimated preview mesh (GLB) for viewers."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geometry.formats.gltf_writer import write_binary
from geometry.formats.stl.reader import read_triangles
from geometry.mesh import TRIANGLES_A_BLOCK, Mesh, triangle_areas
from geometry.mesh.welding import weld
from geometry.vertex_clustering import Clustered, cluster

PREVIEW_VERSION = 1

# Models beyond are made coarser on a grid first: the simplification takes 400 bytes a triangle.
MAX_TO_SIMPLIFY, CELLS = 1_500_000, 2048

# The thresholds of the simplification are absolute: all models get this diagonal for it.
DIAGONAL = 100.0
AGGRESSION = 5  # its threshold grows with this power: lower is finer and slower

GREY = {
    "pbrMetallicRoughness": {
        "baseColorFactor": [0.6, 0.62, 0.65, 1.0],
        "metallicFactor": 0.0,
        "roughnessFactor": 0.7,
    },
    "doubleSided": True,
}


def write_preview(path: str | os.PathLike, out: str | os.PathLike, *, triangles: int) -> int:
    """Write a canonical STL file as glTF binary (GLB) of at most so many triangles.

    Edges are collapsed by quadric error (M. Garland and P. Heckbert, "Surface simplification
    using quadric error metrics", 1997). Equal files give equal bytes.

    Returns the number of triangles. Raises InvalidMesh as `formats.stl.read_triangles` does.
    """
    whole = read_triangles(path)
    vertices, faces = _light(whole, triangles)
    write_binary(Mesh(vertices, faces), Path(out), material=GREY)
    return len(faces)


def _light(whole: NDArray[np.float32], most: int) -> tuple[NDArray, NDArray]:
    """Vertices (n, 3) and faces (m, 3) of a mesh that looks like triangles, (k, 3, 3)."""
    if len(whole) <= most:
        return weld(whole)

    corners = whole.reshape(-1, 3)
    low, high = corners.min(axis=0).astype(np.float64), corners.max(axis=0).astype(np.float64)
    size = float(np.linalg.norm(high - low))
    mesh = weld(whole) if len(whole) <= MAX_TO_SIMPLIFY else _clustered(whole, low, high)
    if len(mesh.faces) > most:
        # Only where it is used: every process that knows the version would load it.
        import fast_simplification

        points = (mesh.vertices - low) * (DIAGONAL / size)
        points, faces = fast_simplification.simplify(
            points, mesh.faces.astype(np.int32), target_count=most, agg=AGGRESSION
        )
        mesh = Clustered(points * (size / DIAGONAL) + low, faces)
    if 0 < len(mesh.faces) <= most:
        return mesh
    # Loose triangles have no edges to collapse.
    return weld(whole[np.sort(np.argsort(-triangle_areas(whole), kind="stable")[:most])])


def _clustered(whole: NDArray[np.float32], low: NDArray, high: NDArray) -> Clustered:
    def chunks():
        return (
            whole[start : start + TRIANGLES_A_BLOCK]
            for start in range(0, len(whole), TRIANGLES_A_BLOCK)
        )

    return cluster(chunks, low, float((high - low).max()), CELLS, MAX_TO_SIMPLIFY)
