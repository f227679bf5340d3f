"""Print times of files for Klipper and Marlin, beside the planner with the same limits."""

import math

import pytest

from gcode import MachineLimits

HEAD = "G90\nM83\nG1 X10 Y10 Z0.2 F600\n"
OPEN = {"extruding": 20_000, "travel": 20_000, "retracting": 5_000, "axes": (20_000, 20_000)}


def _zigzag():
    return "".join(
        f"G1 X{110 - 100 * (row % 2)} Y{10 + row * 0.4:.1f} E2 F12000\n" for row in range(80)
    )


def _polygon():
    corners = [(math.cos(turn * math.pi / 30), math.sin(turn * math.pi / 30)) for turn in range(61)]
    return "".join(f"G1 X{60 + 40 * x:.4f} Y{60 + 40 * y:.4f} E0.2 F9000\n" for x, y in corners) * 8


def _squares():
    return (
        "".join(
            f"G0 X{10 + 20 * at} Y10 F18000\nG1 X{25 + 20 * at} E0.6 F6000\nG1 Y25 E0.6\n"
            f"G1 X{10 + 20 * at} E0.6\nG1 Y10 E0.6\n"
            for at in range(5)
        )
        * 8
    )


def _islands():
    return "".join(
        f"G0 X{10 + 37 * at % 150} Y{10 + 53 * at % 150} F30000\n"
        f"G1 X{14 + 37 * at % 150} Y{13 + 53 * at % 150} E0.2 F7200\n"
        for at in range(150)
    )


SHAPES = [_zigzag, _polygon, _squares, _islands]
# acceleration in mm/s^2, jerk in mm/s, and how a file states them
STATED = {
    "klipper": (
        (700, 3),
        "SET_VELOCITY_LIMIT ACCEL={a} ACCEL_TO_DECEL={half} SQUARE_CORNER_VELOCITY={j}\n",
    ),
    "klipper by M204": ((2500, 5), "SET_VELOCITY_LIMIT SQUARE_CORNER_VELOCITY={j}\nM204 S{a}\n"),
    "marlin by M204": ((500, 8), "M204 P{a} T{a} R{a}\nM205 X{j} Y{j}\n"),
    "marlin by M201": ((900, 6), "M204 P20000 T20000\nM201 X{a} Y{a} Z500\nM205 X{j} Y{j}\n"),
    "marlin, later ones count": (
        (3000, 12),
        "M204 P100 T100\nM205 X1 Y1\nM204 P{a} T{a}\nM205 X{j} Y{j}\n",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("firmware", STATED)
def test_time_is_that_of_a_printer_configured_with_the_stated_limits(read_gcode, firmware, shape):
    (a, j), lines = STATED[firmware]
    stated = lines.format(a=a, j=j, half=a // 2)
    limits = MachineLimits(extruding=a, travel=a, retracting=a, axes=(20_000, 20_000), jerk=j)
    if firmware == "marlin by M201":  # of each axis, so that diagonals are faster
        limits = MachineLimits(**OPEN | {"axes": (a, a)}, jerk=j)

    read = read_gcode(HEAD + stated + shape()).build_time_seconds
    above = "M204 P30000 T30000\nM205 X99 Y99\n"  # only the configuration limits
    configured = read_gcode(HEAD + above + shape(), limits=limits).build_time_seconds

    assert read == pytest.approx(configured, rel=0.05)
    unlimited = read_gcode(HEAD + shape()).build_time_seconds
    assert abs(unlimited / read - 1) > 0.06  # ignored limits would fail above
