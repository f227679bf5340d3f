"""Gcode is read as a printer would run it, and refused where none could."""

import math
import re

import numpy as np
import pytest

from gcode import InvalidGcode, figures
from gcode.texts import BLOCK_BYTES

AREA = math.pi / 4 * 1.75**2  # mm^2
SQUARE = """\
G21
G90
M82
G1 Z0.2 F600
G1 X0 Y0 F6000
;TYPE:Perimeter
G1 X10 Y0 E1 F1200
G1 X10 Y10 E2
;TYPE:Support material
G1 X0 Y10 E3.5
G1 E2 F2400
G92 E0
G1 Z0.4 F600
;TYPE:Perimeter
G1 E1.5 F2400
G1 X0 Y0 E2.5 F1200
"""


@pytest.fixture
def read(tmp_path):
    def read(gcode):
        path = tmp_path / "file.gcode"
        path.write_bytes(gcode if isinstance(gcode, bytes) else gcode.encode())
        return figures(path, filament_diameter=1.75)

    return read


@pytest.fixture
def refused(read):
    def refused(gcode):
        with pytest.raises(InvalidGcode) as rejection:
            read(gcode)
        return rejection.value

    return refused


def test_filament_counts_extrusion_while_moving_and_not_priming(read):
    facts = read(SQUARE)

    assert facts.filament_mm == pytest.approx(1 + 1 + 1.5 + 1)
    assert facts.support_volume_cc == pytest.approx(1.5 * AREA / 1000)
    assert facts.build_volume_cc == pytest.approx(3 * AREA / 1000)
    assert facts.volumes_cc == {
        "perimeter": pytest.approx(3 * AREA / 1000),
        "support material": pytest.approx(1.5 * AREA / 1000),
    }


def test_layers_and_bounds_are_those_of_the_extrusion(read):
    facts = read(SQUARE + "G1 Z50\nG1 X200 Y200\n")

    assert facts.layers == 2
    assert facts.bounds == ((0.0, 0.0, 0.2), (10.0, 10.0, 0.4))


def test_filament_pushed_during_a_z_move_is_not_extrusion(read):
    parked = "G92 E0\nG1 E-2 F300\nG1 Z330 E-1 F80\n"  # as some printers end

    facts = read(SQUARE + parked)

    assert (facts.layers, facts.bounds[1]) == (2, (10.0, 10.0, 0.4))
    assert facts.filament_mm == read(SQUARE).filament_mm


@pytest.mark.parametrize(
    "spelling",
    [
        lambda text: text.lower(),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: re.sub("^(G.*)", r"\1 ; a comment", text, flags=re.MULTILINE),
        lambda text: text.replace("G1 X", "G01 X"),
        lambda text: text.replace(" X", "X").replace(" Y", "Y").replace(" E", "E"),
        lambda text: text.replace("G1", "  G1"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("G1 X0 Y0 F", "N7 G1 X0 Y0 F").replace("F6000", "F6000*42"),
        lambda text: text.replace("M82", "M82 (absolute)").replace("Y10 E2", "(corner) Y10 E2"),
    ],
)
def test_figures_do_not_depend_on_the_spelling_of_lines(read, spelling):
    assert read(spelling(SQUARE)) == read(SQUARE)


def test_relative_distances_and_inches_are_converted(read):
    relative = "G91\nM83\nG1 Z1 F600\nG1 X10 E1\nG1 Y10 E1\nG90\nG1 X0 E0.5\n"
    inches = "G20\nG90\nG1 Z1 F600\nG1 X2 E1\n"

    assert read(relative).bounds == ((0.0, 0.0, 1.0), (10.0, 10.0, 1.0))
    assert read(relative).filament_mm == pytest.approx(2.5)
    assert read(inches).bounds == ((0.0, 0.0, 25.4), (50.8, 0.0, 25.4))
    assert read(inches).filament_mm == pytest.approx(25.4)


def test_homing_resets_the_named_axes_to_zero(read):
    facts = read("G1 X50 Y50 Z5 F600\nG28 X Y\nG1 X10 E1\n")

    assert facts.bounds == ((0.0, 0.0, 5.0), (10.0, 0.0, 5.0))


def test_single_move_has_a_trapezoidal_velocity_profile(read):
    # 1500 mm/s^2 up to 60 mm/s and down: 1.2 mm and 0.04 s each, 97.6 mm between at 60 mm/s
    assert read("G1 X100 F3600\n").build_time_seconds == pytest.approx(0.08 + 97.6 / 60)


def test_short_move_has_a_triangular_velocity_profile(read):
    assert read("G1 X1 F30000\n").build_time_seconds == pytest.approx(2 * math.sqrt(1 / 1500))


def test_straight_line_time_does_not_depend_on_its_segments(read):
    pieces = "".join(f"G1 X{index / 10} F3600\n" for index in range(1, 1001))

    assert read(pieces).build_time_seconds == pytest.approx(0.08 + 97.6 / 60)


def test_corner_speed_is_the_jerk(read):
    # two lines that meet at 10 mm/s, so one trapezoid of 60 mm/s from 0 to 10 and its mirror image
    up, down = 60 / 1500, 50 / 1500
    ramps = 30 * up + 35 * down  # mm
    expected = 2 * (up + down + (50 - ramps) / 60)

    assert read("G1 X50 F3600\nG1 Y50\n").build_time_seconds == pytest.approx(expected)


def test_accelerations_and_pauses_of_the_file_are_applied(read):
    slow = "M204 P100 T100\nG1 X100 F3600\nG4 P500\nG4 S2\n"

    ramp = 60 / 100  # s
    assert read(slow).build_time_seconds == pytest.approx(2 * ramp + (100 - 36) / 60 + 2.5)


def test_arc_time_follows_the_length_of_the_curve(read):
    half = "G1 X10 F60\nG3 X-10 Y0 I-10 J0 E1\n"
    by_radius = "G1 X10 F60\nG3 X-10 Y0 R10 E1\n"
    circle = "G1 X10 F60\nG2 I-10 E1\n"

    straight = read("G1 X10 F60\n").build_time_seconds
    for text, length in ((half, 10 * math.pi), (by_radius, 10 * math.pi), (circle, 20 * math.pi)):
        seconds = read(text).build_time_seconds - straight
        assert seconds == pytest.approx(length, abs=0.01)  # at 1 mm/s


def test_bounds_include_the_extremes_of_an_arc(read):
    quarter = "G90\nG1 X10 Y0 Z1 F600\nG3 X0 Y10 I-10 J0 E1\n"
    long_way = "G90\nG1 X10 Y0 Z1 F600\nG2 X0 Y10 R-10 E1\n"
    circle = "G90\nG1 X10 Y0 Z1 F600\nG2 I-10 E1\n"

    corners = [np.round(read(text).bounds, 9)[:, :2].tolist() for text in (quarter, long_way)]

    assert corners[0] == [[0, 0], [10, 10]]
    assert corners[1] == [[-10, -10], [10, 10]]
    assert read(circle).bounds[0][:2] == pytest.approx((-10, -10))
    assert read(circle).bounds[1][:2] == pytest.approx((10, 10))


@pytest.mark.parametrize(
    ("arc", "length"),
    [
        ("G2 X10 Y0 I-10 P3 E1", 3 * 20 * math.pi),
        ("G2 I-10 P1 E1", 20 * math.pi),
        ("G2 I-10 P0 E1", 20 * math.pi),
        ("G3 X-10 Y0 I-10 P2 E1", 30 * math.pi),
        ("G3 X0 Y10 R10 P2 E1", 25 * math.pi),
        ("G3 X0 Y10 R-10 E1", 15 * math.pi),
        ("G2 X10 Y0 Z31 I-10 P3 E1", math.hypot(3 * 20 * math.pi, 30)),
        ("G90.1\nG2 X10 Y0 I0 J0 E1", 20 * math.pi),
        ("G90.1\nG91.1\nG2 X10 Y0 I-10 E1", 20 * math.pi),
        ("G18\nG2 X10 Z1 I-10 E1", 20 * math.pi),
        ("G18\nG3 X0 Z11 I-10 K0 E1", 15 * math.pi),
        ("G18\nG2 X0 Z11 I-10 K0 E1", 5 * math.pi),
        ("G19\nG2 Y10 Z11 J10 K0 E1", 5 * math.pi),
        ("G18\nG17\nG2 I-10 E1", 20 * math.pi),
        ("G91.1\nG1 X20 E1", 10.0),
    ],
)
def test_arc_time_respects_turns_plane_and_centre_mode(read, arc, length):
    head = "G90\nM203 Z100\nM201 Z9000\nG1 X10 Y0 Z1 F60\n"

    seconds = read(head + arc).build_time_seconds - read(head).build_time_seconds

    assert seconds == pytest.approx(length, abs=0.05)  # at 1 mm/s


def test_bounds_include_the_extremes_of_an_arc_in_each_plane(read):
    upright = read("G90\nG1 X10 Y3 Z20 F600\nG18\nG2 I-10 E1\n").bounds
    sideways = read("G90\nG1 X3 Y10 Z20 F600\nG19\nG2 J-10 E1\n").bounds

    assert np.round(upright, 9).tolist() == [[-10, 3, 10], [10, 3, 30]]
    assert np.round(sideways, 9).tolist() == [[3, -10, 10], [3, 10, 30]]


@pytest.mark.parametrize(
    ("gcode", "nozzle", "bed"),
    [
        ("M140 S60\nM104 S200\nM109 R215\nM190 S65\nG1 X1\nM104 S0\n", 215.0, 65.0),
        ("M104 T1 S230\nG1 X1\n", 230.0, None),
        ("G10 P0 S240 R180\nM568 P1 S245\nM140 S50\nG1 X1\n", 245.0, 50.0),
        (
            "set_heater_temperature heater=extruder target=250.5\n"
            "SET_HEATER_TEMPERATURE HEATER=heater_bed TARGET=70\nG1 X1\nG1 X2\n",
            250.5,
            70.0,
        ),
        ("M104\nG1 X1\n", None, None),
    ],
)
def test_highest_nozzle_and_bed_temperatures_are_found(read, gcode, nozzle, bed):
    facts = read(gcode)

    assert (facts.highest_nozzle_temperature, facts.highest_bed_temperature) == (nozzle, bed)


def test_firmware_retraction_takes_time_and_extrudes_nothing(read):
    print_ = "G1 X10 E1 F600\n{}G1 X20 F600\n{}G1 X30 E2 F600\n"

    plain, retracting = read(print_.format("", "")), read(print_.format("G10\n", "G11\n"))
    slowly = read("M207 S4 F120\n" + print_.format("G10\n", "G11\n"))

    assert retracting.filament_mm == plain.filament_mm == 2.0
    extra = [facts.build_time_seconds - plain.build_time_seconds for facts in (retracting, slowly)]
    assert extra == pytest.approx([2 * 3 / 45, 2 * 2])


def test_volumes_use_the_filament_diameter_stated_in_the_file(read, tmp_path):
    stated = SQUARE + "; filament_diameter = 2.85\n"
    path = tmp_path / "stated.gcode"
    path.write_text(stated)

    thick = figures(path)

    assert thick.filament_diameter == 2.85
    assert thick.support_volume_cc == pytest.approx(1.5 * math.pi / 4 * 2.85**2 / 1000)
    assert read(stated).filament_diameter == 1.75  # who knows it better may say so


def test_file_of_many_chunks_has_the_figures_of_one(read):
    lap = ";TYPE:Fill\nG1 X10.123 Y0 E1\nG1 X10 Y10 E2\nG1 X0 Y10 E3\nG1 X0 Y0 E4\nG92 E0\n"
    laps = 2 * BLOCK_BYTES // len(lap)

    facts = read("G1 Z0.2 F6000\n" + lap * laps)

    assert facts.filament_mm == pytest.approx(4 * laps)
    assert facts.bounds == ((0.0, 0.0, 0.2), (10.123, 10.0, 0.2))


def test_file_without_extrusion_is_valid(read):
    facts = read("G0 X10 Y10\nM3 S100\nG1 X20\n")

    assert (facts.filament_mm, facts.layers, facts.bounds) == (0.0, 0, None)


def test_firmware_macros_are_accepted(read):
    macros = "START_PRINT BED=60\nSET_FAN S=1\n@pause\nG28\nG1 X10 E1\nG1 X20 E2\nM104 S0\n"

    assert read(macros).filament_mm == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty-file"),
        (b"; nothing but words\n\n", "no-commands"),
        (b"M104 S200\nG28\nG92 E0\n", "no-moves"),
        (b"GCDE\x01\x00\x00\x00", "binary-gcode"),
        (b"PK\x03\x04rest", "archive"),
        (b"\x1f\x8b\x08rest", "archive"),
        ("G1 X1\n".encode("utf-16"), "not-text"),
        (b"G1 X1\n\x00\x01\x02", "not-text"),
        (b"G1 X" + b"1" * (3 * BLOCK_BYTES), "not-text"),
        (b"import os\n\ndef main():\n    return os.name\n", "not-gcode"),
        (bytes(80) + b"\x01\0\0\0" + bytes(50), "not-text"),
        (b"G1 X1 Y1\nG1 Xinf\n", "syntax-error"),
        (b'{"layers": []}\n', "syntax-error"),
        (b"G1 X1\nMACRO\nOTHER\nTHIRD\n", "not-gcode"),
        (b"solid cube\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", "not-gcode"),
        (b"<html>\n<body>\nNot found\n</body>\n</html>\n", "syntax-error"),
        (b"G1 X1\nG1 Xnan Y1\n", "syntax-error"),
        (b"G1 X1.2.3\n", "syntax-error"),
        (b"G1 X--1\n", "syntax-error"),
        (b"G1 X\n", "syntax-error"),
        (b"G1 X200000\n", "out-of-range"),
        (b"G1 X" + b"9" * 500 + b"\n", "out-of-range"),
        (b"G91\nG1 X" + b"9" * 500 + b"\nG1 X-" + b"9" * 500 + b"\n", "out-of-range"),
    ],
)
def test_invalid_gcode_is_rejected_with_its_error_code(refused, content, code):
    assert refused(content).code == code


def test_syntax_error_states_the_first_invalid_line(refused):
    lines = ["G28", "M105", *["G1 X1 Y1"] * 5, "G1 X1 Yone", "G1 X--1"]

    assert refused("\n".join(lines)).title == "Line 8 is not gcode: G1 X1 YONE"


def test_single_invalid_line_among_hundreds_is_ignored(read):
    facts = read("G1 X0 F600\n" + "G1 X10 E1\nG1 X0 E2\nG92 E0\n" * 200 + "G1 X-- E9\n")

    assert facts.filament_mm == pytest.approx(400.0)


def test_hostile_numbers_yield_finite_figures(read):
    huge = "9" * 400
    hostile = f"G4 S{huge}\nM104 S{huge}\nM204 S{huge}\nM205 X{huge}\nG1 X1 F{huge}\nG1 Y1 F0 E1\n"

    facts = read(hostile)

    assert math.isfinite(facts.build_time_seconds)
    assert math.isfinite(facts.highest_nozzle_temperature)


@pytest.mark.parametrize(
    "number", ["0.1234567890123456789", "12345.678901234567", "-.5", "+7.", "7"]
)
def test_numbers_are_parsed_to_the_last_bit(read, number):
    facts = read(f"G1 X{number} E1 F600\nG1 X{number} Y1 E2\n")

    lowest, highest = facts.bounds
    assert float(number) in (lowest[0], highest[0])


@pytest.mark.parametrize("line", ["G1 X Y1 2", "G1 X1.2.3", "G1 X1-2", "G1 X.", "G1 X1 2"])
def test_line_is_rejected_when_letters_and_numbers_do_not_alternate(refused, line):
    assert "Line 3" in refused(f"G1 X1 E1 F600\nG1 X2 E2\n{line}\n").title
