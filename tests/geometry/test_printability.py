import json

import numpy as np
import pytest

from geometry.formats.stl import write_binary
from geometry.printability import PRINTABILITY_VERSION, assess, probable_unit
from geometry.wall_thickness import distance_quantile
from tests.geometry.shapes import ball, box


@pytest.fixture
def measured(tmp_path):
    """Assess triangles, as floating-point files hold them."""

    def measured(*parts, closed=True, **limits):
        path = tmp_path / "part.stl"
        write_binary(np.concatenate(parts), path)
        return assess(path, closed=closed, **limits)

    return measured


def turned(triangles):
    return triangles[:, ::-1]


def prism(outline, length):
    """(m, 3, 3): a convex outline in (x, z), counter-clockwise as seen along y, `length` deep."""
    front = np.array([(x, 0.0, z) for x, z in outline])
    back = front + (0.0, length, 0.0)
    triangles = []
    for i in range(1, len(outline) - 1):
        triangles += [(front[0], front[i], front[i + 1]), (back[0], back[i + 1], back[i])]
    for i in range(len(outline)):
        j = (i + 1) % len(outline)
        triangles += [(front[i], back[i], back[j]), (front[i], back[j], front[j])]
    return np.array(triangles, dtype=np.float32)


def test_box_on_the_bed_has_contact_and_no_overhang(measured):
    found = measured(box((5, 5, 3), (25, 15, 33)))

    assert found._asdict() == {
        "version": PRINTABILITY_VERSION,
        "overhang_area": 0.0,
        "overhang_share": 0.0,
        "contact_area": 200.0,
        "shells": 1,
        "smallest_shell": 30.0,
        "cavities": 0,
        "inverted_shells": 0,
        "thinnest_wall": pytest.approx(10, abs=1e-4),
        "thinnest_wall_at": found.thinnest_wall_at,
        "thin_wall": pytest.approx(10, abs=1e-4),
        "thin_wall_at": found.thin_wall_at,
        "narrowest_gap": None,
        "narrowest_gap_at": None,
        "rays": 50_000,
        "probable_unit": None,
    }
    assert found.thinnest_wall_at[1] in (pytest.approx(5, abs=1e-4), pytest.approx(15, abs=1e-4))


def test_printability_is_json_serializable_and_deterministic(measured):
    found = measured(ball(20))

    assert json.loads(json.dumps(found._asdict()))["shells"] == 1
    assert measured(ball(20)) == found


def test_t_shaped_part_has_overhangs_under_its_arms(measured):
    # One solid of two boxes that overlap: what lies within the solid is no wall's other side.
    stem, bar = box((-5, 0, 0), (5, 10, 20.5)), box((-25, 0, 20), (25, 10, 26))

    found = measured(stem, bar)

    assert found.overhang_area == pytest.approx(50 * 10)
    assert found.contact_area == pytest.approx(100)
    assert found.overhang_share == pytest.approx(500 / (1020 + 1720))
    assert found.thinnest_wall == pytest.approx(6, abs=1e-4)
    assert found.shells == 2


@pytest.mark.parametrize(("reach", "overhang"), [(9.9, 0.0), (10.0, 0.0), (10.1, 142.1)])
def test_overhang_begins_beyond_45_degrees(measured, reach, overhang):
    # A wall whose one side leans outward by `reach` on 10 mm of height.
    leaning = prism([(0, 0), (20, 0), (20 + reach, 10), (0, 10)], 10.0)

    assert measured(leaning).overhang_area == pytest.approx(overhang, abs=0.1)


def test_thin_wall_is_found_at_its_position(measured):
    block, fin = box((0, 0, 0), (40, 40, 10)), box((10, 20, 9), (30, 20.6, 30))

    found = measured(block, fin)

    assert found.thinnest_wall == pytest.approx(0.6, abs=1e-3)
    x, y, z = found.thinnest_wall_at
    assert 10 <= x <= 30
    assert y == pytest.approx(20, abs=1e-3) or y == pytest.approx(20.6, abs=1e-3)
    assert 10 <= z <= 30


def test_printability_is_the_same_far_from_the_origin(measured):
    found = measured(box((0, 0, 0), (30, 20, 0.6)) + np.float32(1000))

    assert found.thinnest_wall == pytest.approx(0.6, abs=2e-3)
    assert found.contact_area == pytest.approx(600)


def test_wall_of_a_sphere_is_its_diameter(measured):
    found = measured(np.unique(ball(60), axis=0))

    assert found.thin_wall == pytest.approx(20, rel=2e-3)
    assert found.narrowest_gap is None


def test_sharp_edge_is_not_a_thin_wall(measured):
    wedge = prism([(0, 0), (20, 0), (20, 20)], 20.0)  # 45 degrees at its edge

    assert measured(wedge).thinnest_wall == pytest.approx(20, abs=1e-3)


def test_first_of_walls_that_differ_by_rounding_is_the_thinnest():
    """Else a cube's thinnest wall is elsewhere on a processor that sorts by other instructions."""
    walls = np.array([np.inf, 9 + 2e-9, 9.0, 9 - 1e-9])

    thinnest = distance_quantile(walls, np.eye(4)[:, :3], 0)

    assert thinnest is not None
    assert thinnest.distance == walls[1]
    assert thinnest.point.tolist() == [0, 1, 0]


def test_slot_between_two_fins_is_the_narrowest_gap(measured):
    plate = box((0, 0, 0), (30, 10, 2))
    fins = [box((x, 0, 1), (x + 4, 10, 20)) for x in (5, 9.4)]

    found = measured(plate, *fins)

    assert found.narrowest_gap == pytest.approx(0.4, abs=1e-3)
    assert found.narrowest_gap_at[0] in (
        pytest.approx(9, abs=1e-3),
        pytest.approx(9.4, abs=1e-3),
    )
    assert found.thinnest_wall == pytest.approx(2, abs=1e-3)


def test_hollow_part_has_a_cavity_and_measured_walls(measured):
    hollow = turned(box((3, 3, 3), (17, 17, 18)))

    found = measured(box((0, 0, 0), (20, 20, 20)), hollow)

    assert (found.shells, found.cavities, found.inverted_shells) == (2, 1, 0)
    assert found.thinnest_wall == pytest.approx(2, abs=1e-3)
    assert found.overhang_area == pytest.approx(14 * 14)
    assert found.smallest_shell == 15.0


def test_inverted_shell_outside_the_others_is_not_a_cavity(measured):
    outer, hollow = box((0, 0, 0), (20, 20, 20)), turned(box((3, 3, 3), (17, 17, 18)))
    beside = turned(box((30, 0, 0), (31, 10, 10)))

    found = measured(outer, hollow, beside)

    assert (found.shells, found.cavities, found.inverted_shells) == (3, 1, 1)
    assert found.thinnest_wall == pytest.approx(1, abs=1e-3)


def test_inverted_part_has_the_figures_of_its_oriented_form(measured):
    parts = [box((0, 0, 0), (20, 20, 20)), turned(box((3, 3, 3), (17, 17, 18)))]

    right, wrong = measured(*parts), measured(*map(turned, parts))

    assert (wrong.cavities, wrong.inverted_shells) == (1, 2)
    assert (wrong.overhang_area, wrong.contact_area) == (right.overhang_area, right.contact_area)
    assert wrong.thin_wall == pytest.approx(right.thin_wall, abs=1e-3)


def test_boxes_that_share_a_vertex_are_one_shell(measured):
    assert measured(box((0, 0, 0), (10, 10, 10)), box((10, 10, 10), (20, 20, 20))).shells == 1
    assert measured(box((0, 0, 0), (10, 10, 10)), box((10, 10, 11), (20, 20, 20))).shells == 2


def test_open_surface_has_areas_but_no_walls(measured):
    found = measured(box((0, 0, 0), (10, 10, 10))[1:], closed=False)

    assert (found.shells, found.rays) == (1, 0)
    assert (found.cavities, found.inverted_shells, found.thinnest_wall) == (None, None, None)
    assert (found.thin_wall, found.narrowest_gap) == (None, None)
    assert found.contact_area > 0


def test_model_above_the_triangle_limit_has_no_shells_or_walls(measured, monkeypatch):
    monkeypatch.setattr("geometry.printability.MAX_TRIANGLES", 11)

    found = measured(box((0, 0, 1), (10, 10, 11)))

    assert (found.shells, found.smallest_shell, found.thinnest_wall) == (None, None, None)
    assert found.contact_area == 100.0


def test_fewer_rays_are_cast_and_reported_when_time_is_short(measured):
    found = measured(box((0, 0, 0), (20, 20, 0.6)), seconds=0.0)

    assert found.rays == 10_000
    assert found.thinnest_wall == pytest.approx(0.6, abs=1e-3)


@pytest.mark.parametrize("scale", [1e-20, 1e-6, 1e6, 1e30])
def test_tiny_and_huge_models_yield_finite_printability(measured, scale):
    found = measured(box((0, 0, 0), (1, 2, 3)) * np.float32(scale))

    assert found.contact_area >= 0
    json.dumps(found._asdict(), allow_nan=False)


@pytest.mark.parametrize(
    ("length", "unit", "factor"),
    [
        (0.12, "metre", 1000.0),
        (1.5, "inch", 25.4),
        (2.9, "inch", 25.4),
        (60_000.0, "micrometre", 0.001),
    ],
)
def test_unlikely_size_suggests_the_probable_unit(length, unit, factor):
    found = probable_unit(length)

    assert (found["unit"], found["factor"]) == (unit, factor)
    assert f"{length:.4g} mm" in found["reason"]
    assert f"{length * factor:.4g} mm" in found["reason"]


@pytest.mark.parametrize("length", [0.0, 3.0, 60.0, 5000.0])
def test_likely_size_suggests_no_unit(length):
    assert probable_unit(length) is None
