"""Transformations that look at the part: auto-translate, auto-scale, auto-rotate."""

import numpy as np
import pytest

from geometry.analysis import analyse
from geometry.formats.stl import read_triangles, write_binary
from geometry.transformations import (
    AutoRotate,
    AutoScale,
    AutoTranslate,
    CannotShape,
    Rotate,
    Scale,
    Translate,
    shape,
)
from tests.geometry.shapes import ball, box

BUILD = (100.0, 100.0, 100.0)
ROD = box((0, 0, 0), (130, 2, 2))
# A table: upside down it lies on its top, and nothing overhangs.
TABLE = np.concatenate(
    [box((0, 0, 20), (40, 40, 24))]
    + [box((x, y, 0), (x + 4, y + 4, 20)) for x in (0, 36) for y in (0, 36)]
)


@pytest.fixture
def shaped(tmp_path):
    """Shape triangles; the triangles that come of it, and what the last step told."""

    def shaped(triangles, *steps):
        write_binary(triangles, tmp_path / "source.stl")
        told = shape(tmp_path / "source.stl", steps, tmp_path / "out.stl")
        return read_triangles(tmp_path / "out.stl"), told[-1]

    return shaped


def size(triangles):
    return np.ptp(triangles.reshape(-1, 3), axis=0)


def test_auto_translate_puts_the_lowest_corner_at_the_origin(shaped):
    part = ball(12)

    for x, y, z in np.random.default_rng(1).uniform(-500, 500, (10, 3)):
        steps = [Rotate(x, y, z), Scale(110, 90, 70), Translate(x, y, z), AutoTranslate()]
        placed, told = shaped(part, *steps)
        assert (placed.min(axis=(0, 1)) == 0).all()
        assert len(told["offset"]) == 3


def test_auto_translate_centres_the_part_in_the_build_volume(shaped):
    placed, told = shaped(box((5, 5, 5), (15, 25, 35)), AutoTranslate(BUILD))

    assert (placed.min(axis=(0, 1)) == (45, 40, 0)).all()
    assert told["offset"] == [40.0, 35.0, -5.0]


def test_auto_translate_rejects_a_part_larger_than_the_build_volume(shaped):
    with pytest.raises(CannotShape, match=r"x is too long. At 76.92 % of its size") as rejection:
        shaped(ROD, AutoTranslate(BUILD))

    assert rejection.value.code == "does-not-fit"


def test_auto_scale_fills_the_build_volume_and_never_exceeds_it(shaped):
    random = np.random.default_rng(2)

    for exponent, x, y, z in random.uniform(-3, 4, (20, 4)):
        build = tuple(10.0 ** random.uniform(0, 3, 3))
        part = ball(8) * np.float32(10**exponent)
        scaled, told = shaped(part, Rotate(x * 30, y * 30, z * 30), AutoScale(build))
        share = size(scaled).astype(float) / build
        assert share.max() <= 1
        assert share.max() >= 0.99999
        assert told["factor"] == pytest.approx(size(scaled)[0] / size(part)[0], rel=0.05)


def test_auto_scale_is_uniform_about_the_origin(shaped):
    part = box((10, 10, 10), (20, 20, 30))

    scaled, told = shaped(part, AutoScale((100.0, 200.0, 300.0)))

    assert told["factor"] == pytest.approx(10, rel=1e-6)
    assert np.allclose(scaled, part * told["factor"])


def test_auto_scale_fits_after_rounding_far_from_the_origin(shaped):
    scaled, _ = shaped(box((1e5, 0, 0), (1e5 + 3, 3, 3)), AutoScale(BUILD))

    assert (size(scaled) <= BUILD).all()


def test_auto_scale_ignores_an_axis_without_extent(shaped):
    scaled, _ = shaped(np.array([[(0, 0, 0), (2, 0, 0), (0, 1, 0)]]), AutoScale(BUILD))

    assert size(scaled) == pytest.approx([100, 50, 0], rel=1e-6)


def test_auto_scale_rejects_a_point(shaped):
    with pytest.raises(CannotShape, match="one point") as rejection:
        shaped(np.ones((4, 3, 3)), AutoScale(BUILD))

    assert rejection.value.code == "no-extent"


def test_auto_rotate_turns_a_table_onto_its_top(shaped):
    turned, told = shaped(TABLE, AutoRotate(BUILD))

    assert told["matrix"] == [[1, 0, 0], [0, -1, 0], [0, 0, -1]]
    assert told["angles"] == [180.0, 0.0, 0.0]
    assert told["reason"] == "better"
    assert (told["contact_before"], told["contact_after"]) == (64.0, 1600.0)
    assert (told["overhang_before"], told["overhang_after"]) == (1600.0, 64.0)
    assert told["height"] == 24.0
    assert (turned == TABLE * (1, -1, -1)).all()


def test_auto_rotate_lays_a_part_flat_from_any_rotation(shaped):
    for degrees in np.random.default_rng(3).uniform(-180, 180, (10, 3)):
        turned, told = shaped(TABLE, Rotate(*degrees), AutoRotate(BUILD))

        assert told["contact_after"] == pytest.approx(1600, rel=1e-5)
        assert size(turned)[2] == pytest.approx(24, abs=1e-4)


def test_auto_rotate_lays_an_inverted_part_flat(shaped):
    _, told = shaped(TABLE[:, ::-1], AutoRotate(BUILD))

    assert told["contact_after"] == 1600.0


def test_auto_rotate_leaves_a_well_oriented_part_byte_for_byte(shaped, tmp_path):
    shaped(TABLE * (1, -1, -1), Translate(0, 0, 0))
    analyse(tmp_path / "out.stl", tmp_path / "canonical.stl")

    [told] = shape(tmp_path / "canonical.stl", [AutoRotate(BUILD)], tmp_path / "out.stl")

    assert told["reason"] == "as-it-stands"
    assert (tmp_path / "out.stl").read_bytes() == (tmp_path / "canonical.stl").read_bytes()


def test_reported_angles_reproduce_the_rotation(shaped):
    part = TABLE @ np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    part = part[:, ::-1] if analysed_inverted(part) else part

    turned, told = shaped(part, AutoRotate(BUILD))
    again, _ = shaped(part, Rotate(*told["angles"]))

    assert np.allclose(turned, again, atol=1e-5)


def analysed_inverted(triangles):
    a, b, c = np.moveaxis(triangles, 1, 0)
    return np.einsum("ij,ij->", a, np.cross(b, c)) < 0


def test_auto_rotate_turns_a_part_to_fit_exactly(shaped):
    turned, told = shaped(box((0, 0, 0), (10, 20, 30)), AutoRotate((30.0, 20.0, 10.0)))

    assert told["reason"] == "to-fit"
    assert (size(turned) == (30, 20, 10)).all()


def test_auto_rotate_lays_a_rod_across_the_plate_diagonal(shaped):
    turned, told = shaped(ROD, AutoRotate(BUILD))

    assert told["reason"] == "to-fit"
    assert told["size"] == pytest.approx([93.338, 93.338, 2], abs=1e-3)
    assert (size(turned) <= BUILD).all()


def test_auto_rotate_lays_a_longer_rod_across_the_volume_diagonal(shaped):
    turned, told = shaped(box((0, 0, 0), (160, 2, 2)), AutoRotate(BUILD))

    assert told["reason"] == "diagonal"
    assert size(turned).max() < 95
    assert shaped(box((0, 0, 0), (160, 2, 2)), AutoRotate(BUILD))[1] == told


def test_part_that_fits_in_no_rotation_is_rejected_with_a_scale_factor(shaped, tmp_path):
    rod = box((0, 0, 0), (175, 2, 2))

    with pytest.raises(CannotShape, match=r"1.031 times too large.* Scale it to 96.9") as rejection:
        shaped(rod, AutoRotate(BUILD))

    assert rejection.value.code == "does-not-fit"
    assert not (tmp_path / "out.stl").exists()
    assert (size(shaped(rod * 0.969, AutoRotate(BUILD))[0]) <= BUILD).all()


def test_auto_rotate_result_never_exceeds_the_build_volume(shaped):
    random = np.random.default_rng(5)
    fitted = 0

    for _ in range(30):
        part = (
            box((0, 0, 0), random.uniform(20, 120, 3)) @ np.linalg.qr(random.normal(size=(3, 3)))[0]
        )
        build = tuple(random.uniform(60, 120, 3))
        try:
            turned, _ = shaped(part, AutoRotate(build))
        except CannotShape:
            continue
        assert (size(turned) <= build).all()
        fitted += 1

    assert fitted > 10


@pytest.mark.parametrize(
    "part",
    [
        [[(0, 0, 0), (3, 0, 0), (0, 4, 5)]],
        [[(0, 0, 0), (1, 1, 1), (2, 2, 2)]],
        [[(1, 1, 1)] * 3],
        [[(0, 0, 0), (50, 0, 0), (0, 50, 0)], [(50, 0, 0), (50, 50, 0), (0, 50, 0)]],
        [[(0, 0, 0), (90, 1e-5, 0), (90, 0, 1e-5)]],
    ],
    ids=["triangle", "line", "point", "sheet", "needle"],
)
def test_auto_rotate_accepts_degenerate_bodies(shaped, part):
    turned, told = shaped(np.array(part, dtype=float), AutoRotate(BUILD))

    assert (size(turned) <= BUILD).all()
    assert told["height"] == pytest.approx(size(turned)[2], abs=1e-4)


def test_auto_rotate_lays_a_sphere_on_a_facet(shaped, tmp_path):
    turned, told = shaped(ball(40), AutoRotate((20.0, 20.0, 20.0)))

    assert told["contact_before"] == 0
    assert told["contact_after"] > 0
    assert (size(turned) <= 20).all()
    assert analyse(tmp_path / "out.stl").manifold
