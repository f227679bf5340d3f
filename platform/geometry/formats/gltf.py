"""glTF 2.0 reader (JSON and GLB): triangles of the scene, converted to millimetres and z up."""

import base64
import binascii
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from geometry.formats.gltf_writer import BINARY_CHUNK, JSON_CHUNK
from geometry.formats.merge_objects import join_open, joined
from geometry.formats.objects import FLATTENED, Notes, Part, Places, Taken, flattens, label
from geometry.formats.plain_text import plain_text
from geometry.formats.reader_checks import (
    ReadMesh,
    SiblingReader,
    check_facets,
    check_indices,
    external_reference,
    truncated,
    unreadable,
    unsupported_feature,
)

COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3}
LINE_MODES = range(4)  # points and lines
TRIANGLES, STRIP, FAN = 4, 5, 6
# Required extensions that change the look alone, or what is read below.
LIGHTS = "KHR_lights_"
HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", LIGHTS, "KHR_mesh_")
# y up to z up: (x, y, z) becomes (x, -z, y).
UPRIGHT = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
NOTHING = ReadMesh(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64), "m", frozenset())
DAMAGE = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)


def read(path: Path, beside: SiblingReader) -> ReadMesh:
    """Raises InputError: unreadable, truncated, too-large, external-reference,
    unsupported-feature."""
    with _opened(path, beside) as file:
        return file.content()


def read_parts(path: Path, beside: SiblingReader) -> Taken:
    """Each mesh of the scene as a part, with the places where its nodes put it.

    Raises InputError as `read` does.
    """
    with _opened(path, beside) as file:
        return file.taken()


@contextmanager
def _opened(path: Path, beside: SiblingReader) -> Iterator["_File"]:
    """Raises InputError, also for what goes wrong within."""
    data = path.read_bytes()
    is_binary = data.startswith(b"glTF")
    text, binary = _chunks(data) if is_binary else (plain_text(data, "gltf"), None)
    try:
        document = json.loads(text)
        if not str(document["asset"]["version"]).startswith("2."):
            raise unreadable("gltf", "it is not of version 2")
        for name in document.get("extensionsRequired", []):
            if not name.startswith(HARMLESS):
                raise unsupported_feature(f"the extension {name}")
        yield _File(document, binary, beside)
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

    def __init__(self, document: dict[str, Any], binary: bytes | None, beside: SiblingReader):
        self._document = document
        self._binary = binary
        self._beside = beside
        self._buffers: dict[int, bytes] = {}
        self._lost: set[str] = set()

    def content(self) -> ReadMesh:
        """All that the scene places, as one."""
        pieces, facets = [NOTHING], 0
        for mesh, matrix, _ in self._placed():
            if flattens(matrix):
                self._lost.add(FLATTENED)
                continue
            for vertices, faces in self._primitives(mesh):
                facets += len(faces)
                check_facets(facets)
                pieces.append(_moved(vertices, faces, matrix))
        return joined(pieces)._replace(lost=self._losses())

    def taken(self) -> Taken:
        places = Places()
        names: dict[int, str | None] = {}
        notes, parts, facets = Notes.empty(), [], 0
        for mesh, matrix, name in self._placed():
            names.setdefault(mesh, name)
            if flattens(matrix):
                notes.leave_out(FLATTENED, object=name)
                continue
            # Upright within its own coordinates: x' = U M U^-1 (U x) + U t.
            places.add(mesh, matrix @ UPRIGHT.T)
        for number, mesh in enumerate(self._document.get("meshes", [])):
            if number not in names:
                name = label(str(mesh.get("name") or ""))
                notes.leave_out("object that is placed nowhere", object=name)
        for mesh, stretch, instances in places.parts():
            matrix = np.eye(4)
            matrix[:3, :3] = stretch @ UPRIGHT[:3, :3]
            pieces = [NOTHING]
            for vertices, faces in self._primitives(mesh):
                facets += len(faces)
                check_facets(facets)
                pieces.append(_moved(vertices, faces, matrix))
            content = joined(pieces)
            if not len(content.faces):
                notes.leave_out("object without facets", object=names[mesh])
                continue
            color, material = self._look(mesh)
            parts.append(Part(str(mesh), names[mesh], content, instances, color, material))
        for what in sorted(self._losses()):
            if what != "materials" or not all(part.material or part.color for part in parts):
                notes.leave_out(what)
        return Taken(join_open(parts, notes), notes)

    def _losses(self) -> frozenset[str]:
        for key in ("materials", "textures", "animations", "skins", "cameras"):
            if self._document.get(key):
                self._lost.add(key)
        if len(self._document.get("scenes", [])) > 1:
            self._lost.add("other scenes")
        for name in self._document.get("extensionsUsed", []):
            if name.startswith(LIGHTS):
                self._lost.add("lights")
            elif not name.startswith(HARMLESS):
                self._lost.add(f"extension {str(name)[:80]}")
        return frozenset(self._lost)

    def _look(self, mesh: int) -> tuple[str | None, str | None]:
        """Colour and name of the material that all of a mesh has; of several, nothing."""
        used = {primitive.get("material") for primitive in self._mesh(mesh)["primitives"]}
        number = used.pop() if len(used) == 1 else None
        if number is None:
            return None, None
        material = _at(self._document["materials"], number)
        name = label(str(material.get("name") or ""))
        factor = material.get("pbrMetallicRoughness", {}).get("baseColorFactor")
        return factor and _hex(factor), name

    def _placed(self) -> Iterator[tuple[int, NDArray, str | None]]:
        """Each mesh where a node puts it: its index, (4, 4) with z up, and what it is called."""
        nodes = self._document.get("nodes", [])
        seen: set[int] = set()
        waiting = [(root, UPRIGHT) for root in reversed(self._roots())]
        while waiting:
            index, above = waiting.pop()
            node = _at(nodes, index)
            if index in seen:
                raise unreadable("gltf", "a node has two parents, or is its own ancestor")
            seen.add(index)
            own = _matrix(node)
            if not np.isfinite(own).all():
                raise unreadable("gltf", "a place of a node is not a number")
            matrix = above @ own
            waiting += [(child, matrix) for child in reversed(node.get("children", []))]
            if "mesh" in node:
                name = node.get("name") or self._mesh(node["mesh"]).get("name")
                yield node["mesh"], matrix, label(str(name)) if name else None

    def _mesh(self, index: Any) -> dict[str, Any]:
        return _at(self._document["meshes"], index)

    def _primitives(self, mesh: int) -> Iterator[tuple[NDArray, NDArray]]:
        """Vertices and faces of each of a mesh's pieces."""
        for primitive in self._mesh(mesh)["primitives"]:
            piece = self._primitive(primitive)
            if piece is not None:
                yield piece

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


def _moved(vertices: NDArray, faces: NDArray, matrix: NDArray) -> ReadMesh:
    """A piece where a (4, 4) matrix puts it; what is mirrored stays outside out."""
    if np.linalg.det(matrix[:3, :3]) < 0:
        faces = faces[:, ::-1]
    return ReadMesh(vertices @ matrix[:3, :3].T + matrix[:3, 3], faces, "m", frozenset())


def _hex(factor: list[float]) -> str:
    """#RRGGBB of a linear colour: sRGB, IEC 61966-2-1."""
    linear = np.clip(np.array(factor[:3], dtype=np.float64), 0.0, 1.0)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + bytes(np.rint(encoded * 255).astype(np.uint8).tolist()).hex().upper()


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
    with np.errstate(invalid="ignore"):  # what is not finite is refused later
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
