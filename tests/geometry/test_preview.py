import json
from io import BytesIO

import numpy as np
import pytest
import trimesh

from geometry.formats.stl import write_binary
from geometry.preview_mesh import write_preview
from tests.geometry.shapes import ball, box


@pytest.fixture
def preview(tmp_path):
    """The bytes of a preview of triangles, and how many it has."""

    def preview(mesh, triangles=50_000):
        write_binary(mesh, tmp_path / "part.stl")
        count = write_preview(tmp_path / "part.stl", tmp_path / "part.glb", triangles=triangles)
        return (tmp_path / "part.glb").read_bytes(), count

    return preview


def as_a_viewer_sees_it(content):
    """The mesh in glTF's metres, y upwards."""
    return trimesh.load(BytesIO(content), file_type="glb", force="mesh")


def in_millimetres(content):
    """(n, 3): the vertices as the model has them, z upwards."""
    x, y, z = np.asarray(as_a_viewer_sees_it(content).vertices).T * 1000
    return np.stack([x, -z, y], axis=1)


def test_small_model_is_kept_exactly_y_up_and_in_metres(preview):
    content, count = preview(box((10, 20, 30), (14, 26, 38)))

    seen = as_a_viewer_sees_it(content)

    assert count == len(seen.faces) == 12
    assert seen.bounds == pytest.approx(np.array([(0.01, 0.03, -0.026), (0.014, 0.038, -0.02)]))
    assert seen.is_watertight
    assert seen.volume == pytest.approx(4 * 6 * 8 * 1e-9)


def test_preview_is_a_glb_with_positions_only(preview):
    content, _ = preview(box((0, 0, 0), (1, 1, 1)))

    length = int.from_bytes(content[12:16], "little")
    document = json.loads(content[20 : 20 + length])

    assert content[:8] == b"glTF\x02\0\0\0"
    assert int.from_bytes(content[8:12], "little") == len(content)
    assert content[24 + length : 28 + length] == b"BIN\0"
    assert len(content) % 4 == 0
    assert document["meshes"][0]["primitives"][0]["attributes"] == {"POSITION": 0}
    assert document["accessors"][0]["max"] == [1.0, 1.0, 1.0]
    assert document["accessors"][0]["count"] == 8


def test_large_model_is_simplified_and_keeps_its_shape(preview):
    ring = np.unique(ball(110), axis=0)

    content, count = preview(ring, triangles=4000)

    corners = in_millimetres(content)
    middles = np.asarray(as_a_viewer_sees_it(content).triangles_center) * 1000
    assert 3000 < count <= 4000
    assert len(ring) == 48_400
    assert np.linalg.norm(corners, axis=1) == pytest.approx(10, abs=0.05)
    assert np.linalg.norm(middles, axis=1) == pytest.approx(10, abs=0.1)
    extents = np.ptp(corners, axis=0)
    assert extents == pytest.approx(20, rel=0.005)


def test_huge_model_is_clustered_before_it_is_simplified(preview, monkeypatch):
    monkeypatch.setattr("geometry.preview_mesh.MAX_TO_SIMPLIFY", 10_000)

    content, count = preview(np.unique(ball(110), axis=0), triangles=2000)

    assert 1000 < count <= 2000
    assert np.ptp(in_millimetres(content), axis=0) == pytest.approx(20, rel=0.005)


@pytest.mark.parametrize("scale", [1e-15, 1e-3, 1e15])
def test_simplified_shape_does_not_depend_on_the_scale(preview, scale):
    ring = np.unique(ball(40), axis=0)
    plain, count = preview(ring, triangles=1000)

    scaled, as_many = preview(ring * np.float32(scale), triangles=1000)

    assert as_many == pytest.approx(count, abs=10)
    extents = np.ptp(in_millimetres(scaled), axis=0)
    assert extents == pytest.approx(np.ptp(in_millimetres(plain), axis=0) * scale, rel=5e-3)


def test_loose_triangles_are_dropped_in_favour_of_the_largest(preview):
    random = np.random.default_rng(1)
    loose = random.uniform(0, 100, (5000, 1, 3)) + random.uniform(0, 0.001, (5000, 3, 3))
    large = box((0, 0, 0), (100, 100, 100))

    content, count = preview(np.concatenate([loose, large]), triangles=100)

    assert count <= 100
    assert np.ptp(in_millimetres(content), axis=0) == pytest.approx(100, rel=0.005)


def test_preview_is_deterministic(preview):
    sphere = ball(40)

    assert preview(sphere, triangles=500) == preview(sphere, triangles=500)


def test_indices_are_long_for_more_than_65536_vertices(preview):
    many = np.concatenate([box((x, 0, 0), (x + 0.5, 1, 1)) for x in range(8200)])

    content, count = preview(many, triangles=100_000)

    assert count == 98_400
    assert len(as_a_viewer_sees_it(content).faces) == 98_400
