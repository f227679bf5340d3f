"""Wavefront OBJ: vertices and faces; materials, textures and curves are left out."""

import re
from pathlib import Path

import numpy as np

from geometry.formats.checks import (
    Beside,
    Content,
    check_corners,
    check_facets,
    check_indices,
    unreadable,
)
from geometry.formats.polygons import triangulate
from geometry.mesh import Mesh

LOST = {
    b"mtllib": "materials",
    b"usemtl": "materials",
    b"vt": "texture coordinates",
    b"vn": "normals",
    b"l": "lines",
    b"p": "points",
    b"curv": "curves",
    b"curv2": "curves",
    b"surf": "free-form surfaces",
}
CONTINUED = re.compile(rb"\\\r?\n")
NEXT_CORNERS = re.compile(rb"/\S*")  # texture and normal of a corner: 3/1/2, 3//2


def read(path: Path, beside: Beside) -> Content:
    """Raises Refusal: unreadable, too-large."""
    data = path.read_bytes()
    check_facets(data.count(b"\nf "))  # at once: two million lines take seconds
    places: list[bytes] = []
    faces: list[bytes] = []
    sizes: list[int] = []
    seen: list[int] = []  # vertices before each face: negative indices count back from there
    lost: set[str] = set()
    for line in CONTINUED.sub(b" ", data).splitlines():
        words = line.partition(b"#")[0].split()
        if not words:
            continue
        keyword = words[0]
        if keyword == b"v":
            if len(words) < 4:
                raise unreadable("obj", "a vertex has fewer than three coordinates")
            places += words[1:4]
            if len(words) > 6:
                lost.add("colours")
        elif keyword == b"f":
            faces.append(NEXT_CORNERS.sub(b"", b" ".join(words[1:])))
            sizes.append(len(words) - 1)
            seen.append(len(places) // 3)
        elif keyword in LOST:
            lost.add(LOST[keyword])
    try:
        vertices = np.fromiter(map(float, places), np.float64, len(places)).reshape(-1, 3)
        indices = b" ".join(faces).split()
        corners = np.fromiter(map(int, indices), np.int64, len(indices))
    except (ValueError, OverflowError) as error:
        raise unreadable("obj", "it has a word where a number belongs") from error
    counts = np.array(sizes, dtype=np.int64)
    if counts.sum() != len(corners) or (corners == 0).any():
        raise unreadable("obj", "a corner of a face has no vertex")
    check_corners("obj", counts)
    back = np.repeat(np.array(seen, dtype=np.int64), counts)
    corners = np.where(corners < 0, back + corners, corners - 1)
    check_indices("obj", corners, len(vertices))
    return Content(vertices, triangulate(vertices, counts, corners), None, frozenset(lost))


def write(mesh: Mesh, path: Path) -> None:
    """Seventeen digits: what is read back has the same bits."""
    with path.open("w") as file:
        file.write("# millimetres\n")
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
        file.writelines(f"f {a} {b} {c}\n" for a, b, c in (mesh.faces + 1).tolist())
