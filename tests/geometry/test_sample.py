import numpy as np
import trimesh

from geometry.analysis import analyse
from geometry.formats.stl import write_binary
from geometry.sample_part import bracket


def test_bracket_is_one_watertight_part_with_five_holes(tmp_path):
    write_binary(bracket(), tmp_path / "bracket.stl")

    analysis = analyse(tmp_path / "bracket.stl")
    mesh = trimesh.load_mesh(tmp_path / "bracket.stl")

    assert (analysis.manifold, analysis.inverted, analysis.degenerate) == (True, False, 0)
    assert (mesh.is_watertight, mesh.body_count, 1 - mesh.euler_number // 2) == (True, 1, 5)


def test_bracket_lies_in_the_positive_octant(tmp_path):
    triangles = bracket()

    assert triangles.min(axis=(0, 1)).tolist() == [0.0, 0.0, 0.0]
    assert triangles.max(axis=(0, 1)).tolist() == [44.0, 65.0, 72.0]
    assert 2_000 < len(triangles) < 10_000


def test_bracket_is_deterministic():
    assert np.array_equal(bracket(), bracket())
