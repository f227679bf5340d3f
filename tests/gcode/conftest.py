"""What the tests of gcode share: a file of these lines, read."""

import pytest

from gcode import figures


@pytest.fixture
def read_gcode(tmp_path):
    """`read_gcode("G1 X10 E1", limits=...)`: the figures of a file of these lines or bytes."""

    def read(gcode, **options):
        path = tmp_path / "file.gcode"
        path.write_bytes(gcode if isinstance(gcode, bytes) else gcode.encode())
        return figures(path, **options)

    return read
