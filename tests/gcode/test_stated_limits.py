"""Limits of speed and acceleration that a file states hold from where they stand."""

import math

import pytest

from gcode import MachineLimits

# From 10 to 110 mm and back, ten times, at up to 300 mm/s; the file's own limits come before.
SHUTTLE = "G1 X110 E1 F18000\nG1 X10 E1\n" * 10
HEAD = "G90\nM83\nG1 X10 Y10 Z0.2 F600\n"


@pytest.fixture
def seconds(read_gcode):
    """`seconds("M203 X50")`: of the shuttle after these lines."""

    def seconds(lines="", *, shuttle=SHUTTLE, **options):
        return read_gcode(f"{HEAD}{lines}\n{shuttle}", **options).build_time_seconds

    return seconds


@pytest.mark.parametrize(
    ("stated", "equal"),
    [
        ("SET_VELOCITY_LIMIT ACCEL=500 ACCEL_TO_DECEL=250", "M204 P500 T500"),
        ("set_velocity_limit accel = 500.0", "M204 S500"),
        ("SET_VELOCITY_LIMIT SQUARE_CORNER_VELOCITY=2 MINIMUM_CRUISE_RATIO=0.5", "M205 X2 Y2"),
        ("SET_VELOCITY_LIMIT ACCEL=5 VELOCITY=9\nRESET_VELOCITY_LIMIT", ""),
        ("M201 X500 Y500", "M204 P500 T500"),
        ("M201 X500", "M204 P500 T500"),
        ("M201 Y500 Z9000 S20", ""),
        ("M201.1 X500", ""),
        ("M566 X120 Y120", "M205 X2 Y2"),
        ("M205 Z9 E9", ""),
        ("M566 X120\nM203 X3000", "M205 X2\nM203 X50"),
        (";FLAVOR:RepRap\nM203 X3000", "M203 X50"),
        ("M203 X3000 ; sets maximum feedrates, mm / min", "M203 X50"),
        ("; gcode_flavor = reprapfirmware\nM203 X3000", "M203 X50"),
        ("M203 X3000", ""),
        ("M203 X0 Y0", ""),
        ("M220 S100", ""),
        ("M220 B", ""),
        ("M201\nM203\nM205\nM566\nSET_VELOCITY_LIMIT", ""),
    ],
)
def test_equivalent_limit_commands_yield_equal_times(seconds, stated, equal):
    assert seconds(stated) == pytest.approx(seconds(equal), rel=1e-12)


@pytest.mark.parametrize(
    "line", ["M203 X50 Y50", "SET_VELOCITY_LIMIT VELOCITY=50", 'SET_VELOCITY_LIMIT VELOCITY="50"']
)
def test_speed_limit_clamps_faster_moves(seconds, line):
    assert seconds(line) == pytest.approx(seconds(shuttle=SHUTTLE.replace("18000", "3000")))


def test_diagonal_move_may_exceed_the_speed_limit_of_one_axis(seconds):
    diagonal = "G1 X110 Y110 F18000\nG1 X10 Y10\n" * 10

    limited = seconds("M203 X50", shuttle=diagonal)

    speed = 50 * math.sqrt(2)
    assert limited == pytest.approx(seconds(shuttle=diagonal.replace("18000", f"{speed * 60}")))


def test_arc_speed_is_limited_by_the_axes_of_its_plane(seconds):
    circle = "G2 X10 Y10 I20 F18000\n"

    assert seconds("M203 X10", shuttle=circle) == pytest.approx(
        seconds(shuttle=circle.replace("18000", "600"))
    )


def test_extruder_limits_apply_to_extrusion_and_retraction(seconds):
    shuttle = "G1 X110 E10 F18000\nG1 X10 E10\n"
    retracting = "G1 E-5 F6000\nG1 E5\n"

    assert seconds("M203 E5", shuttle=shuttle) == pytest.approx(
        seconds(shuttle=shuttle.replace("18000", "3000"))  # 10 of filament on 100 mm
    )
    assert seconds("M203 E5", shuttle=retracting) == pytest.approx(
        seconds(shuttle=retracting.replace("6000", "300"))
    )
    assert seconds("M204 R100", shuttle=retracting) > seconds("M204 P100", shuttle=retracting)
    assert seconds("M205 E1", shuttle=retracting) > seconds("M205 E9", shuttle=retracting)


def test_stated_z_limits_apply_to_vertical_moves(seconds):
    lift = "G1 Z100.2 F6000\n"

    assert (
        seconds("M203 Z20", shuttle=lift) < seconds(shuttle=lift) < seconds("M203 Z5", shuttle=lift)
    )
    assert seconds("M201 Z50", shuttle=lift) > seconds(shuttle=lift)


def test_limit_applies_from_its_line_on_and_across_chunks(seconds):
    before, after = SHUTTLE * 3000, SHUTTLE

    late = seconds(shuttle=before + "M203 X50\n" + after) - seconds(shuttle=before)

    assert late == pytest.approx(seconds("M203 X50", shuttle=after) - seconds(shuttle=""), rel=0.02)


def test_speed_factor_scales_speed_and_not_acceleration(seconds):
    slow = SHUTTLE.replace("18000", "4500")

    assert seconds("M220 S25") == pytest.approx(seconds(shuttle=slow))
    assert seconds("M220 S25\nM220 S100") == pytest.approx(seconds())


def test_flow_factor_changes_neither_time_nor_filament(read_gcode):
    plain, corrected = (read_gcode(HEAD + line + SHUTTLE) for line in ("", "M221 S95\n"))

    assert corrected == plain


def test_junction_deviation_is_converted_to_a_jerk(seconds):
    corners = "G1 X20 Y10 F6000\nG1 Y20\nG1 X10\nG1 Y10\n" * 20
    deviation = 0.02  # mm, at 1500 mm/s^2
    jerk = math.sqrt(1500 * deviation / (math.sqrt(2) - 1))

    assert seconds(f"M205 J{deviation}", shuttle=corners) == pytest.approx(
        seconds(f"M205 X{jerk} Y{jerk}", shuttle=corners)
    )
    assert seconds(f"M205 J{deviation}\nM205 X10 Y10", shuttle=corners) == pytest.approx(
        seconds(shuttle=corners)
    )


def test_y_jerk_alone_slows_corners_and_x_jerk_sets_both(seconds):
    sideways = "G1 Y20 F6000\nG1 Y10\n" * 20

    assert seconds("M205 Y1", shuttle=sideways) > seconds(shuttle=sideways)
    assert seconds("M205 X1", shuttle=sideways) == pytest.approx(
        seconds("M205 X1 Y1", shuttle=sideways)
    )


def test_stated_limits_are_clamped_to_those_of_the_printer(seconds):
    limits = MachineLimits(extruding=500, travel=500, retracting=500, axes=(500, 500), jerk=5)
    more = "M201 X9000 Y9000\nM204 P9000 R9000 T9000\nM205 X50 Y40\nSET_VELOCITY_LIMIT ACCEL=9000"

    assert seconds(more, limits=limits) == pytest.approx(seconds(limits=limits))
    assert seconds("M201 X100", limits=limits) > seconds(limits=limits)


@pytest.mark.parametrize("digits", ["0.0000001", "9" * 400])
@pytest.mark.parametrize(
    "line", ["M201 X{0} E{0}", "M203 X{0} E{0}", "M205 J{0}", "M220 S{0}", "M566 X{0} E{0}"]
)
def test_absurd_limits_yield_a_finite_time(seconds, line, digits):
    assert math.isfinite(seconds(line.format(digits)))
