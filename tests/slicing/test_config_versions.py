"""Configs of other versions of PrusaSlicer and of SuperSlicer, read by the installed one."""

import random
import threading

import pytest

from apps.slicing.configs import capabilities
from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.slic3r import choose
from apps.slicing.configs.text import entries
from apps.slicing.domain import config_check
from apps.slicing.domain.config_check import faults_of, one_check_of, rejection_of
from apps.slicing.engines.base import EngineLimits
from apps.slicing.engines.crash_diagnosis import write_cube
from apps.slicing.engines.prusaslicer import PrusaSlicer
from tests.slicing.exports import EXPORTS, REFUSED

pytestmark = pytest.mark.engine

ENGINE = PrusaSlicer()
if ENGINE.version() is None:
    pytest.skip(ENGINE.missing(), allow_module_level=True)
KNOWN = ENGINE.capabilities()

NEW = capabilities.Capabilities(
    version="2.9.9",
    defaults={
        "arc_fitting": "disabled",
        "bridge_flow_ratio": "1",
        "ensure_vertical_shell_thickness": "enabled",
        "extrusion_width": "0.45",
        "fan_always_on": "0",
        "first_layer_height": "0.2",
        "gcode_flavor": "reprap",
        "gcode_label_objects": "disabled",
        "infill_speed": "80",
        "layer_height": "0.2",
        "machine_limits_usage": "ignore",
        "nozzle_diameter": "0.4",
        "perimeter_speed": "60",
        "seam_position": "aligned",
        "support_material_style": "grid",
        "top_fill_pattern": "monotonic",
        "top_one_perimeter_type": "none",
    },
    kinds={
        **dict.fromkeys(
            (
                "arc_fitting",
                "ensure_vertical_shell_thickness",
                "gcode_flavor",
                "gcode_label_objects",
                "machine_limits_usage",
                "seam_position",
                "support_material_style",
                "top_fill_pattern",
                "top_one_perimeter_type",
            ),
            "word",
        ),
        **dict.fromkeys(
            (
                "bridge_flow_ratio",
                "extrusion_width",
                "first_layer_height",
                "infill_speed",
                "layer_height",
                "nozzle_diameter",
                "perimeter_speed",
            ),
            "number",
        ),
        "fan_always_on": "switch",
    },
    words={
        "arc_fitting": ("disabled", "emit_center"),
        "ensure_vertical_shell_thickness": ("disabled", "partial", "enabled"),
        "gcode_flavor": ("reprap", "marlin", "klipper"),
        "gcode_label_objects": ("disabled", "octoprint", "firmware"),
        "machine_limits_usage": ("emit_to_gcode", "time_estimate_only", "ignore"),
        "seam_position": ("random", "nearest", "aligned", "rear"),
        "support_material_style": ("grid", "snug", "organic"),
        "top_fill_pattern": ("rectilinear", "monotonic"),
        "top_one_perimeter_type": ("none", "top", "topmost"),
    },
    shares=frozenset({"extrusion_width"}),
)
OLD = capabilities.Capabilities(
    version="2.5.9",
    defaults=NEW.defaults | {"ensure_vertical_shell_thickness": "1", "gcode_label_objects": "0"},
    kinds=NEW.kinds
    | {"ensure_vertical_shell_thickness": "switch", "gcode_label_objects": "switch"},
    words={
        "gcode_flavor": ("reprap", "marlin"),
        "machine_limits_usage": NEW.words["machine_limits_usage"],
        "seam_position": NEW.words["seam_position"],
        "support_material_style": ("grid", "snug"),
        "top_fill_pattern": ("rectilinear", "monotonic"),
    },
    shares=NEW.shares,
)


@pytest.mark.parametrize(
    ("known", "content", "key", "value"),
    [
        (OLD, "ensure_vertical_shell_thickness = enabled", "ensure_vertical_shell_thickness", "1"),
        (OLD, "ensure_vertical_shell_thickness = partial", "ensure_vertical_shell_thickness", "0"),
        (NEW, "ensure_vertical_shell_thickness = 1", "ensure_vertical_shell_thickness", "enabled"),
        (NEW, "ensure_vertical_shell_thickness = 0", "ensure_vertical_shell_thickness", "partial"),
        (OLD, "support_material_style = organic", "support_material_style", "snug"),
        (NEW, "support_material_style = tree", "support_material_style", "organic"),
        (OLD, "seam_position = aligned_rear", "seam_position", "rear"),
        (NEW, "seam_position = cost", "seam_position", "nearest"),
        (OLD, "gcode_flavor = klipper", "gcode_flavor", "marlin"),
        (NEW, "gcode_label_objects = 1", "gcode_label_objects", "octoprint"),
        (OLD, "gcode_label_objects = firmware", "gcode_label_objects", "1"),
        (NEW, "arc_fitting = 1", "arc_fitting", "emit_center"),
        (NEW, "only_one_perimeter_top = 1", "top_one_perimeter_type", "top"),
        (OLD, "top_fill_pattern = monotoniclines", "top_fill_pattern", "monotonic"),
        (OLD, "fan_always_on = true,off", "fan_always_on", "1,0"),
        (OLD, "support_material_style = Snug", "support_material_style", "snug"),
        (OLD, "bridge_flow_ratio = 95%", "bridge_flow_ratio", "0.95"),
        (OLD, "first_layer_height = 75%\nlayer_height = 0.2", "first_layer_height", "0.15"),
        (OLD, "infill_speed = 85%", "infill_speed", "85"),  # as PrusaSlicer reads it
        (OLD, "default_speed = 120\ninfill_speed = 50%", "infill_speed", "60"),
        (OLD, "default_speed = 0\nextrusion_width = 110%", "extrusion_width", "0.44"),
        (OLD, "default_speed = 0\nfirst_layer_height = 75%", "first_layer_height", "0.3"),
        (
            OLD,
            "gcode_flavor = klipper\nmachine_limits_usage = emit_to_gcode",
            "machine_limits_usage",
            "time_estimate_only",
        ),
    ],
)
def test_value_of_another_version_is_converted_with_a_note(known, content, key, value):
    chosen = choose(entries(content), known.defaults, known=known)

    assert chosen.faults == []
    assert chosen.entries[key].value == value
    assert f"Read as {value}: " in [note.title for note in chosen.notes if note.key == key][0]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (
            "seam_position = rearr",
            "'rearr' is not one of: random, nearest, aligned, rear. The nearest one is 'rear'.",
        ),
        ("gcode_flavor = rapid", "'rapid' is not one of: reprap, marlin. The nearest"),
        ("fan_always_on = 2", "2 is neither 0 (off) nor 1 (on)."),
        ("layer_height = nil", "'nil' is not a number."),
        ("default_speed = 50%\ninfill_speed = 50%", "50% is a percentage"),
    ],
)
def test_value_without_equivalent_is_rejected_with_its_line(content, title):
    chosen = choose(entries(f"layer_height = 0.2\n{content}"), OLD.defaults, known=OLD)

    (fault,) = chosen.faults
    assert fault.line == 1 + len(content.splitlines())
    assert title in fault.title


def test_obsolete_name_does_not_override_the_current_setting():
    content = "top_fill_pattern = monotonic\nsolid_fill_pattern = rectilineargapfill"

    chosen = choose(entries(content), NEW.defaults, known=NEW)

    assert chosen.entries["top_fill_pattern"].value == "monotonic"
    assert chosen.notes[0].title.startswith("Not used: it is an older name of top_fill_pattern")


@pytest.mark.parametrize(
    ("content", "line", "key"),
    [
        ("layer_height = 0.2\nperimeters = 100000", 2, "perimeters"),
        ("fill_pattern = grid\nfill_density = 100%", 1, "fill_pattern"),
        ("use_relative_e_distances = 1", 1, "use_relative_e_distances"),
        ("gcode_flavor = marlin\nlayer_gcode = G92 E0", 2, "layer_gcode"),
        ("use_firmware_retraction = 1\ngcode_flavor = makerware", 1, "use_firmware_retraction"),
        ("extrusion_width = 5", 1, "extrusion_width"),
        ("temperature = 200\nstart_gcode = M104 S{heat[0]}", 2, "start_gcode"),
        ('gcode_substitutions = "(";"x";"r";""', 1, "gcode_substitutions"),
    ],
)
def test_setting_rejected_by_the_engine_is_reported_with_its_line(content, line, key):
    (fault,) = faults_of(ENGINE, ENGINE.read_raw(content))

    assert (fault.line, fault.key) == (line, key)
    assert fault.code == "property-value-not-in-allowed-values"
    assert fault.title.startswith(f"Line {line}, {key}: PrusaSlicer refuses ")


@pytest.mark.parametrize(
    ("content", "line", "title"),
    [
        ("layer_height = 0.5", 1, "layers of 0.5 mm are higher than the nozzle's diameter of 0.4"),
        ("layer_height = 0.2\nfirst_layer_height = 0.45", 2, "layers of 0.45 mm are higher"),
        ("nozzle_diameter = 0.25\nlayer_height = 0.3", 2, "diameter of 0.25 mm"),
    ],
)
def test_layers_higher_than_the_nozzle_are_rejected_with_both_numbers(content, line, title):
    with pytest.raises(RawConfigErrors) as refused:
        ENGINE.read_raw(content)

    fault = next(fault for fault in refused.value.errors if fault.line == line)
    assert title in fault.title


def test_several_invalid_settings_are_reported_together():
    content = "perimeters = 100000\nraft_layers = -1\nextrusion_multiplier = -1"

    faults = faults_of(ENGINE, ENGINE.read_raw(content))

    assert sorted(fault.line for fault in faults) == [1, 2, 3]


def test_setting_the_engine_does_not_name_is_found_by_search():
    content = "skirts = 0\ngcode_resolution = 100\nperimeters = 3\ntemperature = -1\n"

    faults = faults_of(ENGINE, ENGINE.read_raw(content))

    assert sorted((fault.line, fault.key) for fault in faults) == [
        (2, "gcode_resolution"),  # "The print is empty."
        (4, "temperature"),  # first_layer_temperature follows it
    ]


def test_search_that_times_out_names_no_setting(monkeypatch):
    monkeypatch.setattr(config_check, "SEARCH_SECONDS", 0.0)

    (fault,) = faults_of(ENGINE, ENGINE.read_raw("skirts = 0\ngcode_resolution = 100"))

    assert (fault.line, fault.code) == (None, "invalid-config")


def test_config_check_runs_the_engine_once_per_config(monkeypatch):
    settings = ENGINE.settings({"perimeters": 7})
    assert rejection_of(ENGINE, settings) is None

    monkeypatch.setattr(config_check, "_try", pytest.fail)

    assert rejection_of(ENGINE, settings) is None


def test_config_check_that_times_out_accepts_the_config(monkeypatch):
    monkeypatch.setattr(config_check, "LIMITS", EngineLimits(wall_seconds=0.01))

    assert rejection_of(ENGINE, ENGINE.settings({"perimeters": 8})) is None


def test_config_check_accepts_when_busy_and_checks_again_later(monkeypatch):
    settings = ENGINE.settings({"perimeters": 9}) | {"perimeters": "-1"}
    with monkeypatch.context() as patch:
        patch.setattr(config_check, "_places", threading.BoundedSemaphore(1))
        patch.setattr(config_check, "PLACE_SECONDS", 0.01)
        config_check._places.acquire()

        assert rejection_of(ENGINE, settings) is None

    rejection = rejection_of(ENGINE, settings)
    assert rejection is not None and rejection.settings == ("perimeters",)


@pytest.mark.django_db
@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTS)
def test_exported_config_is_sliced_or_rejected_with_its_line(slicing, part, order, run_jobs, name):
    body = {"engine": "slic3r", "content": EXPORTS[name]}

    answer = slicing.post("/config/raw/", body)

    if name in REFUSED:
        key, words = REFUSED[name]
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["details"]["key"]) == (400, key)
        assert EXPORTS[name].splitlines()[error["details"]["line"] - 1].startswith(f"{key} = ")
        assert words in error["title"]
        return
    assert answer.status_code == 201, answer.json()
    made = order(part, answer.json())
    run_jobs()
    made = slicing.get(made["uri"]).json()
    assert (made["status"], made["errors"]) == ("processed", None)
    assert made["figures"]["bounds"][1][2] == pytest.approx(20, abs=1.5)


def test_dry_run_reports_settings_the_engine_rejects(slicing, part, monkeypatch, db):
    body = {"engine": "slic3r", "content": "start_gcode = M104 S{heat[0]}"}
    with monkeypatch.context() as patch:  # as if another version had taken it
        patch.setattr("apps.slicing.services.configs.faults_of", lambda engine, raw: [])
        config = slicing.post("/config/raw/", body).json()

    order = {"model": part["uri"], "config": config["uri"]}
    answer = slicing.post("/slice/?dry_run=true", order).json()

    (failure,) = answer["failures"]
    assert failure["code"] == "config-not-usable"
    assert "Not a variable name" in failure["title"]


def test_failed_slice_names_the_config_when_the_engine_rejects_it(
    slicing, part, order, run_jobs, monkeypatch, db
):
    body = {"engine": "slic3r", "content": "start_gcode = M104 S{heat[0]}"}
    with monkeypatch.context() as patch:
        patch.setattr("apps.slicing.services.configs.faults_of", lambda engine, raw: [])
        config = slicing.post("/config/raw/", body).json()

    made = order(part, config)
    run_jobs()

    (error,) = slicing.get(made["uri"]).json()["errors"]
    assert error["code"] == "config-not-usable"
    assert "Not a variable name" in error["title"]
    assert "model" not in error["title"]


# Whether a model fits onto the bed is told of each model.
NOT_BY_CHANCE = {
    "bed_shape",
    "max_print_height",
    "printer_technology",
    "skirt_distance",
    "z_offset",
}


def chosen_by_chance(rng: random.Random) -> str:
    """Some settings that the engine has, with any of its words and numbers near its defaults."""
    keys = rng.sample(sorted(set(KNOWN.kinds) - NOT_BY_CHANCE), 8)
    lines = []
    for key in keys:
        if words := KNOWN.words.get(key):
            value = rng.choice(words)
        elif KNOWN.kinds[key] == "switch":
            value = rng.choice("01")
        elif KNOWN.kinds[key] == "number":
            percent = "%" if key in KNOWN.shares and rng.random() < 0.5 else ""
            value = rng.choice(["0", "1", "2", "0.5", "50", "-1", "1000"]) + percent
        else:
            continue
        lines.append(f"{key} = {value}")
    return "\n".join(["layer_height = 0.3", *lines])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_random_config_accepted_by_the_check_is_sliced(tmp_path, seed):
    content = chosen_by_chance(random.Random(seed))
    try:
        raw = ENGINE.read_raw(content)
    except RawConfigErrors:
        return
    if faults_of(ENGINE, raw):
        return
    write_cube(tmp_path / "cube.stl", 20.0)
    (tmp_path / "work").mkdir()

    made = ENGINE.slice(
        tmp_path / "cube.stl", raw.settings, tmp_path / "work", limits=EngineLimits()
    )

    assert made.figures.layers > 10


@pytest.mark.django_db
def test_account_has_one_config_check_at_a_time(client_of, person, stranger):
    body = {"engine": "slic3r", "content": "layer_height = 0.25"}
    mine, theirs = client_of("slicing", person), client_of("slicing", stranger)

    with one_check_of(person.pk):
        refused = mine.post("/config/raw/", body)
        accepted = theirs.post("/config/raw/", body)

    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    assert refused.json()["errors"][0]["details"]["limit"] == "config_checks"
    assert accepted.status_code == 201
    assert mine.post("/config/raw/", body).status_code == 201
