import json
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from geometry.analysis import ANALYSIS_VERSION, analyse, require_size
from geometry.formats.stl import read_triangles, write_binary
from geometry.formats.stl.reader import CHUNK_FACETS
from geometry.mesh import InvalidMesh

# Each row one side of the box from (0, 0, 0) to (1, 1, 1), outward; corner 4x + 2y + z.
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CORNERS = np.array(list(product((0, 1), repeat=3)))
FACES = np.array([face for a, b, c, d in SIDES for face in [(a, b, c), (a, c, d)]])


def box(size=(2.0, 3.0, 4.0), at=(0.0, 0.0, 0.0)):
    return (CORNERS * size + at)[FACES]


@pytest.fixture
def judge(tmp_path):
    """Analyse triangles, and check that the canonical file is judged as its source was."""

    def judge(triangles):
        source, canonical = tmp_path / "source.stl", tmp_path / "canonical.stl"
        write_binary(triangles, source)
        analysis = analyse(source, canonical)
        again = analyse(canonical)
        assert again == analysis._replace(
            triangles=analysis.triangles - analysis.degenerate, degenerate=0
        )
        return analysis

    return judge


def test_analysis_of_a_box_has_every_figure(judge):
    analysis = judge(box(at=(10, -1, 0)))

    assert analysis._asdict() == {
        "version": ANALYSIS_VERSION,
        "triangles": 12,
        "manifold": True,
        "open_edges": 0,
        "nonmanifold_edges": 0,
        "touching_edges": 0,
        "misoriented_edges": 0,
        "holes": 0,
        "degenerate": 0,
        "duplicates": 0,
        "size": (2.0, 3.0, 4.0),
        "bounds": ((10.0, -1.0, 0.0), (12.0, 2.0, 4.0)),
        "surface_area": 52.0,
        "volume": 24.0,
        "inverted": False,
    }


def test_analysis_is_json_serializable(judge):
    analysis = judge(box())._asdict()

    assert json.loads(json.dumps(analysis))["bounds"] == [[0.0, 0.0, 0.0], [2.0, 3.0, 4.0]]


def test_analysis_does_not_depend_on_facet_order_or_first_vertex(judge):
    random = np.random.default_rng(4)
    shuffled = random.permutation(box())
    turned = np.array([np.roll(triangle, random.integers(3), axis=0) for triangle in shuffled])

    assert judge(turned) == judge(box())


def test_box_with_inverted_normals_is_manifold_and_inverted(judge):
    analysis = judge(box()[:, ::-1])

    assert (analysis.manifold, analysis.volume, analysis.inverted) == (True, 24.0, True)


def test_missing_facet_yields_three_boundary_edges_and_no_volume(judge):
    analysis = judge(box()[1:])

    assert (analysis.manifold, analysis.open_edges, analysis.holes) == (False, 3, 1)
    assert (analysis.volume, analysis.inverted) == (None, None)


def test_holes_are_counted_by_boundary_loops(judge):
    apart = np.delete(box(), [0, 2], axis=0)  # of two opposite sides
    beside = box()[2:]  # both facets of one side

    assert (judge(apart).open_edges, judge(apart).holes) == (6, 2)
    assert (judge(beside).open_edges, judge(beside).holes) == (4, 1)
    assert judge(np.concatenate([apart, beside + 10])).holes == 3


def test_cracks_too_wide_to_weld_are_counted_as_holes(judge):
    triangles = box((10, 10, 10))
    triangles[0] += 2e-6
    triangles[11] += 1

    analysis = judge(triangles)

    assert (analysis.open_edges, analysis.holes) == (6, 2)


def test_flipped_facet_yields_three_misoriented_edges_and_no_volume(judge):
    triangles = box()
    triangles[0] = triangles[0, ::-1]

    analysis = judge(triangles)

    assert (analysis.manifold, analysis.misoriented_edges, analysis.volume) == (False, 3, None)


def test_boxes_that_share_an_edge_have_a_volume_but_are_not_manifold(judge):
    touching = np.concatenate([box((1, 1, 1)), box((1, 1, 1), at=(1, 1, 0))])

    analysis = judge(touching)

    assert (analysis.manifold, analysis.nonmanifold_edges, analysis.volume) == (False, 1, 2.0)
    assert (analysis.touching_edges, analysis.duplicates) == (1, 0)


def test_fin_edge_is_nonmanifold_but_not_touching(judge):
    fin = np.array([[(0, 0, 0), (0, 0, 1), (-1, -1, 0)]])

    analysis = judge(np.concatenate([box((1, 1, 1)), fin]))

    assert (analysis.nonmanifold_edges, analysis.touching_edges, analysis.holes) == (1, 0, 1)


def test_boxes_that_share_a_vertex_are_manifold(judge):
    assert judge(np.concatenate([box((1, 1, 1)), box((1, 1, 1), at=(1, 1, 1))])).manifold


def test_duplicate_box_is_not_manifold(judge):
    analysis = judge(np.concatenate([box(), box()]))

    assert (analysis.manifold, analysis.nonmanifold_edges) == (False, 18)
    assert (analysis.duplicates, analysis.touching_edges) == (12, 18)


def test_repeated_facet_is_a_duplicate_whatever_its_first_vertex(judge):
    again = np.roll(box()[:1], 1, axis=1)

    analysis = judge(np.concatenate([box(), again, again]))

    assert (analysis.duplicates, analysis.manifold) == (2, False)


def test_facets_of_opposite_winding_are_not_duplicates(judge):
    sheet = box()[:1]

    analysis = judge(np.concatenate([sheet, sheet[:, ::-1]]))

    assert (analysis.duplicates, analysis.manifold, analysis.volume) == (0, True, 0.0)


def test_t_junction_leaves_boundary_edges(judge):
    a, b, c = box()[0]
    middle = (a + b) / 2
    split = [[a, middle, c], [middle, b, c]]

    analysis = judge(np.concatenate([box()[1:], split]))

    assert (analysis.manifold, analysis.open_edges) == (False, 3)


def test_degenerate_facets_are_counted_and_otherwise_ignored(judge):
    needle = np.array([[(9, 9, 9), (9, 9, 9), (20, 20, 20)]])

    analysis = judge(np.concatenate([needle, box(), needle]))

    assert analysis == judge(box())._replace(triangles=14, degenerate=2)


def test_zero_area_facet_that_closes_the_surface_is_kept(judge):
    a, b, c = box()[0]
    middle = (a + b) / 2
    split = [[a, middle, c], [middle, b, c], [a, b, middle]]

    analysis = judge(np.concatenate([box()[1:], split]))

    assert (analysis.manifold, analysis.degenerate, analysis.volume) == (True, 0, 24.0)


def test_file_of_points_is_not_manifold(tmp_path):
    write_binary(np.tile([[[1.0, 2.0, 3.0]]], (5, 3, 1)), tmp_path / "points.stl")

    analysis = analyse(tmp_path / "points.stl")

    assert (analysis.manifold, analysis.degenerate, analysis.volume) == (False, 5, None)
    assert analysis.bounds == ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0))


@pytest.mark.parametrize(("noise", "manifold"), [(1e-7, True), (1e-4, False)])
def test_cracks_are_welded_within_a_millionth_of_the_diagonal(judge, noise, manifold):
    random = np.random.default_rng(3)
    triangles = box((10, 10, 10))

    analysis = judge(triangles + random.uniform(-noise, noise, triangles.shape) * 10)

    assert analysis.manifold == manifold
    assert analysis.open_edges == (0 if manifold else 36)


def test_canonical_file_of_a_welded_model_has_exactly_equal_vertices(tmp_path):
    triangles = box((10, 10, 10)).astype(np.float32)
    triangles[3, 1] += np.float32(2e-6)
    write_binary(triangles, tmp_path / "cracked.stl")

    analyse(tmp_path / "cracked.stl", tmp_path / "canonical.stl")

    corners = read_triangles(tmp_path / "canonical.stl").reshape(-1, 3)
    assert len(np.unique(corners, axis=0)) == 8


def test_close_vertices_off_the_boundary_are_not_welded(judge):
    tiny = box((1e-5, 1e-5, 1e-5))

    analysis = judge(np.concatenate([tiny, box((100, 100, 100), at=(50, 50, 50))]))

    assert (analysis.manifold, analysis.triangles) == (True, 24)


def test_loose_facets_are_analysed_without_welding_beyond_the_pair_limit(judge, monkeypatch):
    monkeypatch.setattr("geometry.mesh.defects.WELD_PAIRS", 10)
    jittered = box() + np.random.default_rng(3).uniform(-1e-7, 1e-7, (12, 3, 3))

    assert judge(jittered).open_edges == 36


def test_distant_stray_vertex_does_not_weld_the_model_into_a_point(judge):
    boxes = [box((1, 1, 1), at=(2 * x, 2 * y, 0)) for x, y in product(range(10), repeat=2)]
    loose = np.concatenate(boxes) + np.random.default_rng(3).uniform(0, 0.1, (1200, 3, 3))
    loose[0, 0] = 1e12

    assert judge(loose).degenerate == 0


def test_volume_is_exact_far_from_the_origin(judge):
    analysis = judge(box((0.5, 0.5, 0.5), at=(4096, 4096, -4096)))

    assert analysis.volume == 0.125


@pytest.mark.parametrize("scale", [1e-20, 1e30])
def test_analysis_does_not_depend_on_the_scale(judge, scale):
    analysis = judge(box() * scale)

    assert analysis.manifold
    assert analysis.volume == pytest.approx(24 * scale**3, rel=1e-6)


def test_model_of_several_chunks_is_analysed_as_a_whole(judge):
    boxes = [box((1, 1, 1), at=(2 * x, 2 * y, 0)) for x, y in product(range(30), repeat=2)]
    triangles = np.random.default_rng(6).permutation(np.concatenate(boxes))

    analysis = judge(triangles)

    assert len(triangles) > 2 * CHUNK_FACETS
    assert (analysis.manifold, analysis.volume, analysis.surface_area) == (True, 900.0, 5400.0)
    assert judge(triangles[1:]).open_edges == 3


def test_ascii_stl_has_the_analysis_of_its_binary_equivalent(tmp_path, judge):
    facets = "".join(
        "facet normal 0 0 0 outer loop "
        + " ".join("vertex " + " ".join(map(repr, corner)) for corner in triangle)
        + " endloop endfacet\n"
        for triangle in box().tolist()
    )
    (tmp_path / "text.stl").write_text(f"solid box\n{facets}endsolid box\n")

    assert analyse(tmp_path / "text.stl", tmp_path / "canonical.stl") == judge(box())


def test_rejected_file_leaves_no_canonical_file(tmp_path):
    triangles = box()
    write_binary(triangles, tmp_path / "source.stl")
    content = bytearray((tmp_path / "source.stl").read_bytes())
    content[84 + 12 : 84 + 16] = np.float32(np.nan).tobytes()
    (tmp_path / "source.stl").write_bytes(content)

    with pytest.raises(InvalidMesh, match="Triangle 1 "):
        analyse(tmp_path / "source.stl", tmp_path / "canonical.stl")

    assert not (tmp_path / "canonical.stl").exists()


def test_imports_do_not_load_numba():
    asked = "geometry.analysis, geometry.transformations, geometry.formats.stl.writer, gcode"
    command = f"import {asked}, sys; sys.exit('numba' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", command], env={"PYTHONPATH": "platform"})

    assert done.returncode == 0


@pytest.mark.parametrize(
    ("side", "at"), [(1.1e6, 0.0), (1e18, 0.0), (1e31, 0.0), (3e38, 0.0), (1e3, 2e9), (1.0, 1e30)]
)
def test_model_larger_than_any_printer_is_rejected(judge, side, at):
    analysis = judge(box((side, 1.0, 1.0), (at, 0.0, 0.0)))

    with pytest.raises(InvalidMesh) as rejection:
        require_size(analysis)

    assert rejection.value.code == "model-too-large"


@pytest.mark.parametrize("size", [(1e6, 1e6, 1e6), (1e-30, 1e-30, 1e-30), (1e-40, 1e-40, 1e-40)])
def test_model_of_accepted_size_has_finite_figures(judge, size):
    found = judge(box(size))

    require_size(found)
    assert found.manifold
    assert np.isfinite([*found.size, found.volume, found.surface_area]).all()
