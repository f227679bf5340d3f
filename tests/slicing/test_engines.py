"""The real engines: every curated parameter shows in the gcode, and every failure has a name."""

import re
from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from django.conf import settings

from apps.slicing.configs.parameters import parse_parameters
from apps.slicing.engines import engine_process, engines
from apps.slicing.engines.base import EngineLimits, SliceFailed
from gcode import LayerIndex, laid_paths
from geometry.formats.stl import write_binary
from geometry.sample_part import bracket

ENGINES = engines(settings.CURA_DEFINITIONS)
INFILL = {"slic3r": "Internal infill", "cura": "FILL"}
INNER_WALL = {"slic3r": "Perimeter", "cura": "WALL-INNER"}
OUTER_WALL = {"slic3r": "External perimeter", "cura": "WALL-OUTER"}
FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]

pytestmark = [
    pytest.mark.engine,
    pytest.mark.slow,
    pytest.mark.parametrize("identifier", ["slic3r", "cura"]),
]


@pytest.fixture(autouse=True)
def _installed(identifier):
    if ENGINES[identifier].version() is None:
        pytest.skip(ENGINES[identifier].missing())


def box(size, at=(0, 0, 0)):
    corners = CORNERS * size + at
    return [corners[[s[i] for i in half]] for s in SIDES for half in ([0, 1, 2], [0, 2, 3])]


def write_stl(path, triangles):
    facets = np.zeros(len(triangles), FACET)
    facets["corners"] = triangles
    path.write_bytes(b"\0" * 80 + np.uint32(len(facets)).tobytes() + facets.tobytes())
    return path


TEE = box((10, 10, 8), at=(7, 7, 0)) + box((24, 24, 4), at=(0, 0, 8))


class Paths:
    """What a gcode file lays down, by the slicer's word for it.

    length, filament : mm
    speeds           : mm/s
    """

    def __init__(self, gcode):
        self.length, self.filament = defaultdict(float), defaultdict(float)
        self.speeds = defaultdict(set)
        at = dict.fromkeys("XYZEF", 0.0)
        feature = ""
        for line in gcode.splitlines():
            if line.startswith(";TYPE:"):
                feature = line.removeprefix(";TYPE:")
            if not re.match("G0 |G1 |G92 ", line):
                continue
            last = dict(at)
            at.update({word[0]: float(word[1:]) for word in line.split(";")[0].split()[1:]})
            length = np.hypot(at["X"] - last["X"], at["Y"] - last["Y"])
            if length and at["E"] > last["E"]:
                self.length[feature] += length
                self.filament[feature] += at["E"] - last["E"]
                self.speeds[feature].add(at["F"] / 60)


@pytest.fixture(scope="module")
def sliced(tmp_path_factory):
    """`sliced("cura", support=True)`: (figures, gcode, paths, Sliced) of the tee, 12 mm high."""

    @cache
    def sliced(identifier, **parameters):
        folder = tmp_path_factory.mktemp(identifier)
        engine = ENGINES[identifier]
        stl = write_stl(folder / "tee.stl", TEE)
        sent = engine.settings(parse_parameters(parameters))
        result = engine.slice(stl, sent, folder, limits=EngineLimits(wall_seconds=60))
        gcode = result.gcode.read_text()
        return result.figures, gcode, Paths(gcode), result

    return sliced


@pytest.fixture
def failure(identifier, tmp_path):
    def failure(triangles, **parameters):
        engine = ENGINES[identifier]
        stl = write_stl(tmp_path / "part.stl", triangles)
        with pytest.raises(SliceFailed) as failed:
            engine.slice(
                stl, engine.settings(parameters), tmp_path, limits=EngineLimits(wall_seconds=60)
            )
        return failed.value

    return failure


def test_material_sets_temperatures_and_fan(sliced, identifier):
    pla, pla_gcode, *_ = sliced(identifier)
    abs_, abs_gcode, *_ = sliced(identifier, material="ABS")

    assert (pla.highest_nozzle_temperature, pla.highest_bed_temperature) == (210, 60)
    assert (abs_.highest_nozzle_temperature, abs_.highest_bed_temperature) == (240, 100)
    assert re.search(r"^M106 S255", pla_gcode, re.MULTILINE)
    assert not re.search(r"^M106 S[1-9]", abs_gcode, re.MULTILINE)


def test_print_quality_sets_the_layer_height(sliced, identifier):
    layers = [sliced(identifier, print_quality=name)[0].layers for name in ("standard", "low")]

    assert layers == [60, 40]
    assert sliced(identifier, print_quality="fine")[0].layers == 119  # the first is 0.2 mm


def test_filament_diameter_sets_the_length_and_not_the_volume(sliced, identifier):
    thin, thick = sliced(identifier)[0], sliced(identifier, filament_diameter=2.85)[0]

    assert thin.filament_mm / thick.filament_mm == pytest.approx((2.85 / 1.75) ** 2, rel=1e-3)
    assert thin.build_volume_cc == pytest.approx(thick.build_volume_cc, rel=1e-3)


def test_nozzle_diameter_sets_the_width_of_the_lines(sliced, identifier):
    feature = OUTER_WALL[identifier]
    narrow, wide = sliced(identifier)[2], sliced(identifier, nozzle_diameter=0.6)[2]

    widening = (wide.filament[feature] / wide.length[feature]) / (
        narrow.filament[feature] / narrow.length[feature]
    )
    assert widening == pytest.approx(1.5, rel=0.06)


def test_infill_density_sets_the_length_of_the_infill(sliced, identifier):
    feature = INFILL[identifier]
    sparse, dense = sliced(identifier)[2], sliced(identifier, infill_density=50)[2]

    assert 2 < dense.length[feature] / sparse.length[feature] < 3  # anchors do not scale


def test_infill_density_accepts_a_fraction(identifier):
    engine = ENGINES[identifier]

    assert engine.settings({"infill_density": 0.5}) == engine.settings({"infill_density": 50})


def test_infill_density_can_be_zero_or_solid(sliced, identifier):
    hollow, solid = sliced(identifier, infill_density=0), sliced(identifier, infill_density=100)

    assert hollow[2].length[INFILL[identifier]] == 0
    assert solid[0].build_volume_cc == pytest.approx(3.104, rel=0.06)  # the tee's own volume


def test_infill_speed_sets_the_speed_of_the_infill(sliced, identifier):
    feature = INFILL[identifier]

    assert max(sliced(identifier)[2].speeds[feature]) == 60
    assert max(sliced(identifier, infill_speed=100)[2].speeds[feature]) == 100


def test_extruder_temperature_is_in_the_gcode(sliced, identifier):
    usual, chosen = sliced(identifier)[0], sliced(identifier, extruder_temperature=222.5)[0]

    assert usual.highest_nozzle_temperature == 210
    assert chosen.highest_nozzle_temperature == {"slic3r": 222, "cura": 222.5}[identifier]


def test_bed_temperature_is_in_the_gcode_and_zero_disables_heating(sliced, identifier):
    assert sliced(identifier)[0].highest_bed_temperature == 60
    assert sliced(identifier, bed_temperature=75)[0].highest_bed_temperature == 75
    assert "M190" not in sliced(identifier, bed_temperature=0)[1]


def test_perimeters_sets_the_number_of_loops(sliced, identifier):
    features = INNER_WALL[identifier], OUTER_WALL[identifier]
    two, four = (sliced(identifier, perimeters=count)[2].length for count in (2, 4))
    none = sliced(identifier, perimeters=0)[2].length

    assert four[features[0]] / two[features[0]] == pytest.approx(3, rel=0.15)
    assert four[features[1]] == pytest.approx(two[features[1]], rel=0.02)
    assert none[features[0]] == none[features[1]] == 0


def test_perimeter_speed_sets_inner_perimeters_and_half_on_outer_ones(sliced, identifier):
    inner, outer = INNER_WALL[identifier], OUTER_WALL[identifier]
    usual = sliced(identifier)[2].speeds
    fast = sliced(identifier, perimeter_speed=90)[2].speeds

    assert (max(usual[inner]), max(fast[inner])) == (40, 90)
    assert {20, 45} & usual[outer] == {20}
    assert max(fast[outer]) == 45


def test_support_is_generated_below_the_overhang(sliced, identifier):
    without, with_support = sliced(identifier)[0], sliced(identifier, support=True)[0]

    assert without.support_volume_cc == 0
    assert 0.5 < with_support.support_volume_cc < 2
    assert with_support.layers >= without.layers


def test_raft_lifts_the_part(sliced, identifier):
    without, with_raft = sliced(identifier)[0], sliced(identifier, raft=True)[0]

    assert without.bounds[1][2] == pytest.approx(12.0)
    assert 12.5 < with_raft.bounds[1][2] < 13.5
    assert with_raft.support_volume_cc > 0.1


def stated_filament(identifier, gcode):
    """mm, by the engine's own comment."""
    if identifier == "slic3r":
        return float(re.search(r"; filament used \[mm\] = ([\d.]+)", gcode)[1])
    return float(re.search(r"^;Filament used: ([\d.]+)m", gcode, re.MULTILINE)[1]) * 1000


@pytest.mark.parametrize("parameters", [{}, {"support": True, "print_quality": "low"}])
def test_print_time_and_filament_equal_those_stated_by_the_engine(identifier, tmp_path, parameters):
    engine = ENGINES[identifier]
    write_binary(bracket(), tmp_path / "part.stl")
    sent = engine.settings(parse_parameters(parameters))

    result = engine.slice(
        tmp_path / "part.stl", sent, tmp_path, limits=EngineLimits(wall_seconds=60)
    )

    stated = stated_filament(identifier, result.gcode.read_text())
    figures = result.figures
    assert figures.filament_mm == pytest.approx(stated, rel=1e-4)
    assert figures.build_time_seconds == pytest.approx(result.build_time_seconds, rel=0.05)
    assert (figures.support_volume_cc > 0) == bool(parameters)
    assert sum(figures.volumes_cc.values()) == pytest.approx(
        figures.filament_mm * np.pi / 4 * 1.75**2 / 1000
    )


def test_layers_and_toolpaths_are_read_from_engine_gcode(identifier, sliced):
    figures, gcode, _, result = sliced(identifier, support=True)
    data, index = gcode.encode(), LayerIndex(result.layers.read_bytes())

    layers = [index.layer(number) for number in range(len(index))]
    paths = [laid_paths(data[slice(*index.span(n))], index, n)[0] for n in range(len(index))]

    assert len(layers) == figures.layers
    heights = [round(layer.z, 3) for layer in layers]  # PrusaSlicer's support has some of its own
    assert heights == sorted(heights)
    assert {round(number / 5, 3) for number in range(1, 61)} <= set(heights)
    assert sum(layer.filament_mm for layer in layers) == pytest.approx(figures.filament_mm)
    for layer, laid in zip(layers, paths, strict=True):
        corners = np.concatenate([np.reshape(path.points, (-1, 2)) for path in laid])
        assert corners.min(axis=0) == pytest.approx(layer.bounds[0], abs=1e-3)
        assert corners.max(axis=0) == pytest.approx(layer.bounds[1], abs=1e-3)
    assert {path.feature for laid in paths for path in laid} == set(figures.volumes_cc)
    wall = OUTER_WALL[identifier].lower()
    widths = [path.width for laid in paths[1:] for path in laid if path.feature == wall]
    assert np.median(widths) == pytest.approx(0.4, abs=0.02)


def test_equal_settings_give_the_same_print(identifier, sliced, tmp_path):
    engine = ENGINES[identifier]
    first = sliced(identifier)[0]

    second = engine.slice(
        write_stl(tmp_path / "tee.stl", TEE), engine.settings({}), tmp_path, limits=EngineLimits()
    ).figures

    assert (second.layers, second.bounds) == (first.layers, first.bounds)
    assert second.filament_mm == pytest.approx(first.filament_mm, rel=1e-4)
    # not exactly: PrusaSlicer's threads race for where a loop begins when its corners are alike
    assert second.build_time_seconds == pytest.approx(first.build_time_seconds, rel=1e-3)


def test_config_text_has_one_line_per_setting(identifier):
    engine = ENGINES[identifier]
    sent = engine.settings({})

    lines = engine.config_text(sent).splitlines()

    assert len(lines) == len(sent)
    assert all(line.startswith(key) for line, key in zip(lines, sent, strict=True))


def test_part_far_from_the_bed_is_centred_on_it(identifier, tmp_path):
    engine = ENGINES[identifier]
    stl = write_stl(tmp_path / "far.stl", box((20, 10, 5), at=(5000, -5000, 300)))

    figures = engine.slice(stl, engine.settings({}), tmp_path, limits=EngineLimits()).figures

    (left, front, _), (right, back, top) = figures.bounds
    assert ((left + right) / 2, (front + back) / 2) == pytest.approx((125, 125), abs=0.5)
    assert top == pytest.approx(5.0)


def test_part_as_wide_as_the_bed_is_sliced_without_a_skirt(identifier, tmp_path):
    engine = ENGINES[identifier]
    stl = write_stl(tmp_path / "plate.stl", box((250, 250, 0.8)))

    figures = engine.slice(stl, engine.settings({}), tmp_path, limits=EngineLimits()).figures

    assert figures.bounds[0][:2] == pytest.approx((0.2, 0.2), abs=0.1)


@pytest.mark.parametrize(
    ("triangles", "parameters", "code"),
    [
        (box((600, 600, 600)), {}, "model-too-large"),
        (box((20, 20, 400)), {}, "model-too-large"),
        (box((246, 246, 1)), {"raft": True}, "model-too-large"),
        (box((0.02, 0.02, 0.02)), {}, "model-too-small"),
        (box((10, 10, 0)), {}, "model-too-small"),
        (box((0.15, 0.15, 5)), {}, "nothing-to-print"),
    ],
)
def test_unprintable_model_is_rejected_with_its_error_code(failure, triangles, parameters, code):
    assert failure(triangles, **parameters).code == code


def test_single_triangle_is_rejected(failure):
    triangle = [np.array([[0, 0, 0], [20, 0, 5], [0, 20, 10]], float)]

    assert failure(triangle).code in ("nothing-to-print", "model-invalid", "incomplete")


def test_slicing_progress_increases(identifier, tmp_path, monkeypatch):
    monkeypatch.setattr(
        engine_process, "HEARTBEAT_SECONDS", 0
    )  # as often as the engine says something
    heard = []
    engine = ENGINES[identifier]
    write_binary(bracket(), tmp_path / "part.stl")

    engine.slice(
        tmp_path / "part.stl",
        engine.settings({}),
        tmp_path,
        limits=EngineLimits(),
        progress=lambda done, stage: heard.append((done, stage)),
    )

    shares = [done for done, _ in heard]
    assert shares == sorted(shares)
    assert any(0 < done < 1 for done in shares)


def test_volumetric_extrusion_changes_neither_length_nor_volume(identifier, sliced, tmp_path):
    engine, plain = ENGINES[identifier], sliced(identifier)[0]
    by_volume = {
        "slic3r": {"use_volumetric_e": "1", "start_gcode": "G28\\nM200 D1.75"},
        "cura": {"machine_gcode_flavor": "UltiGCode"},
    }
    sent = engine.settings({}) | by_volume[identifier]

    figures = engine.slice(
        write_stl(tmp_path / "tee.stl", TEE), sent, tmp_path, limits=EngineLimits(wall_seconds=60)
    ).figures

    assert figures.filament_mm == pytest.approx(plain.filament_mm, rel=0.01)
    assert figures.build_volume_cc == pytest.approx(plain.build_volume_cc, rel=0.01)
