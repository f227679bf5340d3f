import numpy as np
import pytest

from geometry.rendering.render_mesh import RECORD, prepare
from geometry.rendering.view import NothingToShow
from geometry.vertex_clustering import cluster
from tests.geometry.shapes import ball, box


def test_render_mesh_is_centred_and_scaled_by_its_radius():
    drawable = prepare(box((10, 20, 30), (13, 24, 42)), shadows=512)

    assert drawable.radius == 6.5
    assert drawable.center.tolist() == [11.5, 22, 36]
    assert (drawable.low, drawable.high) == (30, 42)
    assert len(drawable.surface.vertices) == 8
    assert drawable.surface.signed_volume() == pytest.approx(3 * 4 * 12 / 6.5**3)
    assert drawable.casters is drawable.surface


@pytest.mark.parametrize("scale", [1e-20, 1, 1e30])
def test_render_mesh_does_not_depend_on_the_scale(scale):
    drawable = prepare(box((0, 0, 0), (1, 1, 1)) * np.float32(scale), shadows=0)

    assert np.abs(drawable.surface.vertices) == pytest.approx(np.full((8, 3), 3**-0.5))


def test_zeros_of_either_sign_are_welded():
    triangles = box((0, 0, 0), (1, 1, 1))
    triangles[::2][triangles[::2] == 0] = -0.0

    assert len(prepare(triangles, shadows=0).surface.vertices) == 8


def test_render_mesh_is_read_only_from_a_canonical_stl(tmp_path):
    records = np.zeros(12, RECORD)
    records["corners"] = box((0, 0, 0), (1, 2, 3))
    content = bytes(80) + len(records).to_bytes(4, "little") + records.tobytes()
    (tmp_path / "model.stl").write_bytes(content)
    (tmp_path / "cut.stl").write_bytes(content[:-1])
    (tmp_path / "empty.stl").write_bytes(b"")

    assert prepare(tmp_path / "model.stl", shadows=0).high == 3
    for name in ("cut.stl", "empty.stl"):
        with pytest.raises(ValueError, match="canonical"):
            prepare(tmp_path / name, shadows=0)


def test_non_finite_triangles_are_dropped():
    triangles = box((0, 0, 0), (1, 1, 1))
    triangles[3, 1, 2] = np.nan
    triangles[5, 0, 0] = np.inf

    drawable = prepare(triangles, shadows=0)

    assert len(drawable.surface.faces) == 10
    assert drawable.radius == pytest.approx(3**0.5 / 2)


@pytest.mark.parametrize(
    "triangles", [np.empty((0, 3, 3)), np.full((2, 3, 3), np.nan), np.full((2, 3, 3), 7.0)]
)
def test_model_without_extent_raises_nothing_to_show(triangles):
    with pytest.raises(NothingToShow, match=r"^[A-Z].*\.$") as rejection:
        prepare(triangles.astype(np.float32), shadows=0)

    assert rejection.value.code == "nothing-to-show"


def test_huge_model_is_clustered_and_keeps_its_shape():
    drawable = prepare(ball(330), shadows=512)

    assert not drawable.exact
    assert len(drawable.surface.faces) < 435_600
    assert len(drawable.casters.faces) <= 250_000
    for surface in (drawable.surface, drawable.casters):
        distance = np.linalg.norm(surface.vertices, axis=1) * drawable.radius
        assert np.abs(distance - 10).max() < 0.02
        volume = surface.signed_volume() * drawable.radius**3
        assert volume == pytest.approx(4 / 3 * np.pi * 1000, rel=0.001)


def fan(count: int) -> np.ndarray:
    """Triangles round one edge."""
    turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
    triangles = np.zeros((count, 3, 3), np.float32)
    triangles[:, 0, 2], triangles[:, 1, 2] = -10, 10
    triangles[:, 2, 0], triangles[:, 2, 1] = 20 * np.cos(turn), 20 * np.sin(turn)
    return triangles


def heap(count: int) -> np.ndarray:
    """Large boxes that overlap."""
    lows = np.random.default_rng(5).uniform(-10, 0, (count, 3))
    return np.concatenate([box(low, low + 10) for low in lows])


def work(drawable) -> float:
    """What is covered, in squares of the radius, with pixels of its grain."""
    area, strips = drawable.surface.covered()
    return area / drawable.grain**2 + strips / drawable.grain


@pytest.mark.parametrize("shadows", [0, 512])
def test_duplicate_triangles_are_dropped(shadows):
    cube = box((0, 0, 0), (1, 1, 1))

    drawable = prepare(np.concatenate([cube, np.repeat(cube[:1], 20_000, axis=0)]), shadows=shadows)

    assert len(drawable.surface.faces) == 12
    assert len(drawable.surface.vertices) == 8
    assert drawable.grain == 1


@pytest.mark.parametrize("shadows", [0, 512])
def test_covered_area_of_a_fan_is_bounded(shadows):
    drawable = prepare(fan(100_000), shadows=shadows)

    assert drawable.grain == 1
    assert work(drawable) < 140
    assert not drawable.exact
    # It still has its outline, but for the mean of each cell.
    assert np.abs(drawable.surface.vertices).max(axis=0) == pytest.approx(
        np.array([2, 2, 1]) / 3, abs=0.01
    )


def test_overlapping_boxes_get_larger_pixels_and_no_shadow_mesh():
    triangles = heap(1000)

    drawable = prepare(triangles, shadows=512)

    assert work(drawable) == pytest.approx(200 + 12_000 * 5e-4)
    assert 1.5 < drawable.grain < 5
    assert drawable.casters is drawable.surface


@pytest.mark.parametrize("triangles", [ball(100), box((0, 0, 0), (20, 20, 20)), heap(20)])
def test_ordinary_part_is_prepared_exactly(triangles):
    drawable = prepare(triangles, shadows=0)

    assert (drawable.exact, drawable.grain) == (True, 1)
    assert len(drawable.surface.faces) == len(triangles)


def test_covered_area_is_the_triangle_area_and_a_strip_along_each():
    covered = prepare(box((0, 0, 0), (3, 4, 12)), shadows=0).surface.covered()

    assert covered.area == pytest.approx(2 * (12 + 36 + 48) / 6.5**2)
    assert covered.strips == pytest.approx(0.009 * 4 * (5 + 12.37 + 12.65) / 6.5, rel=0.2)


def test_clustering_keeps_both_sides_of_a_wall_thinner_than_a_cell():
    side = np.array([(0, 0, 0), (3, 0, 0), (0, 3, 0)], np.float32)
    wall = np.stack([side, (side + (0, 0, 0.2))[::-1], side[[1, 2, 0]]]).astype(np.float32)

    clustered = cluster(lambda: [wall], np.full(3, -0.5), 4.0, 4, 100)

    first, other = clustered.faces.tolist()
    assert sorted(first) == sorted(other)
    assert other not in [first[turn:] + first[:turn] for turn in range(3)]


def test_clustering_keeps_one_mean_vertex_per_cell():
    corners = np.array([(0.2, 0.2, 0), (0.4, 0.2, 0), (3.5, 0.5, 0), (0.5, 3.5, 0)], np.float32)
    triangles = corners[[(0, 2, 3), (1, 2, 3), (0, 1, 2)]]

    clustered = cluster(lambda: [triangles[:1], triangles[1:]], np.zeros(3), 4.0, 4, 100)

    assert clustered.vertices == pytest.approx(
        np.array([(0.3, 0.2, 0), (0.5, 3.5, 0), (3.5, 0.5, 0)])
    )
    assert clustered.faces.tolist() == [[0, 2, 1]]


def test_clustering_uses_fewer_cells_above_the_face_limit():
    triangles = ball(60)

    coarse = cluster(lambda: [triangles], np.full(3, -10.0), 20.0, 512, 2000)

    assert 200 < len(coarse.faces) <= 2000
