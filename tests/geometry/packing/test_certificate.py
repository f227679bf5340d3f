"""The certificate: exact, and it finds every way in which a packing can be wrong."""

import itertools

import numpy as np
import pytest
from manifold3d import Manifold

from geometry.formats.stl import write_binary
from geometry.mesh import winding_number
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.compiled.mesh_distance import least_distance, tree_boxes
from geometry.packing.metrics import bounds_of
from geometry.packing.request import Packing, PackItem, Placement, Volume, orientations
from geometry.packing.verification.certificate import certify, certify_file
from geometry.packing.verification.tree_order import tree_order
from tests.geometry.shapes import ball, box

CUBE = box((0, 0, 0), (10, 10, 10))
FACES = np.array(list(itertools.combinations(range(4), 3)))
ROOM = Volume(200, 200, 200)


def piece(triangles, quantity=1, policy="free", name="part.stl"):
    return PackItem(name, np.asarray(triangles, np.float32), quantity, orientations(policy))


def at(x, y, z, rotation=None):
    transform = np.eye(4)
    transform[:3, 3] = x, y, z
    if rotation is not None:
        transform[:3, :3] = rotation
    return transform


def packed(pieces, *transforms, unplaced=()):
    """A packing with these transforms for the copies of all pieces, one after the other."""
    copies = [(i, copy) for i, p in enumerate(pieces) for copy in range(p.quantity)]
    copies = [copy for copy in copies if copy not in unplaced]
    placements = tuple(
        Placement(i, copy, transform, None)
        for (i, copy), transform in zip(copies, transforms, strict=True)
    )
    corners = [
        pieces[p.piece].triangles.reshape(-1, 3) @ p.transform[:3, :3].T + p.transform[:3, 3]
        for p in placements
    ]
    height = float(np.float32(max(c[:, 2].max() for c in corners))) if corners else 0.0
    return Packing(placements, tuple(unplaced), height, 0.0, 0, "done", "test", 0.0)


def codes(certificate):
    return [violation.code for violation in certificate.violations]


def of_hulls(first, second):
    """The distance of two tetrahedra that do not meet: the least over all pairs of features.

    The nearest points of a pair are where both gradients vanish; they count if they are within.
    """
    best = np.inf
    features = [c for size in (1, 2, 3) for c in itertools.combinations(range(4), size)]
    for a, b in itertools.product(features, repeat=2):
        p, q = first[list(a)], second[list(b)]
        sides = np.concatenate([p[1:] - p[0], q[0] - q[1:]]).T.reshape(3, -1)
        weights = np.linalg.lstsq(sides, q[0] - p[0], rcond=None)[0]
        s, t = weights[: len(a) - 1], weights[len(a) - 1 :]
        if min([*s, *t, 1 - s.sum(), 1 - t.sum()]) >= -1e-12:
            best = min(best, np.linalg.norm(sides @ weights - (q[0] - p[0])))
    return best


def distance_of(first, second, bound=1e9):
    ready = []
    for triangles in (first, second):
        order = tree_order(triangles)
        ordered = np.ascontiguousarray(triangles[order.reshape(-1)])
        ready += [ordered, tree_boxes(ordered, len(order))]
    return least_distance(*ready, bound)[0]


def test_distance_of_tetrahedra_is_exact():
    random = np.random.default_rng(3)
    worst = 0.0
    for _ in range(120):
        first, second = random.normal(size=(2, 4, 3)).astype(np.float32) * np.float32(5)
        direction = random.normal(size=3)
        second += (30 * direction / np.linalg.norm(direction)).astype(np.float32)
        wanted = of_hulls(first.astype(np.float64), second.astype(np.float64))
        worst = max(worst, abs(distance_of(first[FACES], second[FACES]) - wanted))

    assert worst < 1e-9


@pytest.mark.parametrize("turn", range(5))
def test_mesh_distance_matches_manifold3d(turn):
    rough = Manifold.sphere(10, 24) - Manifold.cylinder(30, 4, circular_segments=16, center=True)
    other = Manifold.cube((12, 7, 20)).rotate((17.0 * turn, 31.0, 5.0 + turn))
    other = other.translate((9.0, 8.0, 4.0 * turn - 8.0)).rotate((0, 0, 40.0 * turn))
    meshes = [body.to_mesh() for body in (rough, other)]
    solids = [
        np.asarray(mesh.vert_properties, np.float32)[:, :3][mesh.tri_verts] for mesh in meshes
    ]

    distance = distance_of(*solids)

    assert distance == pytest.approx(rough.min_gap(other, 100.0), abs=1e-5)


def test_distance_beyond_the_bound_is_the_bound():
    assert distance_of(CUBE, CUBE + np.float32(20), bound=5.0) == 5.0
    assert distance_of(CUBE, CUBE + np.float32([15, 0, 0])) == 5.0


def test_intersecting_triangles_have_distance_zero():
    first = np.array([[[0, 0, 0], [10, 0, 0], [0, 10, 0]]], np.float32)
    through = np.array([[[2, 2, -5], [2, 2, 5], [3, 2, 5]]], np.float32)
    coplanar = np.array([[[1, 1, 0], [20, 1, 0], [1, 20, 0]]], np.float32)

    assert distance_of(first, through) == 0.0
    assert distance_of(first, coplanar) == 0.0


def test_degenerate_triangles_have_distances():
    needle = np.array([[[0, 0, 0], [10, 0, 0], [5, 0, 0]]], np.float32)
    point = np.array([[[4, 3, 0]] * 3], np.float32)

    assert distance_of(needle, point) == 3.0
    assert distance_of(point, point + np.float32([0, 0, 2])) == 2.0


def test_winding_number_is_one_inside_and_zero_outside():
    assert winding_number(np.array([1.0, 2, 3]), ball(20)) == pytest.approx(1)
    assert winding_number(np.array([1.0, 2, 13]), ball(20)) == pytest.approx(0, abs=1e-9)
    assert winding_number(np.array([5.0, 5, 1]), CUBE[:, ::-1]) == pytest.approx(-1)


def test_certificate_reports_smallest_clearance_and_margin():
    cubes = [piece(CUBE, 3)]
    packing = packed(cubes, at(1, 5, 5), at(13.5, 5, 5), at(50, 5, 5))

    certificate = certify(cubes, packing, ROOM, 2.0)

    assert certificate.valid
    assert (certificate.smallest, certificate.pair) == (2.5, (0, 1))
    assert (certificate.near_pairs, certificate.margin) == (1, 1.0)


def test_certificate_reports_smallest_clearance_of_distant_parts():
    cubes = [piece(CUBE, 3)]
    packing = packed(cubes, at(0, 0, 0), at(100, 0, 0), at(0, 150, 0))

    certificate = certify(cubes, packing, ROOM, 2.0)

    assert (certificate.smallest, certificate.pair) == (90.0, (0, 1))


def test_single_part_has_no_clearance():
    certificate = certify([piece(CUBE)], packed([piece(CUBE)], at(5, 5, 5)), ROOM, 2.0)

    assert certificate.valid
    assert (certificate.smallest, certificate.pair, certificate.margin) == (None, None, 5.0)


def test_every_pair_below_the_clearance_is_reported():
    cubes = [piece(CUBE, 4)]
    packing = packed(cubes, at(0, 0, 0), at(11, 0, 0), at(0, 11.5, 0), at(50, 50, 50))

    certificate = certify(cubes, packing, ROOM, 2.0)

    found = {violation.placements: violation.missing for violation in certificate.violations}
    assert found == {(0, 1): 1.0, (0, 2): 0.5, (1, 2): pytest.approx(2 - np.sqrt(1 + 1.5**2))}
    assert certificate.smallest == 1.0
    assert "part.stl (copy 1) and part.stl (copy 2) are 1.0" in certificate.violations[0].title


def test_intersecting_parts_are_too_near_at_zero_distance():
    bars = [piece(box((0, 0, 0), (40, 4, 4)), 2)]
    turned = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    packing = packed(bars, at(0, 20, 10), at(24, 2, 10, turned))

    certificate = certify(bars, packing, ROOM, 0.0)

    assert codes(certificate) == ["too-near"]
    assert certificate.smallest == 0.0


def test_parts_can_touch_at_zero_distance():
    cubes = [piece(CUBE, 2)]
    touching = packed(cubes, at(0, 0, 0), at(10, 3, 0))
    overlapping = packed(cubes, at(0, 0, 0), at(5, 0, 0))

    assert certify(cubes, touching, ROOM, 0.0).valid
    assert codes(certify(cubes, overlapping, ROOM, 0.0)) == ["too-near"]


def test_part_within_another_is_reported():
    pieces = [piece(box((0, 0, 0), (60, 60, 60))), piece(CUBE)]
    packing = packed(pieces, at(0, 0, 0), at(25, 25, 25))

    certificate = certify(pieces, packing, ROOM, 2.0)

    assert codes(certificate) == ["one-within-another"]
    assert certificate.violations[0].placements == (1, 0)


def test_shell_within_another_part_is_reported():
    twins = np.concatenate([CUBE, CUBE + np.float32([100, 0, 0])])
    pieces = [piece(box((0, 0, 0), (60, 60, 60))), piece(twins)]
    packing = packed(pieces, at(0, 0, 0), at(25, 25, 25))

    assert codes(certify(pieces, packing, ROOM, 2.0)) == ["one-within-another"]


def test_part_in_an_open_hollow_of_another_is_valid():
    walls = [
        box((0, 0, 0), (60, 60, 4)),
        box((0, 0, 4), (4, 60, 60)),
        box((56, 0, 4), (60, 60, 60)),
    ]
    pieces = [piece(np.concatenate(walls)), piece(CUBE)]
    packing = packed(pieces, at(0, 0, 0), at(25, 25, 25))

    certificate = certify(pieces, packing, ROOM, 2.0)

    assert certificate.valid
    assert certificate.smallest == 21.0


@pytest.mark.parametrize(
    ("matrix", "code"),
    [
        (np.diag([-1.0, 1, 1]), "mirrored"),
        (np.diag([2.0, 1, 1]), "not-rigid"),
        (np.array([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "not-rigid"),
    ],
)
def test_mirrored_or_non_rigid_transform_is_reported(matrix, code):
    certificate = certify([piece(CUBE)], packed([piece(CUBE)], at(50, 5, 5, matrix)), ROOM, 2.0)

    assert codes(certificate) == [code]


def test_missing_or_duplicate_placement_is_reported():
    cubes = [piece(CUBE, 2)]
    whole = packed(cubes, at(0, 0, 0), at(20, 0, 0))
    first, second = whole.placements

    missing = whole._replace(placements=(first,))
    twice = whole._replace(placements=(first, second, second._replace(copy=0)))
    told = whole._replace(placements=(first,), unplaced=((0, 1),))

    assert codes(certify(cubes, missing, ROOM, 2.0)) == ["wrong-pieces"]
    assert codes(certify(cubes, twice, ROOM, 2.0)) == ["wrong-pieces"]
    assert certify(cubes, told, ROOM, 2.0).valid


@pytest.mark.parametrize(
    ("place", "wall", "mode", "missing"),
    [
        ((-0.5, 0, 0), 0.0, "volume", 0.5),
        ((0, 191, 0), 0.0, "volume", 1.0),
        ((5, 5, 2), 3.0, "volume", 1.0),
        ((2, 5, 0), 3.0, "plate", 1.0),
    ],
)
def test_part_outside_the_volume_is_reported(place, wall, mode, missing):
    packing = packed([piece(CUBE)], at(*place))

    certificate = certify([piece(CUBE)], packing, ROOM, 2.0, wall=wall, mode=mode)

    assert [(v.code, v.missing) for v in certificate.violations] == [("out-of-volume", missing)]


def test_wall_distance_does_not_apply_to_the_floor_in_plate_mode():
    packing = packed([piece(CUBE)], at(50, 60, 0))

    certificate = certify([piece(CUBE)], packing, ROOM, 2.0, wall=3.0, mode="plate")

    assert certificate.valid
    assert certificate.margin == 50.0


def test_wrong_height_is_reported():
    packing = packed([piece(CUBE)], at(50, 60, 0))._replace(height=9.0)

    assert codes(certify([piece(CUBE)], packing, ROOM, 2.0)) == ["wrong-height"]


def test_box_packer_result_is_certified():
    pieces = [piece(ball(8), 12), piece(box((0, 0, 0), (17.3, 4.1, 9.9)), 30)]
    packing = pack_boxes(pieces, ROOM, 1.3, wall=0.7)

    certificate = certify(pieces, packing, ROOM, 1.3, wall=0.7)

    assert certificate.valid
    assert certificate.smallest >= 1.3
    assert certificate.margin >= 0.7


def test_written_file_has_the_certificate_of_its_packing(tmp_path):
    pieces = [piece(ball(6), 3), piece(CUBE * np.float32(0.77), 4)]
    packing = pack_boxes(pieces, ROOM, 1.0)
    solids = [
        pieces[p.piece].triangles @ p.transform[:3, :3].T + p.transform[:3, 3]
        for p in packing.placements
    ]
    write_binary(np.concatenate(solids), tmp_path / "packed.stl")

    read = certify_file(tmp_path / "packed.stl", pieces, packing, ROOM, 1.0)

    assert read == certify(pieces, packing, ROOM, 1.0)
    assert len(read.digest) == 64


def test_file_that_differs_from_the_packing_is_reported(tmp_path):
    pieces = [piece(CUBE, 2)]
    packing = packed(pieces, at(0, 0, 0), at(20, 0, 0))
    path = tmp_path / "packed.stl"

    write_binary(CUBE, path)
    short = certify_file(path, pieces, packing, ROOM, 2.0)
    write_binary(np.concatenate([CUBE, CUBE + np.float32([20, 0.001, 0])]), path)
    moved = certify_file(path, pieces, packing, ROOM, 2.0)

    assert codes(short) == ["file-differs"]
    assert [(v.code, v.placements) for v in moved.violations] == [("file-differs", (1,))]


def test_bounds_are_the_extremes_of_the_vertices():
    assert bounds_of(CUBE + np.float32([1, 2, 3])).tolist() == [[1, 2, 3], [11, 12, 13]]
