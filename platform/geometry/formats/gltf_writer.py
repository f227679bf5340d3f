"""glTF 2.0 writer."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path

from geometry.formats.reader_checks import in_single_precision
from geometry.mesh import Mesh

# As glTF numbers them.
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963
UNSIGNED_SHORT, UNSIGNED_INT, FLOAT = 5123, 5125, 5126
JSON_CHUNK, BINARY_CHUNK = b"JSON", b"BIN\0"
RESTART = 65_535  # as a short index it restarts primitives
# Column by column: millimetres with z upwards to metres with y upwards.
TO_METRES = [0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0, 0, 0, 0, 1]


def write_binary(mesh: Mesh, path: Path, *, material: Mapping[str, object] | None = None) -> None:
    """GLB, after section 4 of the specification: header, JSON, buffer.

    Vertices stay in millimetres, as float32; the node turns them upright and into metres. There
    are no normals, so that viewers shade each triangle flat. Equal meshes give equal bytes.

    material : as glTF has it

    Raises InvalidMesh (not-finite).
    """
    document, buffer = _document(mesh, material)
    text = json.dumps(document, separators=(",", ":")).encode()
    chunks = [(JSON_CHUNK, _padded(text, b" ")), (BINARY_CHUNK, _padded(buffer, b"\0"))]
    body = b"".join(_word(len(content)) + kind + content for kind, content in chunks)
    path.write_bytes(b"glTF" + _word(2) + _word(12 + len(body)) + body)


def write_text(mesh: Mesh, path: Path) -> None:
    """One JSON file that holds its buffer. Raises InvalidMesh (not-finite)."""
    document, buffer = _document(mesh, None)
    data = base64.b64encode(buffer).decode()
    uri = f"data:application/octet-stream;base64,{data}"
    document["buffers"] = [{"byteLength": len(buffer), "uri": uri}]
    path.write_text(json.dumps(document))


def _document(mesh: Mesh, material: Mapping[str, object] | None) -> tuple[dict[str, object], bytes]:
    vertices, count = in_single_precision(mesh.vertices), len(mesh.vertices)
    short = count < RESTART
    places = vertices.tobytes()
    indices = mesh.faces.astype("<u2" if short else "<u4").tobytes()
    whole = len(places) + len(indices)
    look: dict[str, object] = {"material": 0} if material else {}
    box = {"min": vertices.min(axis=0).tolist(), "max": vertices.max(axis=0).tolist()}
    document: dict[str, object] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "matrix": TO_METRES}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, **look}]}],
        **({"materials": [material]} if material else {}),
        "accessors": [
            {"bufferView": 0, "componentType": FLOAT, "count": count, "type": "VEC3", **box},
            {
                "bufferView": 1,
                "componentType": UNSIGNED_SHORT if short else UNSIGNED_INT,
                "count": mesh.faces.size,
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
        "buffers": [{"byteLength": whole}],
    }
    return document, places + indices


def _word(number: int) -> bytes:
    return number.to_bytes(4, "little")


def _padded(data: bytes, filler: bytes) -> bytes:
    """To a multiple of four bytes."""
    return data + filler * (-len(data) % 4)
