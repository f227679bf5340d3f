import numpy as np
import pytest

from geometry.clustering import cluster
from geometry.drawable import RECORD, prepare
from geometry.rendering import NothingToShow
from tests.geometry.shapes import ball, box


def test_a_model_is_drawn_about_its_centre_in_units_of_its_radius():
    drawable = prepare(box((10, 20, 30), (13, 24, 42)), shadows=True)

    assert drawable.radius == 6.5
    assert drawable.center.tolist() == [11.5, 22, 36]
    assert (drawable.low, drawable.high) == (30, 42)
    assert len(drawable.surface.vertices) == 8
    assert drawable.surface.signed_volume() == pytest.approx(3 * 4 * 12 / 6.5**3)
    assert drawable.casters is drawable.surface


@pytest.mark.parametrize("scale", [1e-20, 1, 1e30])
def test_models_of_any_size_and_place_are_prepared_alike(scale):
    drawable = prepare(box((0, 0, 0), (1, 1, 1)) * np.float32(scale), shadows=False)

    assert np.abs(drawable.surface.vertices) == pytest.approx(np.full((8, 3), 3**-0.5))


def test_zeros_of_either_sign_are_one_corner():
    triangles = box((0, 0, 0), (1, 1, 1))
    triangles[::2][triangles[::2] == 0] = -0.0

    assert len(prepare(triangles, shadows=False).surface.vertices) == 8


def test_a_binary_stl_is_read_and_anything_else_is_refused(tmp_path):
    records = np.zeros(12, RECORD)
    records["corners"] = box((0, 0, 0), (1, 2, 3))
    content = bytes(80) + len(records).to_bytes(4, "little") + records.tobytes()
    (tmp_path / "model.stl").write_bytes(content)
    (tmp_path / "cut.stl").write_bytes(content[:-1])
    (tmp_path / "empty.stl").write_bytes(b"")

    assert prepare(tmp_path / "model.stl", shadows=False).high == 3
    for name in ("cut.stl", "empty.stl"):
        with pytest.raises(ValueError, match="canonical"):
            prepare(tmp_path / name, shadows=False)


def test_triangles_that_are_not_finite_are_left_out():
    triangles = box((0, 0, 0), (1, 1, 1))
    triangles[3, 1, 2] = np.nan
    triangles[5, 0, 0] = np.inf

    drawable = prepare(triangles, shadows=False)

    assert len(drawable.surface.faces) == 10
    assert drawable.radius == pytest.approx(3**0.5 / 2)


@pytest.mark.parametrize(
    "triangles", [np.empty((0, 3, 3)), np.full((2, 3, 3), np.nan), np.full((2, 3, 3), 7.0)]
)
def test_a_model_without_extent_is_nothing_to_show(triangles):
    with pytest.raises(NothingToShow, match=r"^[A-Z].*\.$") as refusal:
        prepare(triangles.astype(np.float32), shadows=False)

    assert refusal.value.code == "nothing-to-show"


def test_a_huge_model_is_drawn_as_a_coarser_copy_with_the_same_shape():
    drawable = prepare(ball(330), shadows=True)

    assert not drawable.exact
    assert len(drawable.surface.faces) < 435_600
    assert len(drawable.casters.faces) <= 250_000
    for surface in (drawable.surface, drawable.casters):
        distance = np.linalg.norm(surface.vertices, axis=1) * drawable.radius
        assert np.abs(distance - 10).max() < 0.01
        volume = surface.signed_volume() * drawable.radius**3
        assert volume == pytest.approx(4 / 3 * np.pi * 1000, rel=0.001)


def test_clustering_keeps_one_vertex_a_cell_at_the_mean_of_its_corners():
    corners = np.array([(0.2, 0.2, 0), (0.4, 0.2, 0), (3.5, 0.5, 0), (0.5, 3.5, 0)], np.float32)
    triangles = corners[[(0, 2, 3), (1, 2, 3), (0, 1, 2)]]

    clustered = cluster(lambda: [triangles[:1], triangles[1:]], np.zeros(3), 4.0, 4, 100)

    assert clustered.vertices == pytest.approx(
        np.array([(0.3, 0.2, 0), (0.5, 3.5, 0), (3.5, 0.5, 0)])
    )
    assert clustered.faces.tolist() == [[0, 2, 1]]


def test_clustering_uses_fewer_cells_where_too_much_survives():
    triangles = ball(60)

    coarse = cluster(lambda: [triangles], np.full(3, -10.0), 20.0, 512, 2000)

    assert 200 < len(coarse.faces) <= 2000
