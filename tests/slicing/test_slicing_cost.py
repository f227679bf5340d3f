"""Expected run time of a slice, from the settings that the engine is sent, of every config."""

import pytest
from django.conf import settings
from django.db import connection

from apps.slicing.domain.slicing_cost import START, SlicingLoad, slicing_cost, slicing_load
from apps.slicing.engines import engines
from tests.conftest import CORNERS, SIDES, binary_stl

BOX, CUBE = (60.0, 60.0, 60.0), (20.0, 20.0, 20.0)
FINE = "layer_height = 0.02\nfill_density = 99%\nfill_pattern = hilbertcurve\n"
CURA = (
    "[general]\nversion = 4\nname = part\ndefinition = fdmprinter\n[metadata]\n"
    "type = quality_changes\nsetting_version = 20\nposition = 0\n[values]\nlayer_height = 0.1\n"
    "infill_sparse_density = 80\ninfill_pattern = {pattern}\n"
)

# Layer height, density and pattern; seconds of the processor that PrusaSlicer 2.5 took.
MEASURED = [
    (("0.1", "20%", "stars"), BOX, 12, 0.3),
    (("0.1", "40%", "gyroid"), BOX, 12, 4.0),
    (("0.1", "40%", "hilbertcurve"), BOX, 12, 2.6),
    (("0.1", "40%", "archimedeanchords"), BOX, 12, 8.2),
    (("0.02", "99%", "hilbertcurve"), CUBE, 12, 11.0),
    (("0.2", "20%", "stars"), CUBE, 84_000, 3.1),
    (("0.05", "20%", "stars"), CUBE, 84_000, 7.1),
]


@pytest.mark.parametrize(("sent", "size", "triangles", "seconds"), MEASURED)
def test_cost_is_near_the_measured_run_time(sent, size, triangles, seconds):
    keys = ("layer_height", "fill_density", "fill_pattern")
    load = slicing_load("slic3r", {"perimeters": "2", **dict(zip(keys, sent, strict=True))})

    cost = slicing_cost(load, size=size, triangles=triangles)

    assert seconds / 3 <= cost <= START + 4 * seconds + 1.0


def test_each_setting_that_slows_an_engine_raises_the_cost():
    usual = SlicingLoad(infill=0.4)
    slower = [
        usual._replace(layer=0.1),
        usual._replace(perimeters=20),
        usual._replace(infill=2.0),
        usual._replace(curved=True),
        usual._replace(supports=True),
    ]

    costs = [slicing_cost(load, size=BOX, triangles=5000) for load in slower]

    assert min(costs) > slicing_cost(usual, size=BOX, triangles=5000)


def test_narrow_infill_lines_count_as_dense_infill():
    sent = {"fill_density": "20%", "nozzle_diameter": "0.4", "fill_pattern": "gyroid"}

    wide = slicing_load("slic3r", sent)
    narrow = slicing_load("slic3r", {**sent, "infill_extrusion_width": "10%"})

    assert narrow.infill > 10 * wide.infill


def queues() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT queue_name FROM dramatiq.queue WHERE queue_name LIKE 'slices%'")
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("engine", "content", "queue"),
    [
        ("slic3r", FINE, "slices_slow"),
        ("slic3r", "layer_height = 0.2\nfill_density = 20%\n", "slices"),
        ("cura", CURA.format(pattern="gyroid"), "slices_slow"),
        ("cura", CURA.format(pattern="grid"), "slices"),
    ],
)
def test_raw_config_decides_whether_a_slice_is_quick(
    slicing, uploaded, order, engine, content, queue
):
    if engines(settings.CURA_DEFINITIONS)[engine].version() is None:
        pytest.skip(f"{engine} is not installed")
    part = uploaded(binary_stl(CORNERS[SIDES] * 100))
    answer = slicing.post("/config/raw/", {"engine": engine, "content": content})
    assert answer.status_code == 201, answer.json()

    order(part, answer.json())

    assert queues() == [queue]
