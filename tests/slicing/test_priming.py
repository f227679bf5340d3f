"""Start gcode that lays filament beside the bed."""

import pytest

from apps.slicing.configs.priming import (
    FARTHEST,
    excursions,
    has_computed_moves,
    reach_beside_bed,
)
from apps.slicing.configs.slic3r import outline_of

BED = ((0, 0), (125, 0), (125, 130), (0, 130))


@pytest.mark.parametrize(
    ("start", "reach"),
    [
        ("", 0),
        (r"G28\nG1 X0.1 Y20 Z0.8 F5000\nG1 X0.1 Y120 E30", 0),
        (r"G28\nG1 X0.1 Y200.0 Z1.2 F1500 E30 ; Draw the first line", 70),
        (r"G1 Y-3.5 F1000\ng01 x-.5", 3.5),
        ("G1 Y-3.5 F1000\nG1 X5 Y-4", 4),
        (r"G28\nG91\nG1 Y200\nG90\nG1 Y140", 10),
        (r"G10 Y200\nM117 Y200\n; G1 Y200\nG1 F300 ; Y200", 0),
        (r"G1 Y{print_bed_max[1] + 20}", 0),
        (r"G1 Y99999", FARTHEST),
    ],
)
def test_reach_of_start_gcode_is_that_of_its_absolute_moves(start, reach):
    assert reach_beside_bed(start, BED) == pytest.approx(reach)


def test_reach_is_measured_from_the_edges_of_a_centred_bed():
    assert reach_beside_bed("G1 X-60 Y70", ((-50, -50), (50, -50), (50, 50), (-50, 50))) == 20


def test_reach_is_zero_without_a_bed_shape():
    assert reach_beside_bed("G1 X900", outline_of({"bed_shape": "round"})) == 0


def test_excursions_name_the_farthest_move_beside_each_side():
    beside = excursions(r"G28\nG1 X-1 Y-3\nG1 Y-5 E3 ; wipe\nG1 X125.5", BED)

    assert {side: move.description for side, move in beside.items()} == {
        "left": "X-1 in line 2 (G1 X-1 Y-3), 1 mm",
        "front": "Y-5 in line 3 (G1 Y-5 E3), 5 mm",
        "right": "X125.5 in line 4 (G1 X125.5), 0.5 mm",
    }


@pytest.mark.parametrize(
    ("start", "computed"),
    [
        (r"G28\nG1 X5 Z[first_layer_height]", False),
        (r"G1 X{first_layer_print_min[0] - 2} Y5", True),
        (r"G91\nG1 Z5\nG90\nG1 X5", False),
        (r"G91\nG1 X5", True),
    ],
)
def test_moves_whose_places_only_the_engine_knows_are_recognised(start, computed):
    assert has_computed_moves(start) == computed
