"""What E means: the diameters that slicers state, and volumes in place of lengths."""

import math

import pytest

from gcode import LayerIndex, figures, laid_paths, object_figures

LINES = "G1 Z0.2 F600\n" + "G1 X60 E2.5 F1800\nG1 X10 E2.5\n" * 25  # 125 mm
HEAD = "G90\nM83\n"


def volume(diameter, length=125.0):
    """cm^3"""
    return math.pi / 4 * diameter**2 * length / 1000


@pytest.mark.parametrize(
    ("comment", "diameter"),
    [
        ("; filament_diameter = 2.85", 2.85),
        ("; filament_diameter = 2.85,1.75", 2.85),
        ("; filament_diameter: 2.85", 2.85),
        (";   filamentDiameters,2.85|1.75", 2.85),
        (";Filament Diameter #1: 2.850", 2.85),
        ("; fiber_dia_mm = 3", 3.0),
        ("; material_diameter = 2.85", 2.85),
        (";FLAVOR:Griffin", 2.85),
        (";FLAVOR:Griffin\n;EXTRUDER_TRAIN.0.MATERIAL.VOLUME_USED:797", 2.85),
        (";EXTRUDER_TRAIN.0.MATERIAL.VOLUME_USED:301", 1.75),
        (";EXTRUDER_TRAIN.0.MATERIAL.VOLUME_USED:0", 1.75),
        ("; filament used = 125.0mm (0.8cm3)", 2.85),
        (";FLAVOR:Marlin\n;Filament used: 0.125m", 1.75),
        ("; filament_diameter = 0", 1.75),
        ("; filament_diameter = 99", 1.75),
        ("; first_filament_diameter_of_all = 2.85", 1.75),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_filament_diameter_is_read_from_the_comments_of_each_slicer(
    read_gcode, comment, diameter, last
):
    text = HEAD + LINES + comment if last else comment + "\n" + HEAD + LINES

    facts = read_gcode(text)

    assert facts.filament_diameter == diameter
    assert facts.build_volume_cc == pytest.approx(volume(diameter))
    assert facts.filament_mm == pytest.approx(125.0)


def test_volume_used_comment_sets_the_build_volume(read_gcode):
    header = ";EXTRUDER_TRAIN.0.MATERIAL.VOLUME_USED:500\n"

    assert read_gcode(header + HEAD + LINES).build_volume_cc == pytest.approx(0.5)


@pytest.mark.parametrize("choice", ["T1", "ACTIVATE_EXTRUDER EXTRUDER=extruder1"])
def test_each_tool_has_its_own_filament_diameter(read_gcode, choice):
    text = f"; filament_diameter = 1.75,2.85\n{HEAD}{LINES}{choice}\n{LINES}{LINES}"

    facts = read_gcode(text)

    assert facts.filament_mm == pytest.approx(375.0)
    assert facts.build_volume_cc == pytest.approx(volume(1.75) + volume(2.85, 250.0))
    assert facts.filament_diameter == 2.85  # of the tool that lays down most
    assert sum(facts.volumes_cc.values()) == pytest.approx(facts.build_volume_cc)
    assert [(one.tool, one.filament_diameter) for one in facts.tools] == [(0, 1.75), (1, 2.85)]
    assert [one.filament_mm for one in facts.tools] == pytest.approx([125.0, 250.0])
    assert [one.volume_cc for one in facts.tools] == pytest.approx(
        [volume(1.75), volume(2.85, 250.0)]
    )


def test_file_that_lays_nothing_down_uses_no_tool(read_gcode):
    assert read_gcode("G1 X10 F600\n").tools == []


def test_volumes_used_per_tool_yield_diameters_per_tool(read_gcode):
    used = "".join(
        f";EXTRUDER_TRAIN.{tool}.MATERIAL.VOLUME_USED:{mm3}\n"
        for tool, mm3 in enumerate((300.7, 797.4))
    )

    facts = read_gcode(f"{used}{HEAD}T0\n{LINES}T1\n{LINES}T255\n")

    assert facts.build_volume_cc == pytest.approx(volume(1.75) + volume(2.85))


def test_tool_without_a_diameter_uses_the_first(read_gcode):
    facts = read_gcode(f"; filament_diameter = 2.85\n{HEAD}T3\n{LINES}")

    assert facts.build_volume_cc == pytest.approx(volume(2.85))


@pytest.mark.parametrize(
    ("begin", "diameter"),
    [
        ("M200 D1.75", 1.75),
        ("M200 D2.85", 2.85),
        ("M200 S1", 1.75),
        ("M200 D2.85 S1", 2.85),
        ("M200 T0 D2.85", 2.85),
        ("; filament_diameter = 2.85\nM200 S1", 2.85),
        ("M200 D2.85\nM200 S0\nM200 S1", 2.85),
        (";FLAVOR:UltiGCode\n;MATERIAL:797", 2.85),
        ("; use_volumetric_e = 1\n; filament_diameter = 1.75", 1.75),
        (";FLAVOR:Marlin(Volumetric)", 1.75),
    ],
)
def test_e_values_are_volumes_in_volumetric_mode(read_gcode, begin, diameter):
    section = math.pi / 4 * diameter**2
    text = LINES.replace("E2.5", f"E{2.5 * section:.9f}")

    facts = read_gcode(f"{begin}\n{HEAD}{text}")

    assert facts.filament_mm == pytest.approx(125.0)
    assert facts.build_volume_cc == pytest.approx(volume(diameter))


@pytest.mark.parametrize("end", ["M200 D0", "M200 S0"])
def test_e_values_are_lengths_again_after_volumetric_mode(read_gcode, end):
    section = math.pi / 4 * 1.75**2
    text = "M200 D1.75\n" + LINES.replace("E2.5", f"E{2.5 * section:.9f}") + f"{end}\n" + LINES

    assert read_gcode(HEAD + text).filament_mm == pytest.approx(250.0)


def test_absolute_e_position_continues_when_volumetric_mode_begins(read_gcode):
    section = math.pi / 4 * 1.75**2
    text = f"M82\nG92 E0\nG1 X10 E5 F600\nM200 D1.75\nG1 X20 E{5 + 3 * section}\n"

    assert read_gcode(text).filament_mm == pytest.approx(5 + 3)


def test_volumetric_mode_of_one_tool_does_not_affect_the_others(read_gcode):
    section = math.pi / 4 * 2.85**2
    by_volume = LINES.replace("E2.5", f"E{2.5 * section:.9f}")

    facts = read_gcode(f"{HEAD}M200 T1 D2.85\n{LINES}T1\n{by_volume}T0\n{LINES}")

    assert facts.filament_mm == pytest.approx(375.0)


def test_line_widths_and_object_figures_respect_volumetric_mode(tmp_path):
    path, index_path = tmp_path / "file.gcode", tmp_path / "index"
    section = math.pi / 4 * 1.75**2
    line = f"; printing object A id:0 copy 0\nG1 X100 E{10 * 0.4 * 0.2:.9f} F600\n"
    path.write_text(f"M200 D1.75\n{HEAD}G1 Z0.2 F600\n" + line.replace("X100", "X10"))

    facts = figures(path, layers=index_path)
    index = LayerIndex(index_path.read_bytes())

    text = path.read_bytes()[slice(*index.span(0))]
    assert laid_paths(text, index, 0)[0][0].width == pytest.approx(0.4)
    assert object_figures(path)["a"].filament == pytest.approx(facts.filament_mm)
    assert facts.filament_mm == pytest.approx(10 * 0.4 * 0.2 / section)


def test_diameter_argument_overrides_the_file(read_gcode):
    facts = read_gcode(f"; filament_diameter = 2.85\n{HEAD}{LINES}", filament_diameter=1.75)

    assert facts.filament_diameter == 1.75
