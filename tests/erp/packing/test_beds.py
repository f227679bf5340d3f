"""Plates of a printer type without a preset: nothing is extruded beside its own bed."""

import re

import numpy as np
import pytest

from apps.slicing.domain.installed_engines import installed_engines, prusaslicer
from apps.slicing.models import Slice
from core.files import blobs
from tests.erp.conftest import key_of

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)

CLOSE = 0.01  # mm
WORD = re.compile(r"([XYE])(-?\d*\.?\d+)")

PURGES = r"start_gcode = G28\nG92 E0\nG1 X5 Y5 F3000\nG1 X60 Y5 E9 F1000\nG92 E0"


@pytest.fixture
def printer_of(make, bureau, location):
    """`printer_of((220, 220, 250), config)`: a printer of a type with this bed, and no preset."""

    def create(bed: tuple[float, float, float], config: str, **fields) -> dict:
        kind = make(
            "printer-type",
            bureau=bureau["uri"],
            name="Own",
            build_volume=dict(zip("xyz", bed, strict=True)),
            config=config,
            **{
                "packing_mode": "plate",
                "minimum_packing_distance": 4,
                "slice_runs": True,
                **fields,
            },
        )
        return make("printer", location=location["uri"], printer_type=kind["uri"], name="P1")

    return create


@pytest.fixture
def config_of(client_of, person):
    """`config_of(content)`: a raw config, or with parameters a curated one."""

    def create(content: str = "", engine: str = "slic3r", **parameters) -> str:
        body: dict = {"engine": engine}
        kind = "raw" if content else "curated"
        body |= {"content": content} if content else {"parameters": parameters}
        answer = client_of("slicing", person).post(f"/config/{kind}/", body)
        assert answer.status_code == 201, answer.json()
        return answer.json()["uri"]

    return create


def extruded(run: dict) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest (x, y) between which a run's G-code extrudes, mm."""
    row = Slice.objects.get(pk=key_of({"uri": run["slice"]}))
    at, e, places = {"X": 0.0, "Y": 0.0}, 0.0, []
    with blobs.local_copy(row.content_id) as path:
        lines = path.read_text().splitlines()
    for line in lines:
        values = dict(WORD.findall(line.split(";")[0]))
        if line.startswith("G92") and "E" in values:
            e = float(values["E"])
        elif line.startswith(("G1 ", "G0 ")):
            before = dict(at)
            at |= {axis: float(values[axis]) for axis in "XY" if axis in values}
            if "E" in values:
                if float(values["E"]) > e and at != before:
                    places += [tuple(before.values()), tuple(at.values())]
                e = float(values["E"])
    corners = np.array(places)
    return corners.min(axis=0), corners.max(axis=0)


def test_skirt_of_a_full_plate_stays_on_the_bed_that_the_set_up_form_made(
    config_of, printer_of, confirmed, box_model, run_of
):
    printer = printer_of((220, 220, 250), config_of(infill_density=20))

    run = run_of(printer, confirmed(box_model(208, 208, 1), 1))

    assert run["slicing"] == "processed", run["slicing_errors"]
    low, high = extruded(run)
    assert (low >= -CLOSE).all() and (high <= 220 + CLOSE).all(), (low, high)


def test_printer_larger_than_the_default_bed_is_sliced_on_all_of_its_bed(
    config_of, printer_of, confirmed, box_model, run_of
):
    run = run_of(printer_of((310, 200, 200), config_of()), confirmed(box_model(300, 20, 1), 1))

    assert run["slicing"] == "processed", run["slicing_errors"]
    low, high = extruded(run)
    assert high[0] - low[0] > 299


CONFIGS = {
    "curated": {"infill_density": 10},
    "supports and raft": {"infill_density": 10, "support": True, "raft": True},
    "two skirts": "skirts = 2\nskirt_distance = 9\nlayer_height = 0.2",
    "brim": "brim_type = outer_only\nbrim_width = 4\nskirts = 1",
    "purge line": PURGES,
    "larger corner bed": "bed_shape = 0x0,300x0,300x300,0x300\nskirts = 1",
    "origin in the middle": "bed_shape = -150x-150,150x-150,150x150,-150x150\nskirts = 1",
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", CONFIGS)
def test_no_plate_extrudes_beside_the_bed(
    config_of, printer_of, confirmed, box_model, run_of, name, seed
):
    random = np.random.default_rng([seed, *name.encode()])
    bed = (*random.uniform(90, 260, 2).round(1).tolist(), 60.0)
    content = CONFIGS[name]
    config = config_of(content) if isinstance(content, str) else config_of(**content)
    sides = [(random.uniform(0.15, 0.42), random.uniform(0.15, 0.42)) for _ in range(3)]
    pieces = [
        piece
        for x, y in sides
        for piece in confirmed(box_model(x * bed[0], y * bed[1], random.uniform(0.6, 1.2)), 1)
    ]

    run = run_of(printer_of(bed, config), pieces, do_build_volume_check=False)

    assert run["slicing"] == "processed", run["slicing_errors"]
    low, high = extruded(run)
    corner = -np.array(bed[:2]) / 2 if "middle" in name else np.zeros(2)
    assert (low >= corner - CLOSE).all(), (low, corner)
    assert (high <= corner + bed[:2] + CLOSE).all(), (high, bed)


@pytest.mark.parametrize("engine", ["slic3r", "cura"])
def test_part_that_only_fits_the_default_bed_is_refused_in_the_estimate(
    erp, make, bureau, config_of, printer_of, box_model, work_on, engine
):
    if (slicer := installed_engines()[engine]).version() is None:
        pytest.skip(slicer.missing())
    printer = printer_of((120, 120, 100), config_of(engine=engine))
    workflow = make("workflow", bureau=bureau["uri"], name="Print")["uri"]
    make("process-step", workflow=workflow, step_position=1, process_type=printer["printer_type"])
    item = make(
        "line-item",
        bureau=bureau["uri"],
        model=box_model(200, 20, 2, rotation=False)["uri"],
        quantity=1,
        workflow=workflow,
    )

    for step in ("estimate_line_item", "slice_model", "continue_estimates", "estimate_line_item"):
        work_on(step)

    estimates = erp.get(item["uri"]).json()["estimates"]
    assert estimates["print_time"] is None
    assert "the build volume 120 x 120 x 100 mm" in str(estimates["terms"])


def test_printer_type_larger_than_the_bed_of_its_config_is_refused(erp, bureau, config_of):
    config = config_of("bed_shape = 0x0,180x0,180x180,0x180\nmax_print_height = 180")
    body = {
        "bureau": bureau["uri"],
        "name": "Own",
        "config": config,
        "build_volume": {"x": 180, "y": 220, "z": 180},
    }

    answer = erp.post("/printer-type/", body)

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["field"]) == (400, "build_volume.y")
    assert "180 x 180 x 180 mm" in error["title"]


def test_start_gcode_that_purges_beside_the_bed_is_refused(
    config_of, printer_of, confirmed, box_model, run_of
):
    config = config_of(
        r"bed_shape = 0x0,300x0,300x300,0x300"
        "\n"
        r"start_gcode = G28\nG1 X5 Y5 F3000\nG1 X280 Y5 E9 F1000\nG92 E0"
    )

    run = run_of(printer_of((200, 200, 200), config), confirmed(box_model(20, 20, 1), 1))

    (error,) = run["slicing_errors"]
    assert (run["slicing"], error["code"]) == ("error", "object-off-bed")
    assert "80 mm" in error["title"]
