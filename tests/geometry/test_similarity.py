import json
import math
from pathlib import Path

import numpy as np
import pytest
from manifold3d import CrossSection, Manifold

from geometry.mesh import area_vectors
from geometry.mesh.aabb_tree import AabbTree
from geometry.sample_part import bracket
from geometry.similarity import SIZE, compare, describe, deviation, estimate, unit_hint
from tests.geometry.shapes import ball, box

KNOWN = Path(__file__).with_name("similarity_vectors.json")


def triangles_of(solid):
    mesh = solid.to_mesh64()
    return mesh.vert_properties[:, :3][mesh.tri_verts]


def angle(*, hole=2.5):
    """An angle of unequal legs with one hole near an end: no symmetry at all."""
    solid = Manifold.cube((40, 6, 25)) + Manifold.cube((6, 30, 18))
    drill = Manifold.cylinder(40, hole, circular_segments=32, center=True).rotate((90, 0, 0))
    return triangles_of(solid - drill.translate((30, 0, 17)))


def gear(teeth):
    turn = np.linspace(0, 2 * np.pi, 4 * teeth, endpoint=False)
    radius = np.where(np.arange(4 * teeth) % 4 < 2, 20.0, 17.0)
    outline = CrossSection([np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])])
    return triangles_of(outline.extrude(6))


def holed_plate(*radii):
    plate = Manifold.cube((40, 40, 4), center=True)
    for radius, x, y in zip(radii, (12, -12, 12, -12), (12, 12, -12, -12), strict=True):
        drill = Manifold.cylinder(10, radius, circular_segments=32, center=True)
        plate -= drill.translate((x, y, 0))
    return triangles_of(plate)


def torus():
    circle = CrossSection.circle(4, 32).translate((15, 0))
    return triangles_of(circle.revolve(64))


SOLIDS = {
    "cube": box((0, 0, 0), (10, 10, 10)),
    "box": box((0, 0, 0), (10, 20, 33)),
    "prism": triangles_of(Manifold.cylinder(20, 10, circular_segments=6)),
    "disc": triangles_of(Manifold.cylinder(3, 20, circular_segments=96)),
    "gear": gear(24),
    "cone": triangles_of(Manifold.cylinder(20, 10, 0, 64)),
    "sphere": ball(16),
    "torus": torus(),
    "plate with four equal holes": holed_plate(3, 3, 3, 3),
    "plate with a larger hole": holed_plate(3, 3, 3, 4),
    "angle": angle(),
}


def placed(triangles, *, seed=0, scale=3.7, far=100.0):
    """Turned, scaled, moved; triangles and their corners in another order."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    moved = triangles @ turn.T * scale + far * scale * rng.normal(size=3)
    return np.roll(rng.permutation(moved), 1, axis=1)


def mirrored(triangles):
    return (triangles * [-1, 1, 1])[:, ::-1]


def l1(a, b):
    return np.abs(np.array(a.vector) - b.vector).sum()


@pytest.mark.parametrize(("seed", "scale", "far"), [(1, 1e-3, 0), (2, 25.4, 50), (3, 1e3, 300)])
def test_descriptor_does_not_depend_on_position_rotation_or_scale(stl, seed, scale, far):
    part = describe(stl(angle()))
    copy = describe(stl(placed(angle(), seed=seed, scale=scale, far=far)))

    assert l1(part, copy) <= 0.02
    assert copy.radii == pytest.approx(part.radii, rel=2e-5)
    assert copy.area_ratio == pytest.approx(part.area_ratio, rel=2e-5)
    assert copy.volume_ratio == pytest.approx(part.volume_ratio, rel=1e-4)
    assert copy.rms == pytest.approx(part.rms * scale, rel=2e-5)


def test_mirror_image_has_the_same_descriptor_vector(stl):
    assert l1(describe(stl(angle())), describe(stl(placed(mirrored(angle()))))) <= 0.02


def test_different_parts_have_different_descriptor_vectors(stl):
    known = [describe(stl(SOLIDS[name])) for name in ("disc", "box", "angle", "torus")]

    apart = [l1(a, b) for number, a in enumerate(known) for b in known[:number]]

    assert min(apart) > 0.5


def test_descriptor_of_a_cube_matches_its_surface(stl):
    cube = describe(stl(box((0, 0, 0), (2, 2, 2))))

    rms = math.sqrt(1 + 1 / 3 + 1 / 3)  # a side's distance from the middle, and its own spread
    assert cube.rms == pytest.approx(rms)
    assert cube.radii == pytest.approx([3**-0.5] * 3)
    assert cube.area_ratio == pytest.approx(24 / rms**2)
    assert cube.volume_ratio == pytest.approx(8 / rms**3)
    assert (len(cube.vector), cube.triangles) == (SIZE, 12)
    assert cube.diagonal == pytest.approx(math.sqrt(12))


def test_descriptor_vectors_match_the_stored_reference(stl):
    """Otherwise DESCRIPTOR_VERSION has to rise, and every model to be described again."""
    for name, vector in json.loads(KNOWN.read_text()).items():
        now = describe(stl(bracket() if name == "bracket" else SOLIDS[name])).vector

        assert np.abs(np.array(now) - vector).max() <= 1e-3, name


def test_descriptor_and_comparison_are_json_serializable(stl):
    part = stl(SOLIDS["box"])

    assert json.loads(json.dumps(describe(part)._asdict()))["triangles"] == 12
    assert json.loads(json.dumps(compare(part, part)._asdict()))["verdict"] == "identical"


@pytest.mark.parametrize("name", SOLIDS)
def test_copy_is_classified_identical_with_an_exact_transform(stl, name):
    solid = SOLIDS[name].astype(np.float32).astype(float)
    copy = placed(solid, scale=25.4).astype(np.float32).astype(float)

    found = compare(stl(solid), stl(copy))

    assert (found.verdict, found.percentage, found.mirrored) == ("identical", 100.0, False)
    assert found.scale_factor == pytest.approx(25.4, rel=1e-6)
    matrix = np.array(found.transform)
    led = solid.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    diagonal = np.linalg.norm(np.ptp(copy.reshape(-1, 3), axis=0))
    assert AabbTree(copy).nearest(led).distances.max() <= 1e-4 * diagonal
    assert np.linalg.det(matrix[:3, :3]) > 0


@pytest.mark.parametrize(
    ("name", "symmetric"),
    [
        ("cube", True),
        ("gear", True),
        ("sphere", True),
        ("plate with four equal holes", True),
        ("angle", False),
    ],
)
def test_symmetric_flag_is_set_when_several_poses_fit(stl, name, symmetric):
    solid = SOLIDS[name]

    assert compare(stl(solid), stl(placed(solid))).symmetric is symmetric


def test_pose_with_the_smallest_rotation_is_returned(stl):
    cube = SOLIDS["cube"]

    matrix = compare(stl(cube), stl(cube * 2 + 5)).transform

    assert np.allclose(matrix, [[2, 0, 0, 5], [0, 2, 0, 5], [0, 0, 2, 5], [0, 0, 0, 1]], atol=1e-4)


def test_mirror_image_is_classified_mirrored_and_very_similar(stl):
    found = compare(stl(angle()), stl(placed(mirrored(angle()))))

    assert (found.verdict, found.mirrored) == ("very_similar", True)
    assert found.largest_share <= 1e-5
    assert found.percentage == 99.9
    assert np.linalg.det(np.array(found.transform)[:3, :3]) < 0


@pytest.mark.parametrize("change", [lambda knob: knob, mirrored], ids=["copy", "mirror image"])
def test_small_marks_select_the_pose_among_similar_ones(stl, change):
    mark = Manifold.cube((0.4, 0.3, 0.5), center=True).translate((7, 2, 5))
    knob = Manifold.cylinder(5, 12, circular_segments=90)
    for turn in (0, 120, 240):
        knob -= mark.rotate((0, 0, turn))
    knob = triangles_of(knob)

    found = compare(stl(knob), stl(placed(change(knob), seed=5)))

    assert found.largest_share <= 1e-6
    assert found.mirrored is (change is mirrored)


def test_part_with_a_symmetry_plane_is_not_classified_as_mirrored(stl):
    found = compare(stl(SOLIDS["plate with a larger hole"]), stl(mirrored(holed_plate(3, 3, 3, 4))))

    assert (found.verdict, found.mirrored) == ("identical", False)


@pytest.mark.parametrize("name", ["angle", "disc", "box"])
def test_part_stretched_by_one_percent_is_not_identical(stl, name):
    stretched = SOLIDS[name] * [1.01, 1, 1]

    found = compare(stl(SOLIDS[name]), stl(placed(stretched)))

    assert found.verdict == "very_similar"
    assert found.percentage < 99.9


def test_small_hole_is_detected_and_measured(stl):
    block = Manifold.cube((40, 30, 20), center=True)
    drill = Manifold.cylinder(30, 0.27, circular_segments=16, center=True)  # 1 % of the diagonal

    found = compare(
        stl(triangles_of(block)), stl(placed(triangles_of(block - drill.translate((7, 4, 0)))))
    )

    assert found.verdict == "very_similar"
    assert found.largest_share > 0.1  # the middle of the hole's wall is deep inside


def test_small_bump_is_detected_with_its_height(stl):
    block = Manifold.cube((40, 30, 20), center=True)
    radius = 0.005 * math.dist((0, 0, 0), (40, 30, 20))
    pimple = Manifold.sphere(radius, 32).translate((11, 6, 10))

    match = stl(placed(triangles_of(block + pimple), scale=2.0))

    found = compare(stl(triangles_of(block)), match)

    assert found.verdict == "very_similar"
    assert found.largest == pytest.approx(2 * radius, rel=1e-3)
    assert found.largest_share == pytest.approx(found.largest / describe(match).diagonal)


def test_resolution_of_the_deviation_is_reported(stl, monkeypatch):
    part, drilled = stl(angle()), stl(angle(hole=2.6))

    assert compare(part, drilled).resolution == 0  # all corners and triangles were asked
    monkeypatch.setattr(deviation, "ENOUGH", 100)
    assert compare(part, stl(placed(angle()))).resolution == 0  # as ever, for a proof
    area = np.linalg.norm(area_vectors(angle(hole=2.6).reshape(-1, 9).T), axis=0).sum() / 2
    assert compare(part, drilled).resolution == pytest.approx(math.sqrt(area / 100), rel=0.02)


def test_different_parts_are_classified_different(stl):
    found = compare(stl(SOLIDS["box"]), stl(SOLIDS["torus"]))

    assert (found.verdict, found.verified) == ("different", True)
    assert found.percentage < 40


def test_estimated_similarity_falls_with_the_descriptor_distance():
    told = [estimate(distance) for distance in (0.0, 0.15, 0.3, 1.0, 2.5, 5.0)]

    assert told[:3] == [
        (0.0, 99.9),
        (0.16, pytest.approx(92.3, abs=0.1)),
        (0.7, pytest.approx(70.5, abs=0.1)),
    ]
    assert sorted(told) == told
    assert [percentage for _, percentage in told] == sorted((p for _, p in told), reverse=True)


@pytest.mark.parametrize(
    ("scale", "unit"),
    [
        (25.4, "inch"),
        (1 / 25.4, "inch"),
        (10.004, "cm"),
        (0.001, "metre"),
        (1.0, None),
        (25.5, None),
    ],
)
def test_scale_factor_suggests_the_unit_of_one_file(scale, unit):
    assert unit_hint(scale) == unit
