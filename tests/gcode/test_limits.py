"""The planner and a printer's own limits: what gcode asks for beyond them is not done."""

import pytest

from gcode import MachineLimits, figures, object_figures

# A square of 10 mm, a hundred times, in which acceleration decides.
SIDES = "\n".join(f"G1 X{x} Y{y} E0.5" for x, y in ((10, 0), (10, 10), (0, 10), (0, 0)))
ASKED = "M83\nM204 P{asked} T{asked}\nM205 X8 Y8\nG1 Z0.2 F600\nG1 F6000\n" + f"{SIDES}\n" * 100


@pytest.fixture
def seconds(tmp_path):
    """`seconds(3000, limits)`: of squares that ask for this acceleration, mm/s^2."""

    def read(asked: float, limits: MachineLimits | None = None) -> float:
        path = tmp_path / "squares.gcode"
        path.write_text(ASKED.format(asked=asked))
        return figures(path, limits=limits).build_time_seconds

    return read


def test_acceleration_is_clamped_to_the_limit_of_the_printer(seconds):
    limits = MachineLimits(extruding=1500, travel=1500, retracting=1500, axes=(1e9, 1e9), jerk=8)

    assert seconds(3000) < 0.95 * seconds(1500)
    assert seconds(3000, limits) == pytest.approx(seconds(1500))
    assert seconds(1000, limits) == pytest.approx(seconds(1000))


def test_each_axis_has_its_own_acceleration_limit(seconds):
    slow = MachineLimits(extruding=3000, travel=3000, retracting=3000, axes=(500, 3000), jerk=8)
    slower = slow._replace(axes=(500, 500))

    assert seconds(3000) < seconds(3000, slow) < seconds(3000, slower)
    assert seconds(3000, slower) == pytest.approx(seconds(500))


def test_retraction_has_its_own_acceleration_limit(tmp_path):
    path = tmp_path / "retracted.gcode"
    path.write_text("M83\nM204 P500 T500\nG1 F3600\n" + "G1 E-5\nG1 E5\n" * 100)
    limits = MachineLimits(500, 500, retracting=1000, axes=(500, 500), jerk=8)

    # 60 mm/s are never reached within 5 mm; the jerk takes its share of the square root.
    slow, quick = (
        figures(path, limits=limits._replace(retracting=a)).build_time_seconds for a in (500, 1000)
    )

    assert slow / quick == pytest.approx(2**0.5, rel=0.05)
    jerky = figures(path, limits=limits._replace(filament_jerk=10)).build_time_seconds
    assert jerky < 0.95 * quick


def test_jerk_is_clamped_to_the_limit_of_the_printer(seconds):
    limits = MachineLimits(extruding=1500, travel=1500, retracting=1500, axes=(1e9, 1e9), jerk=1)

    assert seconds(1500, limits) > 1.03 * seconds(1500)


def test_printer_limits_are_the_defaults_for_accelerations(tmp_path):
    path = tmp_path / "plain.gcode"
    path.write_text(ASKED.replace("M204 P{asked} T{asked}\nM205 X8 Y8\n", ""))
    quick, slow = (
        MachineLimits(extruding=a, travel=a, retracting=1500, axes=(1e9, 1e9), jerk=8)
        for a in (5000, 300)
    )

    assert (
        figures(path, limits=quick).build_time_seconds
        < figures(path).build_time_seconds
        < figures(path, limits=slow).build_time_seconds
    )


def test_object_times_add_up_to_the_time_of_the_file(tmp_path):
    path = tmp_path / "two.gcode"
    visit = "; printing object {0} id:0 copy 0\n{1}\n; stop printing object {0} id:0 copy 0\n"
    path.write_text(
        "M83\nG1 Z0.2 F600\nG1 F6000\n"
        + visit.format("Left", SIDES)
        + visit.format("right one", SIDES + "\n" + SIDES)
    )
    limits = MachineLimits(extruding=700, travel=700, retracting=700, axes=(600, 600), jerk=5)

    found = object_figures(path, limits=limits)

    assert list(found) == ["", "left", "right one"]
    assert sum(one.seconds for one in found.values()) == pytest.approx(
        figures(path, limits=limits).build_time_seconds
    )
    assert [one.filament for one in found.values()] == pytest.approx([0, 2, 4])
    assert found["left"].bounds == ([0.0, 0.0, 0.2], [10.0, 10.0, 0.2])
