"""A light copy of a model for viewers: glTF binary of few triangles."""

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geometry.clustering import Clustered, cluster
from geometry.formats.gltf import TO_METRES
from geometry.formats.stl.reader import read_triangles
from geometry.mesh import TRIANGLES_A_BLOCK, triangle_areas
from geometry.welding import weld

PREVIEW_VERSION = 1

# Models beyond are made coarser on a grid first: the simplification takes 400 bytes a triangle.
MOST_TO_SIMPLIFY, CELLS = 1_500_000, 2048

# The thresholds of the simplification are absolute: all models get this diagonal for it.
DIAGONAL = 100.0
AGGRESSION = 5  # its threshold grows with this power: lower is finer and slower

# As glTF numbers them.
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963
UNSIGNED_SHORT, UNSIGNED_INT, FLOAT = 5123, 5125, 5126
GREY = {
    "pbrMetallicRoughness": {
        "baseColorFactor": [0.6, 0.62, 0.65, 1.0],
        "metallicFactor": 0.0,
        "roughnessFactor": 0.7,
    },
    "doubleSided": True,
}


def write_preview(
    path: str | os.PathLike, out: str | os.PathLike, *, triangles: int = 50_000
) -> int:
    """Write a canonical STL file as glTF binary (GLB) of at most so many triangles.

    Edges are collapsed by quadric error (M. Garland and P. Heckbert, "Surface simplification
    using quadric error metrics", 1997). Vertices stay in the model's millimetres; the one node
    turns them upright and into metres, as glTF has it. There are no normals, so that viewers
    shade each triangle flat. Equal files give equal bytes.

    Returns the number of triangles. Raises InvalidMesh as `formats.stl.read_triangles` does.
    """
    whole = read_triangles(path)
    vertices, faces = _light(whole, triangles)
    with open(out, "wb") as file:
        file.write(_glb(vertices.astype(np.float32), faces))
    return len(faces)


def _light(whole: NDArray[np.float32], most: int) -> tuple[NDArray, NDArray]:
    """Vertices (n, 3) and faces (m, 3) of a mesh that looks like triangles, (k, 3, 3)."""
    if len(whole) <= most:
        return weld(whole)

    corners = whole.reshape(-1, 3)
    low, high = corners.min(axis=0).astype(np.float64), corners.max(axis=0).astype(np.float64)
    size = float(np.linalg.norm(high - low))
    mesh = weld(whole) if len(whole) <= MOST_TO_SIMPLIFY else _clustered(whole, low, high)
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

    return cluster(chunks, low, float((high - low).max()), CELLS, MOST_TO_SIMPLIFY)


def _glb(vertices: NDArray[np.float32], faces: NDArray) -> bytes:
    """A file after section 4 of the glTF 2.0 specification: header, JSON, buffer."""
    short = len(vertices) < 65_535  # 65,535 itself restarts primitives
    indices = faces.astype("<u2" if short else "<u4").tobytes()
    places = vertices.astype("<f4").tobytes()
    document: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "matrix": TO_METRES}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [GREY],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": FLOAT,
                "count": len(vertices),
                "type": "VEC3",
                "min": vertices.min(axis=0).tolist(),
                "max": vertices.max(axis=0).tolist(),
            },
            {
                "bufferView": 1,
                "componentType": UNSIGNED_SHORT if short else UNSIGNED_INT,
                "count": faces.size,
                "type": "SCALAR",
            },
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(places), "target": ARRAY_BUFFER},
            {
                "buffer": 0,
                "byteOffset": len(places),
                "byteLength": len(indices),
                "target": ELEMENT_ARRAY_BUFFER,
            },
        ],
        "buffers": [{"byteLength": len(places) + len(indices)}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    chunks = [(b"JSON", _padded(text, b" ")), (b"BIN\0", _padded(places + indices, b"\0"))]
    body = b"".join(len(data).to_bytes(4, "little") + kind + data for kind, data in chunks)
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body


def _padded(data: bytes, filler: bytes) -> bytes:
    """To a multiple of four bytes."""
    return data + filler * (-len(data) % 4)
