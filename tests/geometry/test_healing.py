import json

import numpy as np
import pytest
import trimesh
from manifold3d import Error, Manifold, Mesh

from geometry.formats.stl import read_triangles, write_binary
from geometry.healing import heal, pipeline
from input_errors import InputError
from tests.geometry.shapes import box

CUBE = box((0, 0, 0), (10, 10, 10))


@pytest.fixture
def healed(tmp_path):
    """Heal triangles; the result as another library reads it, and the receipt.

    Every result has to be accepted by two other libraries, which must agree with the receipt.
    """

    def healed(*parts, **limits):
        source, out = tmp_path / "in.stl", tmp_path / "out.stl"
        write_binary(np.concatenate(parts), source)
        receipt = heal(str(source), str(out), **limits)
        mesh = trimesh.load_mesh(out)
        solid = Manifold(Mesh(mesh.vertices.astype(np.float32), mesh.faces.astype(np.uint32)))
        assert mesh.is_watertight and mesh.is_winding_consistent
        assert solid.status() == Error.NoError
        assert receipt["after"]["manifold"]
        assert receipt["after"]["volume"] == pytest.approx(mesh.volume, rel=1e-6)
        assert receipt["after"]["surface_area"] == pytest.approx(mesh.area, rel=1e-6)
        assert json.loads(json.dumps(receipt))["kernel"] == 2
        return mesh, receipt

    return healed


@pytest.fixture
def refused(tmp_path):
    """Heal triangles that cannot be; the error, after which there is no file."""

    def refused(*parts, **limits):
        source, out = tmp_path / "in.stl", tmp_path / "out.stl"
        write_binary(np.concatenate(parts), source)
        with pytest.raises(InputError) as rejection:
            heal(str(source), str(out), **limits)
        assert not out.exists()
        return rejection.value

    return refused


def turned(triangles):
    return triangles[:, ::-1]


def sphere():
    """(m, 3, 3): of radius 10, closed to the last bit."""
    mesh = Manifold.sphere(10, 64).to_mesh()
    return np.asarray(mesh.vert_properties, dtype=np.float32)[:, :3][mesh.tri_verts] + np.float32(0)


def steps(receipt):
    return [step["name"] for step in receipt["steps"]]


def tube(segments=48):
    """(m, 3, 3): a pipe of radii 6 and 10, 20 high; its top ring comes last, 2 * segments."""
    angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(segments)])
    up = np.array([0, 0, 20.0])
    outer, inner = 10 * ring, 6 * ring
    triangles = []
    for a, b in [
        (outer, outer + up),
        (inner + up, inner),
        (inner, outer),
        (outer + up, inner + up),
    ]:
        next_a, next_b = np.roll(a, -1, axis=0), np.roll(b, -1, axis=0)
        triangles += [np.stack([a, next_a, next_b], axis=1), np.stack([a, next_b, b], axis=1)]
    return np.concatenate(triangles).astype(np.float32)


def test_valid_part_is_returned_byte_for_byte(tmp_path):
    source, out = tmp_path / "in.stl", tmp_path / "out.stl"
    line = np.repeat(CUBE[:1, :1], 3, axis=1)  # also where a facet has equal corners
    write_binary(np.concatenate([sphere(), line]), source)
    data = bytearray(source.read_bytes())
    data[:5] = b"named"
    source.write_bytes(data)

    receipt = heal(str(source), str(out))

    assert out.read_bytes() == data
    assert receipt["nothing_to_do"] is True
    assert receipt["steps"] == []


def test_receipt_of_one_missing_facet_is_exact(healed):
    _, receipt = healed(CUBE[:11])

    [step] = receipt["steps"]
    assert step.pop("seconds") >= 0
    assert step == {
        "name": "holes",
        "triangles": 12,
        "open_edges": 0,
        "nonmanifold_edges": 0,
        "misoriented_edges": 0,
    }
    assert receipt["before"] == {
        "triangles": 11,
        "manifold": False,
        "open_edges": 3,
        "nonmanifold_edges": 0,
        "misoriented_edges": 0,
        "holes": 1,
        "degenerate": 0,
        "duplicates": 0,
        "surface_area": 550.0,
        "volume": None,
        "bounds": ((0.0, 0.0, 0.0), (10.0, 10.0, 10.0)),
        "shells": 1,
    }
    assert receipt["after"] == receipt["before"] | {
        "triangles": 12,
        "manifold": True,
        "open_edges": 0,
        "holes": 0,
        "surface_area": 600.0,
        "volume": 1000.0,
    }
    assert receipt["volume_estimate"] == pytest.approx(1000)
    assert receipt["volume_change"] == pytest.approx(0, abs=1e-12)
    assert receipt["filled_area_share"] == pytest.approx(50 / 600)
    assert (receipt["overlap_removed"], receipt["merged"]) == (0.0, False)
    assert receipt["facets_kept"] == 11


def test_deviation_of_a_missing_side_is_measured_on_its_patch(healed):
    side = (CUBE[:, :, 2] == 10).all(axis=1)

    _, receipt = healed(CUBE[~side])

    # From the middle of a square it is half its side to the rim, and a third of that on average.
    assert receipt["deviation"]["largest_mm"] == pytest.approx(5, rel=0.02)
    assert receipt["deviation"]["at"] == pytest.approx((5, 5, 10), abs=0.2)
    assert receipt["deviation"]["mean_mm"] == pytest.approx(5 / 3 / 6, rel=0.02)
    assert receipt["deviation"]["kept_mm"] == 0


def test_hole_in_a_curved_surface_is_filled_with_correct_figures(healed):
    whole = sphere()
    away = np.linalg.norm(whole.mean(axis=1) - (10, 0, 0), axis=1)

    mesh, receipt = healed(whole[away > 4])

    invented = mesh.area - trimesh.Trimesh(*_indexed(whole[away > 4])).area
    assert receipt["filled_area_share"] == pytest.approx(invented / mesh.area, rel=1e-4)
    estimate = receipt["volume_estimate"]
    assert receipt["volume_change"] == pytest.approx((mesh.volume - estimate) / mesh.volume)
    assert mesh.volume == pytest.approx(trimesh.Trimesh(*_indexed(whole)).volume, rel=0.02)


def test_flipped_facets_are_reoriented(healed):
    whole = sphere()
    wrong = np.random.default_rng(1).random(len(whole)) < 0.2

    mesh, receipt = healed(np.where(wrong[:, None, None], turned(whole), whole))

    assert steps(receipt) == ["winding"]
    assert receipt["before"]["misoriented_edges"] > 100
    assert receipt["facets_kept"] == len(whole)
    assert receipt["deviation"] == {"largest_mm": 0, "mean_mm": 0, "kept_mm": 0, "at": None}
    assert mesh.volume == pytest.approx(trimesh.Trimesh(*_indexed(whole)).volume)


def test_inverted_part_is_reoriented_with_its_cavity(healed):
    cavity = turned(box((3, 3, 3), (7, 7, 7)))

    mesh, receipt = healed(turned(CUBE), turned(cavity))

    assert steps(receipt) == ["outward"]
    assert mesh.volume == pytest.approx(1000 - 64)


def test_cavity_is_preserved(healed):
    mesh, receipt = healed(CUBE[:11], turned(box((3, 3, 3), (7, 7, 7))))

    assert receipt["after"]["shells"] == 2
    assert mesh.volume == pytest.approx(1000 - 64)


def test_duplicate_shell_is_kept_once(healed):
    _, receipt = healed(CUBE, CUBE)

    assert steps(receipt) == ["doubles"]
    assert (receipt["after"]["triangles"], receipt["after"]["volume"]) == (12, 1000)


def test_duplicate_shell_with_holes_is_kept_once(healed):
    _, receipt = healed(CUBE[:11], CUBE[:11])

    assert (receipt["after"]["triangles"], receipt["after"]["volume"]) == (12, 1000)


def test_duplicate_facets_of_either_winding_are_kept_once(healed):
    _, receipt = healed(CUBE, CUBE[:1], turned(CUBE[4:5]))

    assert receipt["before"]["duplicates"] == 1
    assert (receipt["after"]["triangles"], receipt["after"]["volume"]) == (12, 1000)


def test_shared_wall_between_two_boxes_is_removed(healed):
    _, receipt = healed(CUBE, box((10, 0, 0), (20, 10, 10)))

    assert (receipt["after"]["triangles"], receipt["after"]["volume"]) == (20, 2000)


def test_overlapping_copies_are_merged_into_one_solid(healed):
    _, receipt = healed(CUBE, CUBE + np.float32(3))

    assert receipt["merged"] is True
    assert receipt["after"]["volume"] == pytest.approx(2000 - 343)
    assert receipt["overlap_removed"] == pytest.approx(343)
    # The corner of one cube lies 3 mm below the other's sides.
    assert receipt["deviation"]["largest_mm"] == pytest.approx(3)
    assert receipt["deviation"]["kept_mm"] == pytest.approx(0, abs=1e-6)


def test_overlapping_copies_are_kept_when_merge_is_false(healed):
    _, receipt = healed(CUBE, CUBE + np.float32(3), merge=False)

    assert receipt["nothing_to_do"] is True
    assert (receipt["merged"], receipt["after"]["volume"]) == (None, 2000)


def test_t_junction_is_closed(healed):
    a, b, c = CUBE[0]
    middle = (a + b) / 2

    _, receipt = healed(CUBE[1:], np.array([(a, middle, c), (middle, b, c)]))

    assert steps(receipt) == ["junctions"]
    assert (receipt["after"]["triangles"], receipt["after"]["volume"]) == (14, 1000)
    assert receipt["filled_area_share"] == 0


@pytest.mark.parametrize(("width", "step"), [(1e-7, "noise"), (1e-4, "cracks")])
def test_cracks_are_stitched(healed, width, step):
    whole = sphere()
    whole[::7] += np.float32(width * 34)

    mesh, receipt = healed(whole)

    assert steps(receipt)[-1] == step
    assert mesh.volume == pytest.approx(trimesh.Trimesh(*_indexed(sphere())).volume, rel=1e-5)
    assert receipt["deviation"]["largest_mm"] <= width * 34 * 3


def test_missing_ring_of_a_tube_is_filled_as_a_ring(healed):
    pipe = tube()

    mesh, receipt = healed(pipe[:-96])

    whole = trimesh.Trimesh(*_indexed(pipe))
    assert (mesh.volume, mesh.area) == (pytest.approx(whole.volume), pytest.approx(whole.area))
    assert receipt["volume_change"] == pytest.approx(0, abs=1e-9)


def test_cubes_that_share_an_edge_are_separated_slightly(healed):
    mesh, receipt = healed(CUBE, box((10, 10, 0), (20, 20, 10)))

    assert receipt["before"]["nonmanifold_edges"] == 1
    assert steps(receipt) == ["touching"]
    assert len(mesh.split()) == 2
    assert mesh.volume == pytest.approx(2000, rel=1e-4)
    assert 0 < receipt["deviation"]["largest_mm"] < 1e-3


def test_part_that_touches_itself_at_an_edge_is_separated_there(healed):
    # Two towers on one plate, edge to edge, the plate below them: they hang together elsewhere.
    plate = Manifold.cube((20, 20, 5))
    towers = [Manifold.cube((10, 10, 10)).translate((x, x, 5)) for x in (0, 10)]
    mesh = (plate + towers[0] + towers[1]).to_mesh()
    part = np.asarray(mesh.vert_properties, dtype=np.float32)[:, :3][mesh.tri_verts]

    result, receipt = healed(part)

    assert receipt["before"]["nonmanifold_edges"] == 1
    assert result.volume == pytest.approx(4000, rel=1e-4)


def test_hundreds_of_shells_are_healed_together(healed):
    cubes = [CUBE + np.float32((20 * i, 20 * j, 0)) for i in range(25) for j in range(20)]

    _, receipt = healed(*cubes[1:], CUBE[:11])

    assert (receipt["after"]["shells"], receipt["after"]["volume"]) == (500, 500_000)


def test_stray_triangle_is_removed(healed):
    _, receipt = healed(CUBE, CUBE[:1] + np.float32(30))

    assert (receipt["after"]["triangles"], receipt["after"]["volume"]) == (12, 1000)


def test_triangle_soup_is_rejected_as_not_solid(refused):
    soup = np.random.default_rng(1).random((100, 3, 3)).astype(np.float32)

    error = refused(soup)

    assert error.code == "nothing-solid"
    assert error.title == ("The model encloses no volume: 100 loose facets. Export it as a solid.")


def test_moebius_strip_is_rejected_as_not_mendable(refused):
    u = np.linspace(0, 2 * np.pi, 61)[:, None]
    v = np.array([-3.0, 3.0])
    radius = 20 + v * np.cos(u / 2)
    grid = np.stack([radius * np.cos(u), radius * np.sin(u), v * np.sin(u / 2)], axis=-1)
    a, b, c, d = grid[:-1, 0], grid[1:, 0], grid[1:, 1], grid[:-1, 1]
    strip = np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3, 3)

    error = refused(strip)

    assert error.code == "not-mendable"
    assert error.details["misoriented_edges"] > 0
    assert len(error.details["edges"][0]) == 2


def test_repair_above_the_volume_change_limit_is_rejected_with_receipt(refused, healed):
    whole = sphere()
    middles = whole.mean(axis=1)
    half = whole[middles[:, 2] > -4 + 3 * np.sin(middles[:, 0])]

    error = refused(half, max_volume_change=1e-6)

    assert error.code == "volume-moved"
    assert abs(error.details["volume_change"]) > 1e-6
    assert error.details["before"]["open_edges"] > 0
    _, receipt = healed(half, max_volume_change=1, max_filled_area=1)
    assert receipt["volume_change"] == error.details["volume_change"]


def test_repair_above_the_filled_area_limit_is_rejected(refused):
    side = (CUBE[:, :, 2] == 10).all(axis=1)

    error = refused(CUBE[~side], max_filled_area=0.1)

    assert error.code == "too-much-filled"
    assert error.title.startswith("Repair would invent 16.7% of the surface, more than the 10.0%")


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda data: b"", "empty-file"),
        (lambda data: b"no model at all", "not-stl"),
        (lambda data: data[:-20], "truncated"),
        (lambda data: data[:96] + b"\xff\xff\xff\x7f" + data[100:], "not-finite"),
    ],
)
def test_unreadable_file_is_rejected_with_its_error_code(tmp_path, damage, code):
    source = tmp_path / "in.stl"
    write_binary(CUBE, source)
    source.write_bytes(damage(source.read_bytes()))

    with pytest.raises(InputError) as rejection:
        heal(str(source), str(tmp_path / "out.stl"))

    assert rejection.value.code == code


def test_model_with_too_many_triangles_is_rejected(refused, monkeypatch):
    monkeypatch.setattr(pipeline, "MAX_FACETS", 11)

    assert refused(CUBE).code == "too-many-triangles"


def test_healing_is_idempotent(healed, tmp_path):
    healed(CUBE, box((10, 10, 0), (20, 20, 10)))
    again = tmp_path / "again.stl"

    receipt = heal(str(tmp_path / "out.stl"), str(again))

    assert receipt["nothing_to_do"] is True
    assert np.array_equal(read_triangles(again), read_triangles(tmp_path / "out.stl"))


def _indexed(triangles):
    corners, faces = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return corners, faces.reshape(-1, 3)
