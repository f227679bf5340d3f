"""Several objects on one plate, sliced by the real engine."""

import base64
import io
import math
import re

import numpy as np
import pytest
from PIL import Image

from apps.slicing.configs import bundles, presets
from apps.slicing.engines import plate
from apps.slicing.engines.base import EngineLimits, PlateObject, SliceFailed
from apps.slicing.engines.prusaslicer import PrusaSlicer
from gcode import ObjectFigures
from tests.conftest import CORNERS, SIDES, binary_stl
from tests.slicing.vendor_bundle import BUNDLE

pytestmark = pytest.mark.engine

ENGINE = PrusaSlicer()
if ENGINE.version() is None:
    pytest.skip(ENGINE.missing(), allow_module_level=True)

TALL = CORNERS[SIDES] * [10, 12, 4]
FLAT = CORNERS[SIDES] * [30, 8, 2]


@pytest.fixture
def triple():
    """`triple("Acme Flat", perimeters="1")`: a flattened triple of the made-up bundle."""
    bundle = bundles.read(BUNDLE.encode(), "Acme")

    def make(printer: str, **more: str) -> dict[str, str]:
        triple = presets.Triple(
            bundle.flat("printer", printer),
            bundle.flat("print", "0.20 mm normal @ACME"),
            bundle.flat("filament", "Generic PLA @ACME"),
        )
        return presets.flattened(triple, ENGINE.capabilities()).settings | more

    return make


def at(x: float, y: float, z: float = 0.0, degrees: float = 0.0) -> np.ndarray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1]], float)


@pytest.fixture
def sliced(tmp_path):
    """`sliced(settings, {"p_1": (TALL, at(50, 50))})`: these objects, sliced together."""

    def make(settings, objects, **options):
        placed = []
        for number, (name, (triangles, transform)) in enumerate(objects.items()):
            stl = tmp_path / f"{number}.stl"
            stl.write_bytes(binary_stl(triangles))
            placed.append(PlateObject(name, stl, transform))
        folder = tmp_path / f"work{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return ENGINE.slice_plate(placed, settings, folder, limits=EngineLimits(), **options)

    return make


THREE = {
    "p_1_aa": (TALL, at(50, 50)),
    "p_2_bb": (TALL, at(80, 50, degrees=90)),
    "p_3_cc": (FLAT, at(60, 100)),
}


def test_plate_objects_have_time_filament_and_box_that_add_up_to_the_total(triple, sliced):
    found = sliced(triple("Acme Flat"), THREE)

    rows = {row["name"]: row for row in found.objects}
    assert list(rows) == [*THREE, "shared"]
    assert sum(row["time_seconds"] for row in found.objects) == pytest.approx(
        found.build_time_seconds
    )
    assert sum(row["filament_mm"] for row in found.objects) == pytest.approx(
        found.figures.filament_mm
    )
    assert rows["p_1_aa"]["filament_mm"] == pytest.approx(rows["p_2_bb"]["filament_mm"], rel=0.03)
    assert rows["shared"]["filament_mm"] < 0.4 * found.figures.filament_mm  # the skirt
    flat, tall = rows["p_3_cc"], rows["p_1_aa"]  # 2 and 4 mm high
    assert (flat["last_layer"] - flat["first_layer"], tall["last_layer"]) == (9, 19)
    grams = found.figures.filament_mm * math.pi / 4 * 1.75**2 / 1000 * 1.24
    assert sum(row["mass_g"] for row in found.objects) == pytest.approx(grams)
    low, high = rows["p_2_bb"]["box"]  # turned by a quarter: from x 68 to 80, y 50 to 60
    assert (low[:2], high[:2]) == (
        pytest.approx([68, 50], abs=0.5),
        pytest.approx([80, 60], abs=0.5),
    )


def test_m486_labels_are_balanced_around_each_object(triple, sliced):
    text = sliced(triple("Acme Flat"), THREE).gcode.read_text()

    lines = text.splitlines()
    assert lines[1:9] == [
        "M486 T3", "M486 S0", "M486 Ap_1_aa", "M486 S1", "M486 Ap_2_bb", "M486 S2",
        "M486 Ap_3_cc", "M486 S-1",
    ]  # fmt: skip
    open_one = None
    for before, line in zip(lines[9:], lines[10:], strict=False):
        if line.startswith("M486 S-1"):
            assert open_one is not None
            open_one = None
        elif line.startswith("M486 S"):
            assert open_one is None
            open_one = list(THREE)[int(line.removeprefix("M486 S"))]
            assert before.startswith(f"; printing object {open_one} id:")
    assert open_one is None


def test_klipper_labels_define_name_centre_and_polygon_of_each_object(triple, sliced):
    lines = sliced(triple("Acme Flat"), THREE, firmware="klipper").gcode.read_text().splitlines()

    defined = [line for line in lines if line.startswith("EXCLUDE_OBJECT_DEFINE")]
    assert len(defined) == 3
    assert "NAME=p_1_aa CENTER=55.000,56.000 POLYGON=[[" in defined[0]
    starts = sum(line.startswith("EXCLUDE_OBJECT_START NAME=p_3_cc") for line in lines)
    ends = sum(line.startswith("EXCLUDE_OBJECT_END NAME=p_3_cc") for line in lines)
    assert starts == ends >= 10
    assert not any(line.startswith("M486") for line in lines)


def test_firmware_without_object_labels_gets_comments_only(triple, sliced):
    text = sliced(triple("Acme Flat"), THREE, firmware="none").gcode.read_text()

    assert "M486" not in text and "EXCLUDE_OBJECT" not in text
    assert "; printing object p_2_bb id:" in text


def test_single_object_is_labelled(triple, sliced):
    found = sliced(triple("Acme Flat"), {"p_1_aa": (TALL, at(50, 50))})

    assert [row["name"] for row in found.objects] == ["p_1_aa", "shared"]


def test_thumbnails_are_embedded_in_the_gcode(triple, sliced):
    found = sliced(triple("Acme Flat"), THREE, thumbnails=["16x16", "220x124", "0x9", "x"])

    text = found.gcode.read_text()
    begun = re.findall(r"; thumbnail begin (\d+)x(\d+) (\d+)\n(.*?); thumbnail end", text, re.S)
    assert [(width, height) for width, height, _, _ in begun] == [("16", "16"), ("220", "124")]
    for width, height, length, body in begun:
        data = body.replace("; ", "").replace("\n", "")
        assert len(data) == int(length)
        picture = Image.open(io.BytesIO(base64.b64decode(data)))
        assert picture.size == (int(width), int(height))
        assert picture.getchannel("A").getextrema() == (0, 255)


def test_round_bed_accepts_objects_within_it(triple, sliced):
    found = sliced(triple("Acme Round"), {"p_1": (TALL, at(-5, -6)), "p_2": (FLAT, at(-15, 30))})

    assert found.figures.bounds[0][0] < 0


def test_object_that_touches_the_edge_of_a_round_bed_is_printed(triple, sliced):
    edge = 80 - 20 * (80 - 56.57) / 56.57  # of the bed, at y = 20

    found = sliced(triple("Acme Round"), {"p_1": (TALL, at(edge - 10, 8)), "p_2": (TALL, at(0, 0))})

    rows = {row["name"]: row for row in found.objects}
    assert rows["p_1"]["box"][1][0] == pytest.approx(edge, abs=0.5)
    assert rows["p_1"]["last_layer"] == 19


BAD = {
    "beside the bed": ("Acme Flat", {"p_1": (TALL, at(400, 50))}, {}, "object-off-bed"),
    "half beside it": ("Acme Flat", {"p_1": (TALL, at(200, 50))}, {}, "object-off-bed"),
    "before its corner": ("Acme Flat", {"p_1": (TALL, at(0, 0))}, {}, "object-off-bed"),
    "in the missing corner": ("Acme Round", {"p_1": (TALL, at(55, 55))}, {}, "object-off-bed"),
    "in the air": ("Acme Flat", {"p_1": (TALL, at(50, 50, 5))}, {}, "object-off-bed"),
    "above its height": (
        "Acme Flat",
        {"p_1": (TALL * [1, 1, 50], at(50, 50))},
        {},
        "object-off-bed",
    ),
    "brim beside the bed": (
        "Acme Flat",
        {"p_1": (TALL, at(6, 50))},
        {"brim_width": "5", "brim_type": "outer_only"},
        "object-off-bed",
    ),
    "supports that meet": (
        "Acme Flat",
        {"p_1": (TALL, at(50, 50)), "p_2": (TALL, at(62, 50))},
        {"support_material": "1"},
        "supports-would-meet",
    ),
}


@pytest.mark.parametrize("printer, objects, more, code", BAD.values(), ids=BAD)
def test_invalid_plate_is_rejected_before_the_engine_starts(
    triple, sliced, printer, objects, more, code
):
    with pytest.raises(SliceFailed) as failure:
        sliced(triple(printer, **more), objects)

    assert (failure.value.code, failure.value.log) == (code, "")
    assert "p_1" in failure.value.title


def test_object_without_printable_layers_fails_the_plate(triple, sliced):
    needle = CORNERS[SIDES] * [0.05, 0.05, 4]

    with pytest.raises(SliceFailed) as failure:
        sliced(triple("Acme Flat"), {"p_1": (TALL, at(50, 50)), "p_2": (needle, at(90, 50))})

    assert failure.value.code == "nothing-to-print"


def test_incomplete_or_displaced_object_is_named_in_the_error():
    box = np.array([[50.0, 50.0, 0.0], [60.0, 60.0, 10.0]])
    standing = [plate.Standing(name, box, box[:, :2]) for name in ("p_1", "p_2", "p_3")]
    whole = ObjectFigures(1.0, 1.0, 0.0, ([50, 50, 0.2], [60, 60, 10]), (0, 49))
    low = whole._replace(bounds=([50, 50, 0.2], [60, 60, 5]))
    astray = whole._replace(bounds=([40, 50, 0.2], [60, 60, 10]))

    with pytest.raises(SliceFailed, match="p_2, p_3") as failure:
        plate.check_objects(standing, {"p_1": whole, "p_2": low}, [0.0] * 3)
    assert failure.value.code == "object-incomplete"

    every = {"p_1": whole, "p_2": whole, "p_3": astray}
    with pytest.raises(SliceFailed, match="p_3") as failure:
        plate.check_objects(standing, every, [0.0] * 3)
    assert failure.value.code == "object-off-bed"
    plate.check_objects(standing, every, [10.0] * 3)
