"""Several objects on one plate, sliced by the real CuraEngine."""

import numpy as np
import pytest

from apps.slicing.domain.installed_engines import installed_engines
from apps.slicing.engines.base import EngineLimits, PlateObject, SliceFailed
from tests.conftest import CORNERS, SIDES, binary_stl
from tests.slicing.test_plates import FLAT, TALL, at

pytestmark = pytest.mark.engine

THREE = {
    "p_1_aa": (TALL, at(50, 50)),
    "p_2_bb": (TALL, at(80, 50, degrees=90)),
    "p_3_cc": (FLAT, at(60, 100)),
}


@pytest.fixture
def engine():
    engine = installed_engines()["cura"]
    if engine.version() is None:
        pytest.skip(engine.missing())
    return engine


@pytest.fixture
def sliced(engine, tmp_path):
    """`sliced({"p_1": (TALL, at(50, 50))}, raw="adhesion_type=brim")`: these, sliced together."""

    def make(objects, *, raw: str = "", own=(), **options):
        settings = engine.read_raw(f"layer_height=0.2\n{raw}").settings
        placed = []
        for number, (name, (triangles, transform)) in enumerate(objects.items()):
            stl = tmp_path / f"{number}.stl"
            stl.write_bytes(binary_stl(triangles))
            placed.append(PlateObject(name, stl, transform, dict(own).get(name, {})))
        folder = tmp_path / f"work{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return engine.slice_plate(placed, settings, folder, limits=EngineLimits(), **options)

    return make


def rows_of(made) -> dict:
    return {row["name"]: row for row in made.objects}


def test_objects_stand_where_they_are_placed_and_add_up_to_the_total(sliced):
    made = sliced(THREE)

    rows = rows_of(made)
    assert list(rows) == [*THREE, "shared"]
    for name, total in (
        ("time_seconds", made.build_time_seconds),
        ("filament_mm", made.figures.filament_mm),
    ):
        assert sum(row[name] for row in made.objects) == pytest.approx(total)
    assert rows["p_1_aa"]["filament_mm"] == pytest.approx(rows["p_2_bb"]["filament_mm"], rel=0.03)
    low, high = rows["p_2_bb"]["box"]  # turned by a quarter: from x 68 to 80, y 50 to 60
    assert (low[:2], high[:2]) == (
        pytest.approx([68, 50], abs=0.5),
        pytest.approx([80, 60], abs=0.5),
    )
    assert rows["p_1_aa"]["last_layer"] > rows["p_3_cc"]["last_layer"]  # 4 and 2 mm high


def test_origin_in_the_middle_of_the_bed_is_the_origin_of_the_plate(sliced):
    made = sliced({"p_1": (TALL, at(-20, 10))}, raw="machine_center_is_zero=true")

    low, high = rows_of(made)["p_1"]["box"]
    assert (low[:2], high[:2]) == (
        pytest.approx([-20, 10], abs=0.5),
        pytest.approx([-10, 22], abs=0.5),
    )


@pytest.mark.parametrize(
    ("firmware", "entered", "left"),
    [
        (None, "M486 S{}", "M486 S-1"),
        ("klipper", "EXCLUDE_OBJECT_START NAME={}", "EXCLUDE_OBJECT_END NAME={}"),
    ],
)
def test_labels_are_balanced_and_the_end_gcode_is_outside_of_all(sliced, firmware, entered, left):
    lines = sliced(THREE, firmware=firmware).gcode.read_text().splitlines()

    assert not any(line.startswith(";MESH:p_") for line in lines)
    defined = max(at for at, line in enumerate(lines) if line.startswith(";LAYER_COUNT:"))
    inside, visits = None, dict.fromkeys(THREE, 0)
    for line in lines[defined:]:
        if inside is not None and line == left.format(inside):
            inside = None
        for number, name in enumerate(THREE):
            if line == entered.format(name if firmware else number):
                assert inside is None
                inside, visits[name] = name, visits[name] + 1
        if line.startswith(("M104 S0", ";TIME_ELAPSED", ";LAYER:")):
            assert inside is None, line
    assert inside is None
    assert min(visits["p_1_aa"], visits["p_2_bb"]) >= 20  # layers
    assert visits["p_3_cc"] >= 10


def test_brims_of_neighbours_are_joined(sliced):
    near = {"p_1": (TALL, at(100, 100)), "p_2": (TALL, at(114, 100))}
    raw = "adhesion_type=brim\nbrim_width=8"

    made = sliced(near, raw=raw)

    rows = rows_of(made)
    assert rows["shared"]["filament_mm"] > 0.3 * rows["p_1"]["filament_mm"]
    assert rows["p_1"]["box"][1][0] == pytest.approx(110, abs=0.5)


def test_brim_over_the_edge_of_the_bed_is_refused_with_its_object(sliced):
    with pytest.raises(SliceFailed, match="p_1 by 6 mm") as failure:
        sliced({"p_1": (TALL, at(2, 100))}, raw="adhesion_type=brim\nbrim_width=8")

    assert failure.value.code == "object-off-bed"


def test_object_has_infill_of_its_own(sliced, engine):
    dense = engine.read_raw("layer_height=0.2\ninfill_sparse_density=60").settings
    names = ("infill_sparse_density", "infill_line_distance")
    cube = CORNERS[SIDES] * [20, 20, 6]

    made = sliced(
        {"p_1": (cube, at(50, 50)), "p_2": (cube, at(90, 50))},
        own={"p_2": {name: dense[name] for name in names}},
    )

    rows = rows_of(made)
    assert rows["p_2"]["filament_mm"] > 1.2 * rows["p_1"]["filament_mm"]


def test_material_that_shrinks_is_printed_larger_about_the_middle_of_the_plate(sliced):
    wide = {"p_1": (TALL, at(20, 20)), "p_2": (TALL, at(200, 200))}

    made = sliced(wide, raw="material_shrinkage_percentage=102")

    low, _ = rows_of(made)["p_1"]["box"]
    assert low[0] < 20 - 1.0


def test_place_of_a_nozzle_beside_the_middle_of_the_head_moves_the_coordinates(sliced):
    offset = "machine_nozzle_offset_x=-10\nmachine_nozzle_offset_y=8"
    raw = f"machine_use_extruder_offset_to_offset_coords=true\n{offset}"

    made = sliced({"p_1": (TALL, at(50, 50))}, raw=raw)

    low, _ = rows_of(made)["p_1"]["box"]
    assert low[:2] == pytest.approx([60, 42], abs=0.5)


def test_object_without_a_layer_is_named_in_the_error(sliced):
    needle = CORNERS[SIDES] * np.array([0.05, 0.05, 4])

    with pytest.raises(SliceFailed, match="p_2") as failure:
        sliced({"p_1": (TALL, at(50, 50)), "p_2": (needle, at(90, 50))})

    assert failure.value.code == "object-incomplete"
