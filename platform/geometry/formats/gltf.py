"""glTF 2.0, as JSON and as binary (GLB): the triangles of its scene, in millimetres' directions."""

import base64
import binascii
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from geometry.formats.checks import (
    Beside,
    Content,
    check_facets,
    check_indices,
    external_reference,
    truncated,
    unreadable,
    unsupported_feature,
)
from geometry.formats.gltf_writer import BINARY_CHUNK, JSON_CHUNK

COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3}
LINE_MODES = range(4)  # points and lines
TRIANGLES, STRIP, FAN = 4, 5, 6
# Required extensions that change the look alone, or what is read below.
HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_mesh_")
# y up to z up: (x, y, z) becomes (x, -z, y).
UPRIGHT = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
DAMAGE = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)


def read(path: Path, beside: Beside) -> Content:
    """Raises Refusal: unreadable, truncated, too-large, external-reference,
    unsupported-feature."""
    data = path.read_bytes()
    text, binary = _chunks(data) if data.startswith(b"glTF") else (data, None)
    try:
        document = json.loads(text)
        if not str(document["asset"]["version"]).startswith("2."):
            raise unreadable("gltf", "it is not of version 2")
        for name in document.get("extensionsRequired", []):
            if not name.startswith(HARMLESS):
                raise unsupported_feature(f"the extension {name}")
        return _File(document, binary, beside).content()
    except (*DAMAGE, RecursionError) as error:
        raise unreadable("gltf", "its structure is damaged") from error


def _chunks(data: bytes) -> tuple[bytes, bytes | None]:
    """The JSON and the binary chunk of a GLB."""
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(data):
        length, kind = int.from_bytes(data[at : at + 4], "little"), data[at + 4 : at + 8]
        if length > len(data) - at - 8:
            raise truncated(length, "bytes of a chunk", len(data) - at - 8)
        found.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 8 + length
    if JSON_CHUNK not in found:
        raise unreadable("glb", "it has no JSON chunk")
    return found[JSON_CHUNK], found.get(BINARY_CHUNK)


def _at(items: list, index: Any) -> Any:
    """An item by an index from the file: Python's own would count negative ones from the end."""
    if type(index) is not int or index < 0:
        raise IndexError(index)
    return items[index]


class _File:
    """One document while it is read."""

    def __init__(self, document: dict[str, Any], binary: bytes | None, beside: Beside):
        self._document = document
        self._binary = binary
        self._beside = beside
        self._buffers: dict[int, bytes] = {}
        self._lost: set[str] = set()

    def content(self) -> Content:
        parts = self._parts()
        starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)]).tolist()
        places = [np.empty((0, 3))] + [vertices for vertices, _ in parts]
        faces = [np.empty((0, 3), dtype=np.int64)]
        faces += [indices + start for (_, indices), start in zip(parts, starts, strict=False)]
        for key in ("materials", "textures", "animations", "skins", "cameras"):
            if self._document.get(key):
                self._lost.add(key)
        vertices, joined = np.concatenate(places), np.concatenate(faces)
        return Content(vertices, joined, "m", frozenset(self._lost))

    def _parts(self) -> list[tuple[NDArray, NDArray]]:
        """Vertices and faces of each primitive where its node puts it."""
        nodes, parts, facets = self._document.get("nodes", []), [], 0
        seen: set[int] = set()
        waiting = [(root, UPRIGHT) for root in self._roots()]
        while waiting:
            index, above = waiting.pop()
            node = _at(nodes, index)
            if index in seen:
                raise unreadable("gltf", "a node has two parents, or is its own ancestor")
            seen.add(index)
            matrix = above @ _matrix(node)
            waiting += [(child, matrix) for child in node.get("children", [])]
            if "mesh" not in node:
                continue
            for primitive in _at(self._document["meshes"], node["mesh"])["primitives"]:
                part = self._primitive(primitive)
                if part is None:
                    continue
                vertices, faces = part
                facets += len(faces)
                check_facets(facets)
                if np.linalg.det(matrix[:3, :3]) < 0:
                    faces = faces[:, ::-1]
                parts.append((vertices @ matrix[:3, :3].T + matrix[:3, 3], faces))
        return parts

    def _roots(self) -> list[int]:
        scenes = self._document.get("scenes")
        if scenes:
            return _at(scenes, self._document.get("scene", 0)).get("nodes", [])
        nodes = self._document.get("nodes", [])
        children = {child for node in nodes for child in node.get("children", [])}
        return [index for index in range(len(nodes)) if index not in children]

    def _primitive(self, primitive: dict[str, Any]) -> tuple[NDArray, NDArray] | None:
        mode = primitive.get("mode", TRIANGLES)
        if mode in LINE_MODES:
            self._lost.add("points and lines")
            return None
        attributes = primitive["attributes"]
        for prefix, name in (("TEXCOORD", "texture coordinates"), ("COLOR", "colours")):
            if any(attribute.startswith(prefix) for attribute in attributes):
                self._lost.add(name)
        if primitive.get("targets"):
            self._lost.add("morph targets")
        vertices = self._accessor(attributes["POSITION"]).astype(np.float64)
        if "indices" in primitive:
            corners = self._accessor(primitive["indices"]).reshape(-1).astype(np.int64)
        else:
            corners = np.arange(len(vertices))
        check_indices("gltf", corners, len(vertices))
        return vertices.reshape(-1, 3), _faces(mode, corners)

    def _accessor(self, index: Any) -> NDArray:
        """(count, width), as it lies in its buffer."""
        accessor = _at(self._document["accessors"], index)
        if "sparse" in accessor or "bufferView" not in accessor:
            raise unsupported_feature("sparse or empty accessors")
        view = _at(self._document["bufferViews"], accessor["bufferView"])
        kind, width = np.dtype(COMPONENTS[accessor["componentType"]]), WIDTHS[accessor["type"]]
        count, size = accessor["count"], kind.itemsize * width
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", 0) or size
        held = view["byteLength"] - accessor.get("byteOffset", 0)
        if any(type(n) is not int or n < 0 for n in (count, start, stride, held)):
            raise ValueError(accessor)
        buffer = self._buffer(view["buffer"])
        held = min(held, len(buffer) - start)
        if count and stride * (count - 1) + size > held:
            raise truncated(count, "entries of an accessor", max(held, 0) // max(stride, 1))
        values = np.ndarray((count, width), kind, buffer, start, (stride, kind.itemsize))
        if accessor.get("normalized") and kind.kind in "iu":
            return np.maximum(values / np.iinfo(kind).max, -1.0)
        return values

    def _buffer(self, index: Any) -> bytes:
        if index not in self._buffers:
            buffer = _at(self._document["buffers"], index)
            data = self._fetch(buffer.get("uri"))
            if buffer["byteLength"] > len(data):
                raise truncated(buffer["byteLength"], "bytes of a buffer", len(data))
            self._buffers[index] = data
        return self._buffers[index]

    def _fetch(self, uri: str | None) -> bytes:
        """Bytes within the file, or of an entry beside it: nothing else is ever opened."""
        if uri is None:
            if self._binary is None:
                raise unreadable("gltf", "a buffer has no bytes")
            return self._binary
        head, comma, body = uri.partition(",")
        if uri.startswith("data:"):
            if not (comma and head.endswith(";base64")):
                raise unreadable("gltf", "a buffer's data is not in base64")
            try:
                return base64.b64decode(body, validate=True)
            except binascii.Error as error:
                raise unreadable("gltf", "a buffer's base64 is damaged") from error
        data = self._beside(unquote(uri))
        if data is None:
            raise external_reference(uri)
        return data


def _matrix(node: dict[str, Any]) -> NDArray[np.float64]:
    """(4, 4): the place of a node within its parent."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    x, y, z, w = (float(part) for part in node.get("rotation", (0, 0, 0, 1)))
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), dtype=np.float64)
    matrix[:3, 3] = node.get("translation", (0, 0, 0))
    return matrix


def _faces(mode: int, corners: NDArray[np.int64]) -> NDArray[np.int64]:
    if mode == TRIANGLES:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if len(corners) < 3:
        return np.empty((0, 3), dtype=np.int64)
    if mode == FAN:
        first = np.full(len(corners) - 2, corners[0])
        return np.stack([first, corners[1:-1], corners[2:]], axis=1)
    if mode != STRIP:
        raise ValueError(mode)
    strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    strip[1::2] = strip[1::2, [1, 0, 2]]  # every second one is turned
    return strip
