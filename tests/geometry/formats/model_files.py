"""Small model files in every format, right and wrong ones, for the tests of the conversion."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np

CUBE = [(x, y, z) for x in (0.0, 10.0) for y in (0.0, 10.0) for z in (0.0, 10.0)]
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
HALVES = [half for a, b, c, d in SQUARES for half in ((a, b, c), (a, c, d))]

CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="model" '
    'ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Target="/3D/3dmodel.model" Id="r" '
    'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
)
CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"


def obj(vertices: list = CUBE, faces: list = SQUARES) -> str:
    lines = [f"v {x} {y} {z}" for x, y, z in vertices]
    return "\n".join(lines + ["f " + " ".join(str(i + 1) for i in face) for face in faces])


def off(vertices: list = CUBE, faces: list = SQUARES) -> str:
    lines = [f"{x} {y} {z}" for x, y, z in vertices]
    lines += [" ".join(map(str, (len(face), *face))) for face in faces]
    return "\n".join(["OFF", f"{len(vertices)} {len(faces)} 0", *lines])


def ply(vertices: list = CUBE, faces: list = SQUARES, promised: int | None = None) -> str:
    """promised : the number of faces that the header tells"""
    head = ["ply", "format ascii 1.0", f"element vertex {len(vertices)}"]
    head += [f"property float {axis}" for axis in "xyz"]
    head += [f"element face {len(faces) if promised is None else promised}"]
    head += ["property list uchar int vertex_indices", "end_header"]
    lines = [f"{x} {y} {z}" for x, y, z in vertices]
    return "\n".join(head + lines + [f"{len(f)} {' '.join(map(str, f))}" for f in faces])


def object_xml(vertices: list = CUBE, faces: list = HALVES) -> str:
    places = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in vertices)
    corners = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in faces)
    return (
        f'<object id="1" type="model"><mesh><vertices>{places}</vertices>'
        f"<triangles>{corners}</triangles></mesh></object>"
    )


def model_xml(
    objects: str = object_xml(),
    items: str = '<item objectid="1"/>',
    unit: str = "millimeter",
    doctype: str = "",
) -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{doctype}<model unit="{unit}" xmlns="{CORE}">'
        f"<resources>{objects}</resources><build>{items}</build></model>"
    )


def threemf(model: str) -> bytes:
    parts = {"[Content_Types].xml": CONTENT_TYPES, "_rels/.rels": RELATIONS}
    return archive({**parts, "3D/3dmodel.model": model})


def archive(entries: dict[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return packed.getvalue()


def gltf(uri: str = "cube.bin", **changes: object) -> str:
    """A cube of 10 in the file's unit, which is the metre, of a buffer at `uri`."""
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5121, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 36},
        ],
        "buffers": [{"uri": uri, "byteLength": 132}],
    }
    return json.dumps(document | changes)


def save(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def volume(triangles) -> float:
    """Of triangles, (n, 3, 3)."""
    a, b, c = np.asarray(triangles, dtype=np.float64).reshape(-1, 3, 3).transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)
