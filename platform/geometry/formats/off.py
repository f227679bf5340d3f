"""OFF, the Object File Format of Geomview, as text."""

import re
from itertools import chain
from pathlib import Path

import numpy as np

from geometry.formats.plain_text import plain_text
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

HEADER = re.compile(rb"(ST)?(C)?(N)?(4)?(n)?OFF")


def read(path: Path, beside: SiblingReader) -> ReadMesh:
    """Raises InputError: unreadable, truncated, too-large, unsupported-feature."""
    text = plain_text(path.read_bytes(), "off")
    rows = (line.partition(b"#")[0].split() for line in text.splitlines())
    lines = [words for words in rows if words]
    header = HEADER.fullmatch(lines[0][0]) if lines else None
    if header is None:
        raise unreadable("off", "its first word is not OFF")
    textured, coloured, normals, four, many = header.groups()
    if four or many or lines[0][1:2] == [b"BINARY"]:
        raise unsupported_feature("binary OFF or more than three dimensions")
    lines[0] = lines[0][1:]
    lines = lines if lines[0] else lines[1:]
    try:
        vertex_count, face_count = (int(word) for word in lines[0][:2])
    except (ValueError, IndexError) as error:
        raise unreadable("off", "it does not say how many vertices and faces it has") from error
    if min(vertex_count, face_count) < 0:
        raise unreadable("off", "it has a negative number of vertices or faces")
    if vertex_count + face_count > len(lines) - 1:
        raise truncated(vertex_count + face_count, "vertices and faces", len(lines) - 1)
    rest = lines[1 + vertex_count : 1 + vertex_count + face_count]
    try:
        places = [line[:3] for line in lines[1 : 1 + vertex_count]]
        vertices = np.array([[float(word) for word in words] for words in places], np.float64)
        sizes = np.array([int(line[0]) for line in rest], dtype=np.int64)
        check_corners("off", sizes)
        words = list(chain.from_iterable(line[1 : 1 + int(line[0])] for line in rest))
        corners = np.fromiter(map(int, words), np.int64, len(words))
    except (ValueError, OverflowError) as error:
        raise unreadable("off", "a line is too short or holds a word for a number") from error
    if vertices.shape != (vertex_count, 3) or sizes.sum() != len(corners):
        raise unreadable("off", "a vertex or a face has too few numbers")
    short = short_faces(sizes, corners)
    corners, sizes = corners[np.repeat(~short, sizes)], sizes[~short]
    check_indices("off", corners, vertex_count)
    lost = {"texture coordinates": textured, "normals": normals}
    lost["colours"] = coloured or any(len(line) > 1 + int(line[0]) for line in rest)
    held = frozenset(name for name, there in lost.items() if there) | name_faces(short)
    return ReadMesh(vertices, triangulate(vertices, sizes, corners), None, held)


def write(mesh: Mesh, path: Path) -> None:
    """Seventeen digits: what is read back has the same bits."""
    with path.open("w") as file:
        file.write(f"OFF\n{len(mesh.vertices)} {len(mesh.faces)} 0\n")
        file.writelines(f"{x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
        file.writelines(f"3 {a} {b} {c}\n" for a, b, c in mesh.faces.tolist())
