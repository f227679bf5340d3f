"""Files for the tests of shapes."""

import pytest

from geometry.formats.stl import write_binary


@pytest.fixture
def stl(tmp_path):
    """Write triangles to an STL of their own, and say where."""

    def write(triangles):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.stl"
        write_binary(triangles, path)
        return path

    return write
