"""Layers of gcode: an index made in the one pass, and single layers read by it."""

import math
import time

import pytest

from gcode import LayerIndex, figures, laid_paths
from gcode.texts import BLOCK_BYTES

AREA = math.pi / 4 * 1.75**2  # mm^2
TWO_LAYERS = """\
M83
G1 Z0.2 F6000
G1 X10 Y10
;TYPE:Perimeter
G1 X20 E1
G1 Y20 E1
G1 X10 Y10
;TYPE:Solid infill
G1 Y20 E0.5
G1 E-1
G1 Z0.8
G1 X50 Y50
G1 Z0.5
G1 E1
;TYPE:Perimeter
G1 X60 E2
G1 Y60 E2
"""


@pytest.fixture
def indexed(tmp_path):
    """`indexed(gcode)`: (index, figures, paths of the layer with a number)."""

    def indexed(gcode):
        data = gcode if isinstance(gcode, bytes) else gcode.encode()
        path, layers = tmp_path / "file.gcode", tmp_path / "file.layers"
        path.write_bytes(data)
        facts = figures(path, layers=layers)
        index = LayerIndex(layers.read_bytes())

        def paths(number):
            start, end = index.span(number)
            return laid_paths(data[start:end], index, number)[0]

        return index, facts, paths

    return indexed


def test_layer_is_the_extrusion_at_one_height(indexed):
    index, facts, _ = indexed(TWO_LAYERS)

    assert facts.layers == len(index) == 2
    first, second = index.layer(0), index.layer(1)
    assert (first.z, first.height, first.filament_mm) == (0.2, 0.2, 2.5)
    assert (first.lines, first.travels) == (3, 4)
    assert first.bounds == ([10, 10], [20, 20])
    assert (second.z, second.height, second.filament_mm) == (0.5, 0.3, 4)
    assert (second.lines, second.travels) == (2, 0)
    assert second.bounds == ([50, 50], [60, 60])
    assert 0 < first.build_time_seconds < facts.build_time_seconds


def test_layer_toolpaths_are_grouped_by_feature_with_widths(indexed):
    _, _, paths = indexed(TWO_LAYERS)

    first, second = paths(0), paths(1)

    assert [(path.feature, path.points) for path in first] == [
        ("perimeter", [10, 10, 20, 10, 20, 20]),
        ("solid infill", [10, 10, 10, 20]),
    ]
    assert [path.width for path in first] == pytest.approx(
        [AREA * 2 / 20 / 0.2, AREA * 0.5 / 10 / 0.2], abs=1e-3
    )
    assert [(path.feature, path.points) for path in second] == [
        ("perimeter", [50, 50, 60, 50, 60, 60])
    ]


@pytest.mark.parametrize(
    "spelling",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "; many words\n" * (BLOCK_BYTES // 12) + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("G1 X", "N5 G1 X"),
    ],
)
def test_layer_toolpaths_do_not_depend_on_offset_or_line_ends(indexed, spelling):
    _, _, expected = indexed(TWO_LAYERS)
    wanted = expected(0), expected(1)

    _, _, paths = indexed(spelling(TWO_LAYERS))

    assert (paths(0), paths(1)) == wanted


@pytest.mark.parametrize(
    "gcode",
    [
        "G90\nM82\nG1 Z1 F600\nG1 X10 E1\nG1 Z2\nG1 X25.4 E2\n",
        "G90\nM83\nG1 Z1 F600\nG1 X10 E1\nG1 Z2\nG1 X25.4 E1\n",
        "G91\nG1 Z1 F600\nG1 X10 E1\nG1 Z1\nG1 X15.4 E1\n",
        "G20\nM83\nG1 X0.3937008 Z0.5 F600\nG1 X0 E1\nG1 X0.3937008\nG1 Z1\nG1 X1 E1\n",
    ],
)
def test_layer_is_read_in_the_modal_state_at_its_start(indexed, gcode):
    _, _, paths = indexed(gcode)

    (path,) = paths(1)

    assert path.points == pytest.approx([10, 0, 25.4, 0], abs=1e-3)


def test_arcs_are_approximated_by_close_line_segments(indexed):
    _, _, paths = indexed("M83\nG1 X10 Z1 F600\nG3 X-10 I-10 E3\nG1 Y-5 E1\n")

    (path,) = paths(0)

    points = list(zip(path.points[::2], path.points[1::2], strict=True))
    assert points[0] == (10, 0)
    assert points[-2:] == [(-10, 0), (-10, -5)]
    assert len(points) > 20
    assert all(math.hypot(*point) == pytest.approx(10, abs=1e-3) for point in points[:-1])
    assert path.width == pytest.approx(AREA * 4 / (10 * math.pi + 5) / 1.0, abs=2e-3)


def test_layers_of_a_file_of_many_chunks_add_up_to_its_figures(indexed):
    lap = "G1 X10 E1\nG1 Y10 E1\nG1 X0 E1\nG1 Y0 E1\n"
    rise = "".join(f"G1 Z{number / 5:.1f} F6000\n" + lap * 500 for number in range(1, 101))

    index, facts, paths = indexed("M83\n" + rise)

    layers = [index.layer(number) for number in range(len(index))]
    assert facts.layers == len(layers) == 100
    assert {layer.filament_mm for layer in layers} == {2000.0}
    assert {layer.lines for layer in layers} == {2000}
    assert {layer.height for layer in layers} == {0.2}
    assert sum(layer.build_time_seconds for layer in layers) == pytest.approx(
        facts.build_time_seconds, rel=1e-2
    )
    assert all(sum(len(path.points) for path in paths(number)) == 4002 for number in (0, 50, 99))


def test_sequential_objects_begin_new_layers_from_the_bed(indexed):
    tower = "G1 Z0.2 F600\nG1 X1 E1\nG1 Z0.4\nG1 X0 E1\n"

    index, facts, _ = indexed("M83\n" + tower + "G1 X50\n" + tower)

    assert facts.layers == 4
    assert [index.layer(number).height for number in range(4)] == [0.2, 0.2, 0.2, 0.2]


def test_stated_layer_height_overrides_the_z_difference(indexed):
    index, _, paths = indexed("M83\nG1 Z0.3 F600\n;HEIGHT:0.1\nG1 X10 E1\n")

    assert index.layer(0).height == 0.1
    assert paths(0)[0].width == pytest.approx(AREA / 10 / 0.1, abs=1e-3)


def test_file_without_extrusion_has_no_layers(indexed):
    index, facts, _ = indexed("G0 X10 Y10\nG1 X20\n")

    assert facts.layers == len(index) == 0


def test_invalid_utf8_feature_names_survive_the_layer_index(indexed):
    gcode = b"M83\n;TYPE:\xff\xfe\nG1 X1 Z1 E1\n;TYPE:\xfe\nG1 X2 E1\nG1 Z2\nG1 X3 E1\n"

    index, facts, paths = indexed(gcode)

    assert facts.layers == 2
    assert paths(1)[0].feature == "\ufffd"
    assert facts.build_volume_cc == pytest.approx(3 * AREA / 1000)


def test_layer_count_is_bounded(indexed):
    zigzag = "G1 X1 Z1 E1\nG1 X0 Z2 E1\n" * 15_000

    index, facts, paths = indexed("M83\n" + zigzag)

    assert facts.layers == len(index) == 20_000
    assert index.layer(19_999).lines == 10_001
    start = time.process_time()
    assert sum(len(path.points) for path in paths(19_999)) > 10_000
    assert time.process_time() - start < 1


def test_toolpath_points_of_a_layer_are_bounded(indexed):
    circles = "G1 Z1 X1 F6000\n" + "G2 I-9000 E1\n" * 5000

    gcode = "M83\n" + circles
    index, _, _ = indexed(gcode)
    paths, complete = laid_paths(gcode.encode()[slice(*index.span(0))], index, 0)

    assert 100_000 < sum(len(path.points) for path in paths) <= 2 * 200_000
    assert not complete


def test_truncated_layer_yields_toolpaths_without_its_partial_last_line(indexed):
    index, _, _ = indexed(TWO_LAYERS)
    start, _ = index.span(0)

    paths, complete = laid_paths(TWO_LAYERS.encode()[start:][: len("G1 X20 E1\nG1 Y2")], index, 0)
    nothing = laid_paths(b"G1 X2", index, 0)

    assert [path.points for path in paths] == [[10, 10, 20, 10]]
    assert not complete
    assert nothing == ([], False)
