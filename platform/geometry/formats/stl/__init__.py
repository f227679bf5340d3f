"""STL reader and canonical writer."""

from geometry.formats.stl.reader import read_triangles
from geometry.formats.stl.writer import write_binary

__all__ = ["read_triangles", "write_binary"]
