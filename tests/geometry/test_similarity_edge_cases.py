import numpy as np
import pytest

from geometry.mesh import InvalidMesh
from geometry.similarity import compare, describe
from tests.geometry.shapes import ball, box
from tests.geometry.test_similarity import angle, l1, mirrored, placed


def lattice(side):
    """A flat sheet of 2 side^2 triangles, 30 x 20."""
    x, y = np.meshgrid(np.linspace(0, 30, side + 1), np.linspace(0, 20, side + 1), indexing="ij")
    grid = np.stack([x, y, 0 * x], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.stack([a, b, c, a, c, d], axis=2).reshape(-1, 3, 3)


NOTHING = {
    "three triangles": box((0, 0, 0), (1, 1, 1))[:3],
    "four times the same": np.repeat(box((0, 0, 0), (1, 1, 1))[:1], 4, axis=0),
    "one point": np.ones((12, 3, 3)),
    "no area": box((0, 0, 0), (1, 1, 1)) * [1, 0, 0],
}


@pytest.mark.parametrize("triangles", NOTHING.values(), ids=NOTHING)
def test_model_without_surface_is_rejected_with_a_message(stl, triangles):
    with pytest.raises(InvalidMesh, match="There is nothing to index") as rejection:
        describe(stl(triangles))

    assert rejection.value.code == "nothing-to-index"


def test_triangle_soup_is_very_similar_to_its_part(stl):
    rng = np.random.default_rng(0)
    part = ball(12)
    kept = part[rng.random(len(part)) > 0.05]
    soup = np.where(rng.random((len(kept), 1, 1)) < 0.2, kept[:, ::-1], kept)

    description = describe(stl(placed(soup)))
    found = compare(stl(part), stl(placed(soup)))

    assert description.volume_ratio is None
    assert l1(description, describe(stl(part))) < 0.3
    assert (found.verdict, found.mirrored) == ("very_similar", False)


def test_flipped_facets_change_only_the_volume_ratio(stl):
    part = angle()
    flipped = part.copy()
    flipped[::3] = flipped[::3, ::-1]

    assert describe(stl(flipped)).vector == describe(stl(part)).vector
    assert describe(stl(flipped)).volume_ratio is None


def test_duplicate_facets_count_once(stl):
    part = angle()
    doubled = np.concatenate([part, part[:, [2, 1, 0]]])

    assert describe(stl(doubled)) == describe(stl(part))


@pytest.mark.parametrize("scale", [1e-20, 1e30])
def test_very_small_and_very_large_models_are_compared(stl, scale):
    found = compare(stl(angle()), stl(angle() * scale))

    assert found.verdict == "identical"
    assert found.scale_factor == pytest.approx(scale, rel=1e-5)


def test_mirror_image_of_a_flat_sheet_is_not_mirrored(stl):
    sheet = lattice(3)[1:]

    found = compare(stl(sheet), stl(placed(mirrored(sheet))))

    assert describe(stl(sheet)).radii[2] == pytest.approx(0, abs=1e-6)
    assert (found.verdict, found.mirrored) == ("identical", False)


def test_distant_triangle_does_not_break_the_comparison(stl):
    outlier = angle()[:1] * 1e-3 + 1e5
    part = np.concatenate([angle(), outlier])

    assert compare(stl(part), stl(placed(part, scale=2.0, far=0.0))).mean_share < 1e-3


def test_descriptor_does_not_depend_on_the_triangle_count(stl):
    assert l1(describe(stl(lattice(2))), describe(stl(lattice(60)))) <= 0.01
