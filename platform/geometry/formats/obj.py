"""Wavefront OBJ: meshes only (no materials, textures, curves)."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geometry.formats.merge_objects import join_open
from geometry.formats.objects import HERE, Instance, Notes, Part, Taken, label
from geometry.formats.plain_text import plain_text
from geometry.formats.polygons import polygon_of, triangulate
from geometry.formats.reader_checks import (
    ReadMesh,
    SiblingReader,
    check_corners,
    check_facets,
    check_indices,
    name_faces,
    short_faces,
    unreadable,
)
from geometry.mesh import Mesh
from input_errors import InputError

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
# Of faces, and what says how to draw and to cut curves that are named already.
HEARD = {b"v", b"f", b"o", b"g", b"s", b"vp", b"mg", b"cstype", b"deg", b"bmat", b"step", b"parm"}
HEARD |= {b"trim", b"hole", b"scrv", b"sp", b"end", b"con", b"bevel", b"c_interp", b"d_interp"}
HEARD |= {b"lod", b"shadow_obj", b"trace_obj", b"ctech", b"stech", b"maplib", b"usemap"}
KEYWORDS = (b"o", b"g", b"usemtl")  # what faces belong to
LARGEST_INDEX = 1 << 63
MAX_GROUPS = 500  # a file with more means something else by them, and is one part
CONTINUED = re.compile(rb"\\\r?\n")
NEXT_CORNERS = re.compile(rb"/\S*")  # texture and normal of a corner: 3/1/2, 3//2


class _Groups:
    """The object, group and material of each face. A name that comes again goes on."""

    def __init__(self) -> None:
        self._names: dict[bytes, dict[bytes, int]] = {key: {b"": 0} for key in KEYWORDS}
        self._now = dict.fromkeys(KEYWORDS, 0)
        self._of: list[tuple[int, ...]] = []

    def hear(self, keyword: bytes, words: list[bytes]) -> None:
        """What the next faces belong to."""
        names = self._names[keyword]
        self._now[keyword] = names.setdefault(b" ".join(words), len(names))

    def face(self) -> None:
        """There is a further face."""
        self._of.append(tuple(self._now.values()))

    def leave_out(self, short: NDArray[np.bool_]) -> None:
        """Forget faces, by their places among all."""
        self._of = [of for of, out in zip(self._of, short.tolist(), strict=True) if not out]

    def split(self) -> Iterator[tuple[str | None, str | None, NDArray[np.bool_]]]:
        """Name, material and faces of each object; of each group, where there are no objects."""
        objects, groups, materials = np.array(self._of, dtype=np.int64).reshape(-1, 3).T
        by, keyword = (objects, b"o") if len(np.unique(objects)) > 1 else (groups, b"g")
        names = {keyword: [*known] for keyword, known in self._names.items()}
        numbers = np.unique(by)
        if len(numbers) > MAX_GROUPS:
            by, numbers = np.zeros_like(by), np.zeros(1, dtype=np.int64)
        for number in numbers.tolist():
            mine = by == number
            used = np.unique(materials[mine]).tolist()
            name = _text(names[keyword][number]) or _text(names[b"o"][objects[mine][0]])
            yield name, _text(names[b"usemtl"][used[0]]) if len(used) == 1 else None, mine


def _text(name: bytes) -> str | None:
    return label(name.decode("utf-8", "replace"))


def read(path: Path, beside: SiblingReader) -> ReadMesh:
    """Raises InputError: unreadable, too-large."""
    return _read(path, None)[0]


def read_parts(path: Path, beside: SiblingReader) -> Taken:
    """Each object as a part; each group, where there are no objects.

    Raises InputError: unreadable, too-large.
    """
    groups, notes = _Groups(), Notes.empty()
    content, counts = _read(path, groups)
    polygons = polygon_of(counts)
    parts = []
    for name, material, mine in groups.split():
        used, faces = np.unique(content.faces[mine[polygons]], return_inverse=True)
        own = content._replace(vertices=content.vertices[used], faces=faces.reshape(-1, 3))
        parts.append(Part(None, name, own, [Instance(None, HERE)], None, material))
    for what in sorted(content.lost):
        if what != "materials" or not all(part.material for part in parts):
            notes.leave_out(what)
    return Taken(join_open(parts, notes), notes)


def _read(path: Path, groups: _Groups | None) -> tuple[ReadMesh, NDArray[np.int64]]:
    """What a file holds, and the number of corners of each of its faces."""
    data = plain_text(path.read_bytes(), "obj")
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
                reason = f"vertex {len(places) // 3 + 1:,} has fewer than three coordinates"
                raise unreadable("obj", reason)
            places += words[1:4]
            if len(words) > 6:
                lost.add("colours")
        elif keyword == b"f":
            faces.append(NEXT_CORNERS.sub(b"", b" ".join(words[1:])))
            sizes.append(len(words) - 1)
            seen.append(len(places) // 3)
            if groups is not None:
                groups.face()
        elif keyword in LOST:
            lost.add(LOST[keyword])
        elif keyword not in HEARD:
            lost.add("lines that are not understood")
        if groups is not None and keyword in KEYWORDS:
            groups.hear(keyword, words[1:])
    indices = b" ".join(faces).split()
    try:
        vertices = np.fromiter(map(float, places), np.float64, len(places)).reshape(-1, 3)
        corners = np.fromiter(map(int, indices), np.int64, len(indices))
    except (ValueError, OverflowError) as error:
        raise _no_number(places, faces) from error
    counts = np.array(sizes, dtype=np.int64)
    if counts.sum() != len(corners) or (corners == 0).any():
        raise unreadable("obj", "a corner of a face has no vertex: vertices count from 1")
    check_corners("obj", counts)
    back = np.repeat(np.array(seen, dtype=np.int64), counts)
    corners = np.where(corners < 0, back + corners, corners - 1)
    short = short_faces(counts, corners)
    if short.any():
        lost |= name_faces(short)
        corners, counts = corners[np.repeat(~short, counts)], counts[~short]
        if groups is not None:
            groups.leave_out(short)
    check_indices("obj", corners, len(vertices))
    triangles = triangulate(vertices, counts, corners)
    return ReadMesh(vertices, triangles, None, frozenset(lost)), counts


def _no_number(places: list[bytes], faces: list[bytes]) -> InputError:
    """Name the first word that is none: of a vertex, or of a face."""
    for number, word in enumerate(places):
        try:
            float(word)
        except ValueError:
            return _wrong_word(f"vertex {number // 3 + 1:,}", word)
    for number, words in enumerate(faces):
        for word in words.split():
            try:
                if abs(int(word)) < LARGEST_INDEX:
                    continue
            except ValueError:
                pass
            return _wrong_word(f"face {number + 1:,}", word)
    return unreadable("obj", "it has a word where a number belongs")


def _wrong_word(of: str, word: bytes) -> InputError:
    mend = "; write decimals with a point" if b"," in word else ""
    shown = word[:40].decode("utf-8", "replace")
    return unreadable("obj", f"{of} has {shown!r} where a number belongs{mend}")


def write(mesh: Mesh, path: Path) -> None:
    """Seventeen digits: what is read back has the same bits."""
    with path.open("w") as file:
        file.write("# millimetres\n")
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
        file.writelines(f"f {a} {b} {c}\n" for a, b, c in (mesh.faces + 1).tolist())
