"""Configs of presets over HTTP: chosen, flattened once, sliced like any other."""

import re

import pytest

from apps.slicing.configs import text
from apps.slicing.configs.extruders import CHOICES
from apps.slicing.configs.parameters import PARAMETERS
from apps.slicing.domain import catalogue
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import Config, Slice
from core.files import blobs
from tests.conftest import CORNERS, SIDES, binary_stl
from tests.slicing.vendor_bundle import BUNDLE

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.engine,
    pytest.mark.usefixtures("presets_folder"),
]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def post(slicing, uri_of):
    """`post("Acme Flat", print="...", overrides={...})`: the answer to a POST of these names."""

    def post(printer: str, **fields):
        named = {kind: uri_of(fields.pop(kind)) for kind in ("print", "filament") if kind in fields}
        return slicing.post("/config/preset/", {"printer": uri_of(printer), **named, **fields})

    return post


def settings_of(config: dict) -> dict[str, str]:
    row = Config.objects.get(pk=config["uri"].split("/")[-2])
    with blobs.local_copy(row.content_id) as path:
        return {entry.key: entry.value for entry in text.entries(path.read_text())}


def gcode_of(slice_: dict) -> str:
    row = Slice.objects.get(pk=slice_["uri"].split("/")[-2])
    with blobs.local_copy(row.content_id) as path:
        return path.read_text()


def printing_tools(gcode: str) -> set[int]:
    """The tools that extrude while they move."""
    tool, found = 0, set()
    for line in gcode.splitlines():
        if match := re.match(r"T(\d+)", line):
            tool = int(match[1])
        elif re.match(r"G1 X\S+ Y\S+ E\d*\.?\d", line):
            found.add(tool)
    return found


def rejection(answer) -> tuple[int, str, str]:
    (error,) = answer.json()["errors"]
    return answer.status_code, error["code"], error.get("field", "")


def test_preset_config_requires_only_a_printer_preset(slicing, post, uri_of):
    answer = post("Acme Flat", description="as it came")

    assert answer.status_code == 201, answer.json()
    config = answer.json()
    assert (config["engine"], config["kind"]) == ("slic3r", "preset")
    assert config["parameters"] == dict.fromkeys(PARAMETERS)
    assert config["preset"] == {
        "printer": uri_of("Acme Flat"),
        "print": uri_of("0.20 mm normal @ACME"),
        "filament": uri_of("Acme PLA"),
        "names": {
            "printer": "Acme Flat",
            "print": "0.20 mm normal @ACME",
            "filament": "Acme PLA",
        },
        "extruder": 1,
        "estimate_only": False,
        "printer_gcode": None,
        "vendor": "Acme & Sons",
        "version": "1.2.3",
        "outdated": False,
    }
    assert slicing.get(config["uri"]).json() == config
    assert [
        row["uri"] for row in slicing.get("/config/?filter[kind]=preset").json()["resources"]
    ] == [config["uri"]]


def test_preset_config_starts_from_engine_defaults_and_has_every_setting(post):
    settings = settings_of(post("Acme Flat").json())
    defaults = prusaslicer().defaults()

    assert settings["first_layer_height"] == "0.15"
    assert settings["brim_type"] == defaults["brim_type"]
    assert settings["skirt_distance"] == defaults["skirt_distance"]
    assert set(defaults) - set(settings) <= {
        "output_filename_format", "threads", "gcode_comments", "thumbnails", "thumbnails_format",
        "post_process", "printer_technology", "host_type", "print_host", "printhost_apikey",
        "printhost_cafile", "binary_gcode",
    }  # fmt: skip


def test_overrides_change_settings_and_select_the_print_preset(post):
    overrides = {"print_quality": "low", "infill_density": 100, "perimeters": 4, "support": True}

    config = post("Acme Flat", overrides=overrides).json()

    settings = settings_of(config)
    assert config["preset"]["names"]["print"] == "0.30 mm quick @ACME"
    assert config["parameters"]["perimeters"] == 4
    assert (settings["perimeters"], settings["fill_density"]) == ("4", "100%")
    assert (settings["fill_pattern"], settings["support_material"]) == ("rectilinear", "1")
    assert settings["perimeter_speed"] == "45"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"print": "0.10 mm fine @ACME", "overrides": {"print_quality": "low"}}, "print"),
        ({"overrides": {"nozzle_diameter": 0.6}}, "printer"),
        ({"filament": "Acme PETG", "overrides": {"material": "PLA"}}, "filament"),
        ({"overrides": {"filament_diameter": 2.85}}, "filament"),
        ({"overrides": {"material": "ABS"}}, "overrides.material"),
        ({"overrides": {"perimeters": "many"}}, "overrides.perimeters"),
    ],
)
def test_override_that_contradicts_the_presets_is_rejected(post, fields, told):
    status, _, field = rejection(post("Acme Flat", **fields))

    assert (status, field) == (400, told)


def test_layer_height_without_a_print_preset_is_rejected_with_alternatives(post):
    answer = post("Acme Flat 0.6", overrides={"print_quality": "fine"})

    assert rejection(answer)[0] == 400
    assert "there are 0.3." in answer.json()["errors"][0]["title"]


def test_incompatible_presets_are_rejected_with_condition_and_alternatives(post):
    answer = post("Acme Round", print="0.10 mm fine @ACME")

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"]) == (400, "presets-do-not-fit")
    assert error["details"]["conditions"] == {
        "compatible_printers_condition": 'printer_model=="FLAT" and ! (nozzle_diameter[0]>0.5)'
    }
    assert error["details"]["fitting"] == ["0.20 mm normal @ACME", "0.30 mm quick @ACME"]
    assert rejection(post("Acme Flat", print="0.30 mm quick @ACME", filament="Acme PETG")) == (
        400,
        "presets-do-not-fit",
        "filament",
    )


def test_unusable_or_wrong_kind_of_preset_is_rejected(slicing, post, uri_of):
    assert rejection(post("Acme Careless")) == (400, "preset-not-usable", "printer")
    wrong = {"printer": uri_of("Acme PLA")}
    assert rejection(slicing.post("/config/preset/", wrong)) == (
        400,
        "resource-not-found",
        "printer",
    )


@pytest.mark.parametrize("extruder", [None, 1, 2])
def test_printer_with_several_extruders_prints_with_the_chosen_one(
    slicing, post, order, part, run_jobs, extruder
):
    config = post("Acme Double", extruder=extruder, overrides={"extruder_temperature": 210}).json()
    chosen = extruder or 1

    made = order(part, config)
    run_jobs()

    slice_ = slicing.get(made["uri"]).json()
    assert (slice_["status"], slice_["errors"]) == ("processed", None)
    assert config["preset"]["extruder"] == chosen
    settings = settings_of(config)
    assert settings["temperature"] == "210,210"
    assert settings["filament_type"] == "PLA;PLA"
    assert (settings["retract_length"], settings["retract_speed"]) == ("1.5,2.5", "40,40")
    assert {settings[key] for key in CHOICES} == {str(chosen)}
    assert settings["wipe_tower"] == "0"
    assert printing_tools(gcode_of(slice_)) == {chosen - 1}


def test_extruder_the_printer_does_not_have_is_rejected(post):
    allowed = "property-value-not-in-allowed-values"

    answer = post("Acme Double", extruder=3)

    assert rejection(answer) == (400, allowed, "extruder")
    assert "Acme Double has no extruder 3: choose 1 to 2." in answer.json()["errors"][0]["title"]
    assert rejection(post("Acme Flat", extruder=2)) == (400, allowed, "extruder")
    assert rejection(post("Acme Flat", extruder=0))[::2] == (400, "extruder")
    assert rejection(post("Acme Flat", extruder="second"))[::2] == (400, "extruder")


def test_nozzle_override_must_match_the_chosen_extruder(post):
    overrides = {"nozzle_diameter": 0.6}

    assert post("Acme Double", extruder=2, overrides=overrides).status_code == 201
    assert rejection(post("Acme Double", overrides=overrides))[::2] == (400, "printer")


def test_updated_preset_bundle_marks_existing_configs_outdated_only(slicing, post, presets_folder):
    config = post("Acme Flat").json()
    before = settings_of(config)

    newer = BUNDLE.replace("temperature = 205", "temperature = 206")
    (presets_folder / "Acme.ini").write_text(newer + "\n")

    after = slicing.get(config["uri"]).json()
    assert after["preset"]["outdated"] is True
    assert settings_of(after) == before
    assert settings_of(post("Acme Flat").json())["temperature"] == "206"

    (presets_folder / "Acme.ini").unlink()
    assert slicing.get(config["uri"]).json()["preset"]["outdated"] is True


def test_config_list_reads_the_preset_bundle_once(slicing, post):
    for _ in range(3):
        post("Acme Flat")
    before = looks_at_the_package()

    answer = slicing.get("/config/?filter[kind]=preset").json()

    assert [row["preset"]["outdated"] for row in answer["resources"]] == [False] * 3
    assert looks_at_the_package() == before + 1


def looks_at_the_package() -> int:
    info = catalogue._read.cache_info()
    return info.hits + info.misses


def test_preset_config_and_its_text_as_raw_config_give_the_same_gcode(
    slicing, post, order, part, run_jobs
):
    config = post("Acme Round", overrides={"infill_density": 5}).json()
    row = Config.objects.get(pk=config["uri"].split("/")[-2])
    with blobs.local_copy(row.content_id) as path:
        raw = {"engine": "slic3r", "content": path.read_text()}
    again = slicing.post("/config/raw/", raw).json()

    slices = [order(part, one) for one in (config, again)]
    run_jobs()

    first, second = (slicing.get(one["uri"]).json() for one in slices)
    assert (first["status"], first["errors"]) == ("processed", None)
    (left, front, _), (right, back, top) = first["figures"]["bounds"]
    assert -25 < left < -10 and 10 < right < 25 and -25 < front < -10 and 10 < back < 25
    assert top == pytest.approx(20, abs=0.2)
    assert second["content"].split("?")[0] == first["content"].split("?")[0]


def test_model_beyond_a_round_bed_fails_before_the_engine_starts(
    slicing, post, order, uploaded, run_jobs
):
    plate = uploaded(binary_stl(CORNERS[SIDES] * [140, 140, 2]))

    made = order(plate, post("Acme Round").json())
    run_jobs()

    (error,) = slicing.get(made["uri"]).json()["errors"]
    assert error["code"] == "model-too-large"
    assert "over the edge of the bed" in error["title"]
    assert "details" not in error  # no engine ran, whose words would be told


def test_constraint_applies_to_settings_from_presets(slicing, post, part, order):
    config = post("Acme Flat").json()
    rules = {"extruder_temperature": {"max": 210}}
    constraint = slicing.post("/constraint/", {"name": "cool", "parameters": rules}).json()
    bound = {"constraint": constraint["uri"], "model_uri": part["uri"]}
    assert slicing.post("/constraint-model/", bound).status_code == 201

    answer = slicing.post("/slice/", {"model": part["uri"], "config": config["uri"]})

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["details"]["actual"] == 215.0


def test_dry_run_reports_parameters_from_presets(slicing, post, part):
    body = {"model": part["uri"], "config": post("Acme Flat").json()["uri"]}

    preview = slicing.post("/slice/?dry_run=true", body).json()

    assert (preview["accepted"], preview["failures"]) == (True, [])
    assert preview["parameters"]["print_quality"] == {"value": "standard", "source": "config"}
    assert preview["parameters"]["extruder_temperature"]["value"] == [205.0, 215.0]


@pytest.fixture
def thick_print(presets_folder):
    """The name of a print preset with layers of 0.5 mm for all printers."""
    name = "0.50 mm thick @ACME"
    settings = f"[print:{name}]\ninherits = *quick*\nlayer_height = 0.5\n"
    (presets_folder / "Acme.ini").write_text(BUNDLE + settings)
    return name


def test_print_with_layers_higher_than_the_nozzle_is_neither_offered_nor_accepted(
    thick_print, slicing, post, uri_of
):
    thick = uri_of(thick_print)

    def offered(printer):
        found = slicing.get(f"/preset/?filter[printer]={uri_of(printer)}&page[limit]=1000")
        return thick in {preset["uri"] for preset in found.json()["resources"]}

    assert [offered(printer) for printer in ("Acme Flat", "Acme Flat 0.6")] == [False, True]
    answer = post("Acme Flat", print=thick_print)
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"], error["field"]) == (
        400,
        "preset-not-usable",
        "print",
    )
    assert "layers of 0.5 mm are higher than the nozzle's diameter of 0.4 mm" in error["title"]
    assert post("Acme Flat 0.6", print=thick_print).status_code == 201
    double = {"print": thick_print, "filament": "Generic PLA @ACME"}
    assert post("Acme Double", extruder=1, **double).status_code == 400
    assert post("Acme Double", extruder=2, **double).status_code == 201
