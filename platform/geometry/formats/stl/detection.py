"""STL detection: binary or ASCII, by size and first bytes."""

import os
import re
from typing import NamedTuple

import numpy as np

from geometry.formats.stl.other_formats import recognise
from geometry.mesh import InvalidMesh, area_vectors

HEADER_BYTES = 84  # 80 of free text, then the number of facets
FACET_BYTES = 50  # normal and three corners as 12 float32, then 2 bytes of attribute
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
SHORTEST_FACET = 70  # bytes; "facet outer loop vertex 0 0 0 ... endfacet" has 72
LOOKED_AT = 2048
PLAUSIBLE_FACETS = 4096  # this many are looked at beyond the header's count
NORMAL_ERROR = 1e-3  # of a unit normal, for it to be taken as that of its corners

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
ASCII_START = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s++|(?:[#;]|//)[^\r\n]*+)*(?:solid|facet)(?!\w)", re.IGNORECASE
)
ASCII_FACET = re.compile(rb"facet\s+(?:normal|outer)\s", re.IGNORECASE)


class StlLayout(NamedTuple):
    """How to read a file that is an STL.

    binary  : facets of 50 bytes; otherwise text
    start   : byte at which the facets (or the text) begin
    at_most : upper bound of the number of facets; exact for a binary file
    """

    path: str | os.PathLike
    binary: bool
    start: int
    at_most: int


def inspect(path: str | os.PathLike, *, max_triangles: int) -> StlLayout:
    """Tell how `path` is to be read; nothing that its header promises is believed unchecked.

    Raises InvalidMesh: empty-file, not-stl, no-triangles, truncated, too-many-triangles.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head = file.read(LOOKED_AT)
    if not size:
        raise InvalidMesh("empty-file", "The file is empty (0 bytes). Upload the STL again.")

    count = int.from_bytes(head[80:84], "little")
    # Many programs begin a binary header with "solid", so an exact size outweighs the text.
    if size < HEADER_BYTES or size != HEADER_BYTES + FACET_BYTES * count:
        if is_ascii_stl(head):
            start = len(BYTE_ORDER_MARK) if head.startswith(BYTE_ORDER_MARK) else 0
            at_most = min(size // SHORTEST_FACET + 1, max_triangles)
            return StlLayout(path, binary=False, start=start, at_most=at_most)
        _refuse_other_formats(head)
        count = _count_to_read(path, size, count)
    _check_binary(size, count, max_triangles)
    return StlLayout(path, binary=True, start=HEADER_BYTES, at_most=count)


def too_many_triangles(max_triangles: int) -> InvalidMesh:
    return InvalidMesh(
        "too-many-triangles",
        f"The file holds more than {max_triangles:,} triangles, the most that is read. "
        "Reduce (decimate) the mesh and upload it again.",
    )


def is_ascii_stl(head: bytes) -> bool:
    """Whether the first bytes of a file are those of an ASCII STL."""
    if not ASCII_START.match(head):
        return False
    # A name may hold any byte; where facets follow as words, it is text all the same.
    return bool(ASCII_FACET.search(head)) or not CONTROL.search(head)


def _refuse_other_formats(head: bytes) -> None:
    if other := recognise(head):
        title = f"The file is not an STL but looks like {other.name}. {other.advice}"
        raise InvalidMesh("not-stl", title)
    if not CONTROL.search(head):
        raise InvalidMesh(
            "not-stl",
            "The file is text that does not begin with 'solid' or 'facet', as an ASCII STL does. "
            "Export the model as STL.",
        )


def _count_to_read(path: str | os.PathLike, size: int, count: int) -> int:
    """How many facets to read where the header's count and the size do not agree.

    What follows the promised facets is left out, unless it is whole facets with their own true
    normals: then the count is wrong, as one that leaves out some solids is. A count of 0 is
    not mended: an exporter writes it first, and died before it wrote the true one.
    """
    held, beyond = divmod(size - HEADER_BYTES, FACET_BYTES)
    if not 0 < count < held or beyond:
        return count
    looked_at = min(held - count, PLAUSIBLE_FACETS)
    facets = np.fromfile(path, RECORD, looked_at, offset=HEADER_BYTES + FACET_BYTES * count)
    if not (np.isfinite(facets["corners"]).all() and np.isfinite(facets["normal"]).all()):
        return count
    vectors = area_vectors(facets["corners"].reshape(-1, 9).T.astype(np.float64)).T
    areas = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    normals = np.divide(vectors, areas, out=np.zeros_like(vectors), where=areas > 0)
    true = np.abs(facets["normal"] - normals).max(axis=1) < NORMAL_ERROR
    return held if true.all() and areas.any() else count


def _check_binary(size: int, count: int, max_triangles: int) -> None:
    if size < HEADER_BYTES:
        raise InvalidMesh(
            "not-stl",
            f"The file is not an STL: it is not text, and its {size} bytes are fewer than the "
            f"{HEADER_BYTES} of a binary STL's header. Export the model as STL.",
        )
    held = (size - HEADER_BYTES) // FACET_BYTES
    if not count:
        raise InvalidMesh(
            "no-triangles",
            f"The header (byte 80) promises 0 triangles, and {size - HEADER_BYTES:,} bytes "
            "follow it. Export the model again.",
        )
    if count > held:
        raise InvalidMesh(
            "truncated",
            f"The header (byte 80) promises {count:,} triangles, the file of {size:,} bytes "
            f"holds {held:,}. It was cut off, or is not an STL: upload or export it again.",
        )
    if count > max_triangles:
        raise too_many_triangles(max_triangles)
