"""STL, as the rest of the platform reads and writes it."""

from pathlib import Path

from geometry.formats.checks import MAX_FACETS, Beside, Content
from geometry.formats.stl import read_triangles, write_binary
from geometry.mesh import InvalidMesh, Mesh
from geometry.mesh.corners import weld
from geometry.refusal import ProviderError

CODES = {
    "truncated": "Truncated",
    "not-finite": "NotFinite",
    "too-many-triangles": "TooLarge",
    "no-triangles": "NothingSolid",
}


def read(path: Path, beside: Beside) -> Content:
    """Raises ProviderError: Unreadable, Truncated, NotFinite, TooLarge, NothingSolid."""
    try:
        mesh = weld(read_triangles(path, max_triangles=MAX_FACETS)).mesh
    except InvalidMesh as error:
        raise ProviderError(CODES.get(error.code, "Unreadable"), error.title) from error
    return Content(*mesh, None, frozenset())


def write(mesh: Mesh, path: Path) -> None:
    """Canonical binary STL. Raises ProviderError: NotFinite."""
    try:
        write_binary(mesh.triangles, path)
    except InvalidMesh as error:
        raise ProviderError("NotFinite", error.title) from error
