"""The paths of all layers in one file: what a viewer reads there is what each layer lays down."""

import json

import numpy as np
import pytest

from gcode import LayerIndex, figures, laid_paths, write_paths
from gcode.toolpath_file import MAGIC, PATH, ROW
from tests.gcode.test_layers import TWO_LAYERS


@pytest.fixture
def written(tmp_path):
    """`written(gcode)`: the file of paths, its index, and the gcode as bytes."""

    def written(text: str):
        gcode, layers, out = (tmp_path / name for name in ("a.gcode", "a.layers", "a.paths"))
        gcode.write_text(text)
        figures(gcode, layers=layers)
        index = LayerIndex(layers.read_bytes())
        write_paths(gcode, index, out)
        return out.read_bytes(), index, gcode.read_bytes()

    return written


def read(data: bytes):
    """(facts, the table, the paths of each layer), as a viewer reads them."""
    assert data[:8] == MAGIC
    count, length = np.frombuffer(data, "<u4", 2, 8)
    facts = json.loads(data[16 : 16 + length])
    table = np.frombuffer(data, ROW, count, (16 + length + 7) // 8 * 8)
    return facts, table, [paths_of(data, row) for row in table]


def paths_of(data: bytes, row: np.void):
    paths = np.frombuffer(data, PATH, row["paths"], row["offset"])
    points = np.frombuffer(data, "<u2", 2 * row["points"], row["offset"] + paths.nbytes)
    places = row["low"] + row["step"] * points.reshape(-1, 2)
    return paths, np.split(places, np.cumsum(paths["points"])[:-1])


def test_toolpath_file_has_the_toolpaths_of_each_layer(written):
    data, index, gcode = written(TWO_LAYERS)

    facts, table, layers = read(data)

    assert facts["bounds"] == [[10, 10], [60, 60]]
    assert facts["filament_diameter"] == 1.75
    assert table["z"].tolist() == pytest.approx([0.2, 0.5])
    assert table["height"].tolist() == pytest.approx([0.2, 0.3])
    assert table["filament"].tolist() == [2.5, 4]
    assert (table["seconds"] > 0).all()
    for number, (paths, places) in enumerate(layers):
        start, end = index.span(number)
        expected, _ = laid_paths(gcode[start:end], index, number)
        assert [facts["features"][path] for path in paths["feature"]] == [
            path.feature for path in expected
        ]
        assert (paths["width"] / 1000).tolist() == [path.width for path in expected]
        for points, path in zip(places, expected, strict=True):
            assert points.ravel().tolist() == pytest.approx(path.points, abs=0.005)


def test_wide_layer_has_a_larger_coordinate_step(written):
    data, _, _ = written("M83\nG1 Z0.2 F6000\nG1 X0 Y0\nG1 X1000 Y10 E1\n")

    _, table, [(_, [points])] = read(data)

    assert table["step"][0] == pytest.approx(1000 / 65535)
    assert points.ravel().tolist() == pytest.approx([0, 0, 1000, 10], abs=0.01)


def test_toolpath_file_without_extrusion_has_no_layers(written):
    facts, table, _ = read(written("G1 X10 F600\n")[0])

    assert (facts["bounds"], len(table)) == (None, 0)


def test_toolpath_file_is_below_a_fifth_of_its_gcode_size(written):
    lines = [f"G1 X{i % 97:.3f} Y{i * 31 % 89:.3f} E{0.05:.5f}\n" for i in range(5000)]
    text = "M83\n" + "".join(f"G1 Z{z / 5:.1f} F6000\n" + "".join(lines) for z in range(1, 4))

    data, _, gcode = written(text)

    assert len(data) < 0.2 * len(gcode)
