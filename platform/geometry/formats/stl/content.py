"""STL as a format of the converter."""

from pathlib import Path

from geometry.formats.reader_checks import MAX_FACETS, ReadMesh, SiblingReader
from geometry.formats.stl import read_triangles, write_binary
from geometry.mesh import Mesh
from geometry.mesh.welding import weld


def read(path: Path, beside: SiblingReader) -> ReadMesh:
    """Raises InvalidMesh as `read_triangles` does."""
    mesh = weld(read_triangles(path, max_triangles=MAX_FACETS)).mesh
    return ReadMesh(*mesh, None, frozenset())


def write(mesh: Mesh, path: Path) -> None:
    """Canonical binary STL. Raises InvalidMesh (not-finite)."""
    write_binary(mesh.triangles, path)
