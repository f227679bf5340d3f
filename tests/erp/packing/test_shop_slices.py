"""Plates of printer types whose G-code a slicer in the shop makes."""

import json
import subprocess

import pytest
from django.conf import settings as django_settings

from apps.slicing.domain.installed_engines import installed_engines, prusaslicer, settings_of
from apps.slicing.models import AgentEngine, Config, EngineJob, Slice
from tests.erp.agents.conftest import agent, code_of, pair, paired  # noqa: F401  fixtures
from tests.erp.conftest import key_of
from tests.erp.shop_slicer import ShopSlicer
from tests.slicing.orca_set import PRINTER, START, write_set

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def shop_of(agent, client_of, person, tmp_path):  # noqa: F811
    """`shop_of(program="orcaslicer")`: a slicer in the shop, and its URI."""

    def make(**engine: str) -> tuple[ShopSlicer, str]:
        shop = ShopSlicer(agent, tmp_path, **engine)
        shop.exchange()
        return shop, AgentEngine.objects.get().uri

    return make


@pytest.fixture
def plate_run(make, bureau, location, type_of, run_of, confirmed, box_model):
    """`plate_run("Acme Flat", ...)`: a run of three parts; fields are of the printer type."""

    def create(preset: str = "", **fields) -> dict:
        fields = {"packing_mode": "plate", "minimum_packing_distance": 4, **fields}
        if preset:
            kind = type_of(preset, **fields)
        else:
            bed = {"x": 200, "y": 200, "z": 200}
            kind = make(
                "printer-type", bureau=bureau["uri"], name="Own", build_volume=bed, **fields
            )
        printer = make("printer", location=location["uri"], printer_type=kind["uri"], name="P1")
        return run_of(printer, confirmed(box_model(10, 12, 3), 3))

    return create


@pytest.fixture
def orca_set(presets_folder):
    """Profiles of OrcaSlicer beside the presets of PrusaSlicer's package."""
    return write_set(django_settings.ORCA_PRESETS)


def test_run_is_sliced_in_the_shop_with_the_name_of_each_piece(
    erp, shop_of, plate_run, work_on, client_of, person
):
    shop, engine = shop_of()
    run = plate_run("Acme Flat", engine=engine, slice_runs=True)
    assert run["slicing"] in ("queued", "processing")

    job = shop.work()
    work_on("complete_shop_slice")
    work_on("continue_runs")

    assert job["model"] == "plate.3mf"
    done = erp.get(run["uri"]).json()
    assert (done["slicing"], done["slicing_errors"]) == ("processed", None)
    assert done["estimates"]["print_time"] > 60
    objects = client_of("slicing", person).get(f"{run['slice']}objects/").json()["resources"]
    assert len(objects) == 4 and all(row["time_seconds"] > 0 for row in objects[:-1])
    assert Slice.objects.get(pk=key_of({"uri": run["slice"]})).program == "prusaslicer"


def test_run_is_sliced_by_the_platform_where_the_slicer_is_gone(erp, shop_of, plate_run, agent):  # noqa: F811
    _, engine = shop_of()
    run = plate_run("Acme Flat", engine=engine)
    assert agent.post("/agent/exchange/", {"engines": []}).status_code == 200

    assert erp.put(run["uri"], {"slicing": "queued"}).status_code == 204

    row = Slice.objects.get(pk=key_of({"uri": erp.get(run["uri"]).json()["slice"]}))
    assert row.config.agent_engine is None


def test_plate_for_curaengine_in_the_shop_is_sliced_by_the_platform(
    erp, client_of, person, shop_of, plate_run
):
    if (cura := installed_engines()["cura"]).version() is None:
        pytest.skip(cura.missing())
    _, engine = shop_of(program="curaengine", version="5.6.0")
    client = client_of("slicing", person)
    body = {"engine": "cura", "content": "layer_height=0.2\nadhesion_type=none"}
    config = client.post("/config/raw/", body).json()["uri"]

    run = plate_run(engine=engine, config=config, slice_runs=True)

    assert (run["slicing"], run["slicing_errors"]) == ("processed", None)
    made = client.get(run["slice"]).json()
    assert made["engine_version"] == cura.version()
    assert [warning["code"] for warning in made["warnings"]] == ["sliced-by-platform"]


def test_printer_type_takes_orcaslicer_for_presets_of_its_catalogue_alone(erp, shop_of, type_of):
    _, engine = shop_of(program="orcaslicer", version="2.3.1")
    kind = type_of("Acme Flat")

    answer = erp.put(kind["uri"], {"engine": engine})

    assert (answer.status_code, code_of(answer)) == (400, "engine-not-suitable")


@pytest.mark.usefixtures("orca_set")
def test_orcaslicer_gets_its_own_profiles_and_its_gcode_is_printed(
    erp, client_of, person, shop_of, plate_run, work_on
):
    shop, engine = shop_of(program="orcaslicer", version="2.3.1")
    run = plate_run(PRINTER, engine=engine, slice_runs=True, infill=35, layer_height=None)

    job = shop.take()
    folder = shop.download(job)
    assert {file["name"] for file in job["files"]} == {
        "plate.3mf",
        "machine.json",
        "process.json",
        "filament.json",
    }
    machine, process, filament = (
        json.loads((folder / f"{name}.json").read_text())
        for name in ("machine", "process", "filament")
    )
    assert (machine["type"], machine["name"], machine["from"]) == ("machine", PRINTER, "system")
    assert machine["machine_start_gcode"] == START and machine["scan_first_layer"] == "1"
    assert machine["printable_height"] == "180"
    assert process["sparse_infill_density"] == "35%" and process["layer_height"] == "0.2"
    assert process["compatible_printers"] == filament["compatible_printers"] == [PRINTER]
    assert process["skirt_loops"] == "0"  # the parts stand at the edge of the bed
    assert filament["nozzle_temperature"] == ["220"]
    # Its program is not here: PrusaSlicer with the translated settings takes its place.
    config = Slice.objects.get(pk=key_of({"uri": run["slice"]})).config
    shop.upload(job, sliced_here(folder, job, config))
    shop.report(job, "done", progress=1, seconds=9, version="2.3.1")
    work_on("complete_shop_slice")
    work_on("continue_runs")

    made = client_of("slicing", person).get(run["slice"]).json()
    assert (made["status"], made["engine_version"]) == ("processed", "2.3.1"), made["errors"]
    assert made["content"] is not None and made["warnings"] == []


@pytest.mark.usefixtures("orca_set")
def test_plate_of_an_offline_orcaslicer_is_an_estimate(erp, client_of, person, shop_of, plate_run):
    _, engine = shop_of(program="orcaslicer", version="2.3.1")
    AgentEngine.objects.update(seen="2026-01-01T00:00:00Z")

    run = plate_run(PRINTER, engine=engine, slice_runs=True)

    made = client_of("slicing", person).get(run["slice"]).json()
    assert (made["status"], made["content"]) == ("processed", None)
    assert {warning["code"] for warning in made["warnings"]} == {
        "estimate-only",
        "shop-engine-offline",
    }
    assert not EngineJob.objects.exists()


def sliced_here(folder, job: dict, config: Config) -> bytes:
    process = json.loads((folder / "process.json").read_text())
    settings = settings_of(config) | {"gcode_label_objects": "1"}
    settings["skirts"] = process.get("skirt_loops", settings["skirts"])
    lines = (f"{key} = {value}\n" for key, value in settings.items())
    (folder / "config.ini").write_text("".join(lines))
    command = ["prusa-slicer", "--export-gcode", "--dont-arrange", "--datadir", "data", "--load"]
    command += ["config.ini", "--output", "out.gcode", job["model"]]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return (folder / "out.gcode").read_bytes()


@pytest.mark.usefixtures("orca_set")
def test_settings_without_an_equivalent_are_refused_by_name(client_of, person, shop_of, uri_of):
    _, engine = shop_of(program="orcaslicer", version="2.3.1")
    slicing = client_of("slicing", person)
    body = {"printer": uri_of(PRINTER), "overrides": {"perimeter_speed": 40}}
    config = slicing.post("/config/preset/", body).json()["uri"]

    answer = slicing.post(f"{config}engine/", {"engine": engine})

    assert (answer.status_code, code_of(answer)) == (400, "engine-not-suitable")
    assert "external_perimeter_speed" in answer.json()["errors"][0]["title"]


@pytest.mark.usefixtures("orca_set")
def test_preset_of_a_printer_type_changes_only_with_its_slicer(erp, shop_of, type_of, uri_of):
    _, engine = shop_of(program="orcaslicer", version="2.3.1")
    kind = type_of(PRINTER, engine=engine)["uri"]
    flat = {"preset": uri_of("Acme Flat"), "build_volume": {"x": 100, "y": 100, "z": 100}}

    refused = erp.put(kind, flat)

    assert (refused.status_code, code_of(refused)) == (400, "engine-not-suitable")
    assert erp.put(kind, {**flat, "engine": None}).status_code == 204


@pytest.mark.usefixtures("orca_set")
def test_bambu_studio_slices_presets_of_its_own_catalogue_alone(erp, shop_of, type_of):
    _, engine = shop_of(program="bambustudio", version="2.0.0")
    kind = type_of(PRINTER)["uri"]

    answer = erp.put(kind, {"engine": engine})

    assert (answer.status_code, code_of(answer)) == (400, "engine-not-suitable")
