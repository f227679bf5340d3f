"""Configs of Cura 4 and 5 on either engine: names are translated, and nothing fails in a slice."""

import json
import random
import re
import subprocess

import pytest
from django.conf import settings

from apps.slicing.configs import cura
from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.cura_renames import RENAMED, translated
from apps.slicing.engines import engines
from apps.slicing.engines.base import EngineLimits, SliceFailed
from apps.slicing.engines.crash_diagnosis import explained, write_cube
from apps.slicing.engines.cura_settings import Definition
from apps.slicing.engines.curaengine import BINARY
from geometry.formats.stl import write_binary
from geometry.sample_part import bracket

WORDS = {
    "inset_direction": ("inside_out", "outside_in"),
    "brim_location": ("everywhere", "outside", "inside"),
    "support_structure": ("normal", "tree"),
}
NUMBERS = ("speed_equalize_flow_width_factor", "skirt_brim_speed", "wall_overhang_speed_factor")
LISTS = ("wall_overhang_speed_factors", "support_infill_angles")


@pytest.fixture(scope="module")
def engine():
    found = engines(settings.CURA_DEFINITIONS)["cura"]
    if found.version() is None:
        pytest.skip(found.missing())
    return found


# What settings may come to that the engine accepts, and does as they say.
NOTHING = ("incomplete", "nothing-to-print")


def definition_of(key: str) -> Definition:
    if key in WORDS:
        return Definition("enum", WORDS[key][0], None, WORDS[key])
    if key in LISTS:
        return Definition("[int]", "[]", None)
    return Definition("float" if key in NUMBERS else "bool", 0, None)


@pytest.mark.parametrize(
    ("line", "key", "expected"),
    [
        ("outer_inset_first=True", "inset_direction", "='outside_in' if True else 'inside_out'"),
        ("outer_inset_first=0", "inset_direction", "='outside_in' if False else 'inside_out'"),
        ("inset_direction=inside_out", "outer_inset_first", "='inside_out' == 'outside_in'"),
        ("outer_inset_first==a", "inset_direction", "='outside_in' if (a) else 'inside_out'"),
        (
            "speed_equalize_flow_enabled=yes",
            "speed_equalize_flow_width_factor",
            "=100 if True else 0",
        ),
        (
            "speed_equalize_flow_width_factor=35",
            "speed_equalize_flow_enabled",
            "=(35) > 0",
        ),
        ("brim_location=outside", "brim_outside_only", "='outside' == 'outside'"),
        ("support_tree_enable=true", "support_structure", "='tree' if True else 'normal'"),
        ("support_infill_angle=45.0", "support_infill_angles", "=[round((45.0))]"),
        ("skirt_speed=25", "skirt_brim_speed", "25"),
        ("wall_overhang_speed_factor=40", "wall_overhang_speed_factors", "=[(40)]"),
    ],
)
def test_setting_of_another_version_is_translated(line, key, expected):
    written, _, value = line.partition("=")

    assert translated(written, value, {key}) == (key, expected)
    read = cura.read(line, {key: definition_of(key)})
    assert [(entry.key, other) for entry, other in read.renamed] == [(written, key)]


def test_setting_is_not_translated_when_the_engine_knows_its_name():
    known = {"outer_inset_first": definition_of("outer_inset_first")}

    assert translated("outer_inset_first", "true", known) is None
    assert translated("outer_inset_first", "true", {}) is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("outer_inset_first=perhaps", "'perhaps' is not true or false."),
        (
            "inset_direction=outside-in",
            "'outside-in' is not one of: inside_out, outside_in. The nearest is outside_in.",
        ),
        ("skirt_speed=fast", "'fast' is not a number."),
    ],
)
def test_value_of_a_translated_setting_is_rejected_at_its_own_line(line, words):
    written = line.partition("=")[0]
    key = RENAMED[written].key

    with pytest.raises(RawConfigErrors) as refused:
        cura.read(f"a=1\n{line}", {"a": definition_of("a"), key: definition_of(key)})

    (error,) = refused.value.errors
    assert (error.line, error.key) == (2, written)
    assert error.title == f"Line 2, {written}: {words}"


@pytest.mark.engine
def test_both_names_of_a_setting_resolve_to_the_same_settings(engine):
    old = engine.read_raw("outer_inset_first=true\nspeed_equalize_flow_enabled=true")
    new = engine.read_raw("inset_direction=outside_in\nspeed_equalize_flow_width_factor=100")

    assert old.settings == new.settings
    translated_notes = old.notes or new.notes
    assert [note.key for note in translated_notes] in (
        ["outer_inset_first", "speed_equalize_flow_enabled"],
        ["inset_direction", "speed_equalize_flow_width_factor"],
    )
    assert all(note.title.endswith(": its name in this version.") for note in translated_notes)


@pytest.mark.engine
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("layer_height=0.2\ninfill_pattern=lightening", "The nearest is lightning."),
        ("layer_height=0.2\nadhesion_type=skirts", "'skirts' is not one of: skirt, brim, raft"),
        ("layer_height=0.2\ninfill_pattern=='honeycomb'", "'honeycomb' is not one of"),
        ("layer_height=0.2\ncool_fan_speed=150", "150 is too large: Cura allows up to 100."),
        ("wall_line_count=2\nlayer_height=0.5", "layers of 0.5 mm are higher than the nozzle's"),
        ("layer_height=0.1\nlayer_height_0=0.45", "diameter of 0.4 mm: choose thinner layers"),
        ("machine_nozzle_size=0.3\nlayer_height=0.35", "diameter of 0.3 mm: choose thinner"),
        ("layer_height=0.2\nline_width=0", "0 is too small: Cura allows 0.001 and more."),
        ("layer_height=0.2\nmaterial_shrinkage_percentage=-5", "-5 is too small"),
        ("layer_height=0.2\nwall_line_width==0 - line_width", "-0.4 is too small"),
        ("layer_height=0.2\nmachine_gcode_flavor=BFB", "gcode of BFB is not read here: use RepRap"),
        ("layer_height=0.2\nmachine_gcode_flavor=='MACH3'", "gcode of MACH3 is not read here"),
    ],
)
def test_value_the_engine_cannot_use_is_rejected_with_its_line(engine, content, words):
    with pytest.raises(RawConfigErrors) as refused:
        engine.read_raw(content)

    (error,) = refused.value.errors
    assert error.line == 2
    assert words in error.title


@pytest.mark.engine
def test_slow_speed_is_accepted(engine):
    assert engine.read_raw("speed_print=0.05").settings["speed_print"] == "0.05"


@pytest.mark.engine
def test_mesh_type_settings_of_a_config_are_ignored_with_a_note(engine):
    read = engine.read_raw("layer_height=0.3\nanti_overhang_mesh=true\nsupport_mesh=true")

    assert (read.settings["anti_overhang_mesh"], read.settings["support_mesh"]) == ("false",) * 2
    assert [note.key for note in read.notes] == ["anti_overhang_mesh", "support_mesh"]


@pytest.mark.engine
def test_part_shrunk_by_the_config_is_sliced_completely(engine, cube_in):
    cube, work = cube_in
    sent = engine.read_raw("material_shrinkage_percentage=80").settings

    sliced = engine.slice(cube, sent, work, limits=EngineLimits(wall_seconds=60))

    assert sliced.figures.bounds[1][2] == pytest.approx(16, abs=0.11)


@pytest.fixture
def cube_in(tmp_path):
    cube, work = tmp_path / "cube.stl", tmp_path / "work"
    work.mkdir()
    write_cube(cube, 20.0)
    return cube, work


@pytest.mark.engine
def test_config_that_prints_nothing_is_named_as_the_cause(engine, cube_in):
    cube, work = cube_in
    nothing = "wall_line_count=0\ninfill_sparse_density=0\ntop_layers=0\nbottom_layers=0"
    sent = engine.read_raw(f"{nothing}\nadhesion_type=none").settings

    with pytest.raises(SliceFailed) as failed:
        engine.slice(cube, sent, work, limits=EngineLimits(wall_seconds=60))

    assert failed.value.code == "nothing-to-print"
    again = explained(failed.value, engine, sent, work, limits=EngineLimits())
    assert again.code == "config-not-usable"
    assert again.title == (
        "CuraEngine cannot slice with this config: a plain cube of 10 mm fails in the same way "
        "(nothing-to-print). Change the config's settings, not the model."
    )
    assert explained(failed.value, engine, engine.settings({}), work, limits=EngineLimits()) is (
        failed.value
    )


def random_value(rng: random.Random, definition: Definition, now: str) -> str:
    """A value of the setting's kind, near the usual one or far from it."""
    if definition.kind == "enum":
        return rng.choice(definition.options)
    if definition.kind == "bool":
        return rng.choice(["true", "false"])
    if definition.kind not in ("float", "int"):
        return rng.choice(["[0, 90]", "[]", "[45]"])
    usual = float(now)
    value = (
        usual * rng.choice([0.5, 0.8, 1.2, 1.5, 2]) if rng.random() < 0.8 else rng.uniform(-2, 9)
    )
    return str(int(value)) if definition.kind == "int" else f"{value:.4g}"


@pytest.mark.engine
@pytest.mark.slow
def test_random_accepted_cura_config_is_not_rejected_by_the_engine(engine, tmp_path):
    rng, usual = random.Random(41), engine.settings({})
    known = {key: each for key, each in engine._known().items() if each.kind != "str"}
    sides = {"machine_width", "machine_depth", "machine_height"}
    write_cube(tmp_path / "cube.stl", 10.0)
    accepted, refused_by_engine, empty = 0, {}, 0

    for number in range(100):
        keys = rng.sample(sorted(known.keys() - sides), rng.choice([1, 3, 10, 30]))
        config = {key: random_value(rng, known[key], usual[key]) for key in keys}
        work = tmp_path / str(number)
        work.mkdir()
        try:
            sent = engine.read_raw(json.dumps(config)).settings
            accepted += 1
            engine.slice(tmp_path / "cube.stl", sent, work, limits=EngineLimits(wall_seconds=120))
        except RawConfigErrors as refused:
            assert refused.errors
        except SliceFailed as failure:
            reason = explained(failure, engine, sent, work, limits=EngineLimits())
            if reason.code != "config-not-usable" or failure.code not in NOTHING:
                refused_by_engine[number] = failure.code, reason.title, config
            empty += 1

    assert refused_by_engine == {}
    assert accepted > 70
    assert empty <= 3  # walls that lie beside the part, and wire printing, which 5.0 does not do


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("name", ["cube", "bracket"])
@pytest.mark.parametrize("content", ["layer_height=0.2", "layer_height=0.3\nsupport_enable=true"])
def test_time_and_filament_equal_those_of_the_engine_alone(engine, tmp_path, name, content):
    stl, work = tmp_path / "part.stl", tmp_path / "work"
    work.mkdir()
    if name == "cube":
        write_cube(stl, 20.0)
    else:
        write_binary(bracket(), stl)
    sent = engine.read_raw(content).settings

    ours = engine.slice(stl, sent, work, limits=EngineLimits(wall_seconds=120))

    words = [word for key, value in sent.items() for word in ("-s", f"{key}={value}")]
    bare = subprocess.run(
        [BINARY, "slice", "-v", *words, "-o", "bare.gcode", "-l", "model.stl"],
        cwd=work,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    seconds = float(re.search(r"Print time \(s\): (\d+)", bare)[1])
    metres = float(re.search(r";Filament used: ([\d.]+)m", bare)[1])
    assert ours.build_time_seconds == pytest.approx(seconds, rel=1e-3, abs=1)  # whole seconds
    assert ours.figures.filament_mm == pytest.approx(1000 * metres, rel=1e-3)
