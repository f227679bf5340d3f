"""The surface of a shape by its slope, and its convex hull."""

import numpy as np
import pytest

from geometry.formats.stl import write_binary
from geometry.sample_part import bracket
from geometry.shape_metrics import shape_numbers
from tests.conftest import CORNERS, SIDES, binary_stl


def test_cube_has_steep_area_flat_area_and_hull_volume(tmp_path):
    path = tmp_path / "cube.stl"
    path.write_bytes(binary_stl(CORNERS[SIDES] * 20))

    assert shape_numbers(path) == pytest.approx((1600, 800, 8000))


def test_flat_sheet_has_no_hull(tmp_path):
    path = tmp_path / "sheet.stl"
    path.write_bytes(binary_stl(CORNERS[SIDES][:0:-1][:1] * 20))

    assert shape_numbers(path).hull is None


def test_hull_volume_lies_between_part_and_bounding_box(tmp_path):
    path = tmp_path / "bracket.stl"
    write_binary(bracket(), path)

    steep, flat, hull = shape_numbers(path)

    assert 38_127 < hull < 44 * 65 * 72
    assert np.isfinite(steep + flat)
