"""PLY, Stanford's polygon file format, as text and in both byte orders."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.plain_text import PADDING, plain_text
from geometry.formats.polygons import triangulate
from geometry.formats.reader_checks import (
    ReadMesh,
    SiblingReader,
    check_corners,
    check_indices,
    name_faces,
    short_faces,
    truncated,
    unreadable,
    unsupported_feature,
)
from geometry.mesh import Mesh

TYPES = {
    **{"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"},
    **{"float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2"},
    **{"uint16": "u2", "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8"},
}
ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
MAX_HEADER = 1 << 16
CORNERS = ("vertex_indices", "vertex_index")
NAMED = {
    **dict.fromkeys(("nx", "ny", "nz"), "normals"),
    **dict.fromkeys(("red", "green", "blue", "alpha", "diffuse_red"), "colours"),
    **dict.fromkeys(("diffuse_green", "diffuse_blue", "r", "g", "b"), "colours"),
    **dict.fromkeys(("s", "t", "u", "v", "texcoord", "texnumber"), "texture coordinates"),
    **dict.fromkeys(("texture_u", "texture_v"), "texture coordinates"),
}


class _Property(NamedTuple):
    name: str
    kind: str
    length: str | None  # the type of its length, where it is a list


class _Element(NamedTuple):
    name: str
    entries: int
    properties: list[_Property]


# The values of a property: (count,), or for a list its lengths and all its values.
_Values = dict[str, Any]
_Reader = Callable[[_Element], _Values]


def read(path: Path, beside: SiblingReader) -> ReadMesh:
    """Raises InputError: unreadable, truncated, too-large, unsupported-feature."""
    data = path.read_bytes()
    if not data.startswith(b"ply"):
        data = plain_text(data, "ply")
    try:
        order, elements, body = _header(data)
        read_element = _text(data[body:]) if order == "" else _binary(data, body, order)
        found = {element.name: read_element(element) for element in elements}
        vertex, face = found["vertex"], found.get("face", {})
        vertices = np.stack([vertex[axis] for axis in "xyz"], axis=1).astype(np.float64)
    except (ValueError, KeyError, IndexError, OverflowError, UnicodeDecodeError) as error:
        raise unreadable("ply", "its header or its numbers are damaged") from error
    if "tristrips" in found:
        raise unsupported_feature("triangle strips in a PLY")
    faces = next((face[name] for name in CORNERS if name in face), None)
    others = sorted(set(found) - {"vertex", "face"})
    lost = {f"other elements: {', '.join(others)}"[:255]} if others else set()
    lost |= _lost(set(vertex) - set("xyz")) | _lost(set(face) - set(CORNERS))
    if not isinstance(faces, tuple):
        return ReadMesh(vertices, np.empty((0, 3), np.int64), None, frozenset(lost))
    sizes, corners = (values.astype(np.int64) for values in faces)
    check_corners("ply", sizes)
    short = short_faces(sizes, corners)
    lost |= name_faces(short)
    corners, sizes = corners[np.repeat(~short, sizes)], sizes[~short]
    check_indices("ply", corners, len(vertices))
    return ReadMesh(vertices, triangulate(vertices, sizes, corners), None, frozenset(lost))


def write(mesh: Mesh, path: Path) -> None:
    """Binary, with double coordinates: what is read back has the same bits."""
    faces = np.empty(len(mesh.faces), dtype=[("size", "u1"), ("corners", "<i4", 3)])
    faces["size"], faces["corners"] = 3, mesh.faces
    header = (
        "ply\nformat binary_little_endian 1.0\ncomment millimetres\n"
        f"element vertex {len(mesh.vertices)}\n"
        "property double x\nproperty double y\nproperty double z\n"
        f"element face {len(mesh.faces)}\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    path.write_bytes(header.encode() + mesh.vertices.astype("<f8").tobytes() + faces.tobytes())


def _lost(properties: set[str]) -> set[str]:
    """What these properties are called; of those without a name which they are."""
    unnamed = sorted(properties - NAMED.keys())
    ignored = {f"other properties: {', '.join(unnamed)}"[:255]} if unnamed else set()
    return ignored | {NAMED[name] for name in properties & NAMED.keys()}


def _header(data: bytes) -> tuple[str, list[_Element], int]:
    """The byte order ("" for text), the elements, and where the body begins."""
    end = data.find(b"end_header", 0, MAX_HEADER)
    newline = b"\n" if b"\n" in data[:end] else b"\r"
    body = data.find(newline, end) + 1
    if not data.startswith(b"ply") or end < 0 or not body:
        raise unreadable("ply", "it has no complete header")
    order, elements = "", []
    for line in data[:end].decode("latin-1").splitlines():
        match line.split():
            case ["format", kind, _]:
                order = ORDERS[kind]
            case ["element", name, count]:
                elements.append(_Element(name, int(count), []))
                if int(count) < 0:
                    raise ValueError(count)
            case ["property", "list", length, kind, name]:
                elements[-1].properties.append(_Property(name, TYPES[kind], TYPES[length]))
            case ["property", kind, name]:
                elements[-1].properties.append(_Property(name, TYPES[kind], None))
    if not all(element.properties for element in elements):
        raise unreadable("ply", "it has an element without properties")
    return order, elements, body


def _text(body: bytes) -> _Reader:
    """A reader of one element after the other."""
    words = iter(body.rstrip(PADDING).split())
    left = len(body) // 2 + 1  # no more numbers than that

    def read_element(element: _Element) -> _Values:
        if element.entries * len(element.properties) > left:
            raise truncated(element.entries, f"lines of {element.name}", left)
        columns: dict[str, list[float]] = {p.name: [] for p in element.properties}
        lengths: dict[str, list[int]] = {p.name: [] for p in element.properties}
        for _ in range(element.entries):
            for name, _, length in element.properties:
                count = 1 if length is None else int(_next(words, element))
                if length is not None:
                    lengths[name].append(count)
                columns[name] += [float(_next(words, element)) for _ in range(count)]
        return {
            name: np.array(columns[name])
            if length is None
            else (np.array(lengths[name], dtype=np.int64), _whole(columns[name]))
            for name, _, length in element.properties
        }

    return read_element


def _next(words: Iterator[bytes], element: _Element) -> bytes:
    for word in words:
        return word
    title = f"it ends before its {element.entries:,} lines of {element.name} do"
    raise unreadable("ply", title)


def _whole(values: list[float]) -> NDArray[np.int64]:
    return np.fromiter(map(int, values), np.int64, len(values))


def _binary(data: bytes, start: int, order: str) -> _Reader:
    """A reader of one element after the other."""
    at = start

    def read_element(element: _Element) -> _Values:
        nonlocal at
        smallest = sum(np.dtype(p.length or p.kind).itemsize for p in element.properties)
        held = (len(data) - at) // smallest
        if element.entries > held:
            raise truncated(element.entries, f"entries of {element.name}", held)
        layout = _layout(data, at, order, element)
        if layout is not None and element.entries * layout.itemsize <= len(data) - at:
            table = np.frombuffer(data, layout, element.entries, at)
            if _equally_long(table, element):
                at += table.nbytes
                return _columns(table, element)
        values, at = _one_by_one(data, at, order, element)
        return values

    return read_element


def _layout(data: bytes, at: int, order: str, element: _Element) -> np.dtype | None:
    """That of each entry if its list, of which it has one at most, is as long as the first's."""
    fields: list[tuple] = []
    for name, kind, length in element.properties:
        if length is None:
            fields.append((name, order + kind))
        elif any(len(field) > 2 for field in fields):
            return None
        elif element.entries:
            before = at + np.dtype(fields).itemsize
            first = int(np.frombuffer(data, order + length, 1, before)[0])
            fields += [(f"length of {name}", order + length), (name, order + kind, (first,))]
    return np.dtype(fields) if element.entries else None


def _equally_long(table: NDArray, element: _Element) -> bool:
    return all(
        (table[f"length of {p.name}"] == table.dtype[p.name].shape[0]).all()
        for p in element.properties
        if p.length is not None
    )


def _columns(table: NDArray, element: _Element) -> _Values:
    return {
        p.name: table[p.name]
        if p.length is None
        else (table[f"length of {p.name}"], table[p.name].reshape(-1))
        for p in element.properties
    }


def _one_by_one(data: bytes, at: int, order: str, element: _Element) -> tuple[_Values, int]:
    """Where the lists differ in length: entry by entry, since each begins where the last ends."""
    columns: dict[str, list] = {p.name: [] for p in element.properties}
    lengths: dict[str, list[int]] = {p.name: [] for p in element.properties}
    for _ in range(element.entries):
        for name, kind, length in element.properties:
            count = 1
            if length is not None:
                count = int(np.frombuffer(data, order + length, 1, at)[0])
                at += np.dtype(length).itemsize
                lengths[name].append(count)
            column = np.frombuffer(data, order + kind, max(count, 0), at)
            at += column.nbytes
            columns[name].append(column)
    values: _Values = {}
    for name, _, length in element.properties:
        column = np.concatenate(columns[name]) if columns[name] else np.empty(0)
        values[name] = column if length is None else (np.array(lengths[name], np.int64), column)
    return values, at
