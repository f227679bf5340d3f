"""Raw configs that mean harm: each is refused at creation, or does none."""

import json
import time

import pytest
from django.conf import settings

from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.effective_values import curated_values
from apps.slicing.engines import engines
from apps.slicing.engines.base import EngineLimits, SliceFailed
from apps.slicing.models import Config

ENGINES = engines(settings.CURA_DEFINITIONS)
if missing := [engine.missing() for engine in ENGINES.values() if engine.version() is None]:
    pytest.skip(" ".join(missing), allow_module_level=True)

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

SQUARE = "layer_height=0.3\n"
IMAGE = "cross_infill_density_image"

REFUSED = {
    # programs
    "slic3r post_process": ("slic3r", "post_process = /bin/touch {canary}"),
    "slic3r post_process, quoted": ("slic3r", 'post_process = "/bin/touch {canary}"'),
    "slic3r post_process, after an empty one": ("slic3r", 'post_process = "";"touch {canary}"'),
    "slic3r post_process, indented on": ("slic3r", "post_process =\n  touch {canary}"),
    "slic3r post_process, no spaces": ("slic3r", SQUARE + "post_process=touch {canary}"),
    "slic3r post_process, a second time": ("slic3r", "post_process =\npost_process = {canary}"),
    # a second setting, hidden from one reader and not from the next
    "slic3r vertical tab": ("slic3r", "notes = a\x0bpost_process = touch {canary}"),
    "slic3r form feed": ("slic3r", "notes = a\x0cpost_process = touch {canary}"),
    "slic3r next line": ("slic3r", "notes = a\x85post_process = touch {canary}"),
    "slic3r line separator": ("slic3r", "notes = a\u2028post_process = touch {canary}"),
    "slic3r carriage return": ("slic3r", "notes = a\rpost_process = touch {canary}"),
    "slic3r escape": ("slic3r", SQUARE + "notes = \x1b[2J"),
    "slic3r nul": ("slic3r", SQUARE + "notes = \x00"),
    "slic3r byte order mark inside": ("slic3r", SQUARE + "\ufeffpost_process = {canary}"),
    "cura next line": ("cura", "machine_name=a\x85" + IMAGE + "={canary}"),
    "cura nul in json": ("cura", '{"machine_name": "a\\u0000"}'),
    "cura lone surrogate in json": ("cura", '{"machine_name": "a\\ud800"}'),
    "slic3r section": ("slic3r", SQUARE + "[print:mine]\nlayer_height = 0.2"),
    # files of the server
    "cura image": ("cura", IMAGE + "=/etc/passwd"),
    "cura support image": ("cura", "cross_support_density_image=/etc/passwd"),
    "cura image in json": ("cura", json.dumps({"overrides": {IMAGE: "/etc/passwd"}})),
    "cura image by expression": ("cura", IMAGE + "='/etc/passwd'"),
    "cura image in values": ("cura", f"[values]\n{IMAGE} = /etc/passwd"),
    # work without end
    "slic3r thin layers": ("slic3r", "layer_height = 0.0001"),
    "slic3r thin first layer": ("slic3r", "first_layer_height = 0.0001"),
    "slic3r no layers": ("slic3r", "layer_height = 0"),
    "slic3r negative layers": ("slic3r", "layer_height = -0.2"),
    "slic3r many layers": ("slic3r", "layer_height = 0.02\nmax_print_height = 100000"),
    "slic3r huge bed": ("slic3r", "bed_shape = 0x0,1e9x0,1e9x1e9,0x1e9"),
    "slic3r no bed": ("slic3r", "bed_shape = 0x0,0x0,0x0"),
    "slic3r infinite": ("slic3r", "infill_speed = 1e999"),
    "slic3r not a number": ("slic3r", "infill_speed = nan"),
    "slic3r giant number": ("slic3r", "skirts = 99999999999"),
    "slic3r words for numbers": ("slic3r", "temperature = hot"),
    "slic3r resin": ("slic3r", "printer_technology = SLA"),
    "cura thin layers": ("cura", "layer_height=0.0001"),
    "cura thin layers by expression": ("cura", "layer_height==1 / 10000"),
    "cura many layers": ("cura", "layer_height=0.02\nmachine_height=1000"),
    "cura huge bed": ("cura", "machine_width=1e9"),
    "cura infinite": ("cura", "speed_infill=1e999"),
    "cura infinity in json": ("cura", '{"speed_infill": Infinity}'),
    "cura not a number": ("cura", "speed_infill=nan"),
    "cura giant number": ("cura", "wall_line_count=99999999999999"),
    "cura division by zero": ("cura", "infill_line_width=0\ninfill_sparse_density==1/0"),
    "cura nested json": ("cura", '{"machine_name": ' + "[" * 100_000),
    "cura long number in json": ("cura", '{"speed_infill": ' + "9" * 5000 + "}"),
    "cura long value": ("cura", "machine_start_gcode=" + "G" * 200_000),
    "slic3r long value": ("slic3r", "start_gcode = " + "G" * 200_000),
    "cura too many arguments": (
        "cura",
        "".join(
            f"{key}={'G' * 90_000}\n"
            for key in (
                "machine_start_gcode",
                "machine_end_gcode",
                "machine_extruder_start_code",
                "machine_extruder_end_code",
                "machine_name",
            )
        ),
    ),
    "cura gcode that grows": (
        "cura",
        "speed_wall=1.234567891e-10\nmachine_start_gcode=" + "{speed_wall}" * 8000,
    ),
    "slic3r larger than allowed": ("slic3r", SQUARE + "# " + "x" * 1_000_000),
    "cura larger than allowed": ("cura", SQUARE + "# " + "x" * 1_000_000),
    # expressions
    "cura import": ("cura", "speed_infill==__import__('os').system('touch {canary}')"),
    "cura open": ("cura", "machine_name==open('{canary}', 'w')"),
    "cura attribute": ("cura", "speed_infill==().__class__.__bases__[0]"),
    "cura power": ("cura", "speed_infill==9**9**9"),
    "cura squares of squares": (
        "cura",
        "speed_print==99999999*99999999\n"
        "speed_infill==speed_print*speed_print\n"
        "speed_wall==speed_infill*speed_infill\n"
        "speed_wall_x==speed_wall*speed_wall\n"
        "speed_wall_0==speed_wall_x*speed_wall_x",
    ),
    "cura long string": ("cura", "machine_name=='x' * 1000000000"),
    "cura joined strings": (
        "cura",
        "machine_start_gcode=" + "G28 " * 1000 + "\n"
        "machine_name==" + " + ".join(["machine_start_gcode"] * 90),
    ),
    "cura circle": ("cura", "speed_infill==speed_wall\nspeed_wall==speed_infill"),
    "cura itself": ("cura", "speed_infill==speed_infill + 1"),
    "cura comprehension": ("cura", "speed_infill==sum([x for x in range(10)])"),
    "cura lambda": ("cura", "speed_infill==(lambda: 1)()"),
    "cura deep brackets": ("cura", "speed_infill==" + "(" * 900 + "1" + ")" * 900),
    "cura long expression": ("cura", "speed_infill==" + "1+" * 5000 + "1"),
    "cura rounding to a billion digits": ("cura", "speed_infill==round(5, -1000000000)"),
    "cura deep lists": ("cura", "infill_angles=" + "[" * 5000 + "]" * 5000),
    # texts that take a careless reader long
    "slic3r long digits": ("slic3r", "layer_height = " + "1" * 99_000 + "x"),
    "slic3r many settings": ("slic3r", "colour = blue\n" * 60_000),
    "cura many settings": ("cura", "colour=blue\n" * 60_000),
    "cura many settings in json": ("cura", json.dumps({f"a{n}": 1 for n in range(60_000)})),
    "cura long name in json": ("cura", json.dumps({"a" * 900_000: 1})),
    "slic3r many lines in one": ("slic3r", "colour = blue\n" + " a\n" * 300_000),
    # nothing at all
    "slic3r nothing known": ("slic3r", "colour = blue"),
    "cura nothing known": ("cura", "colour=blue"),
    "slic3r no lines": ("slic3r", "\n\n# nothing\n"),
    "cura empty json": ("cura", "{}"),
    "cura list": ("cura", "[1, 2]"),
    "slic3r a program": ("slic3r", "#!/bin/sh\ntouch {canary}\n"),
    "slic3r json": ("slic3r", '{"layer_height": 0.2}'),
    "cura a machine file": ("cura", "[general]\nlayer_height = 0.2"),
    "cura options": ("cura", "-s layer_height=0.2 -o {canary}"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_hostile_raw_config_is_rejected_with_a_reason(slicing, tmp_path, name):
    engine, content = REFUSED[name]
    content = content.replace("{canary}", str(tmp_path / "canary"))

    answer = slicing.post("/config/raw/", {"engine": engine, "content": content})

    assert answer.status_code == 400
    for error in answer.json()["errors"]:
        assert error["field"] == "content"
        assert error["title"]
    assert not Config.objects.exists()
    assert not (tmp_path / "canary").exists()


# What is not refused reaches an engine that is locked in, or does not reach it at all.
HARMLESS = {
    "slic3r empty post_process": ("slic3r", SQUARE + "post_process =", {"post_process": None}),
    "slic3r file name": (
        "slic3r",
        SQUARE + "output_filename_format = ../../{canary}",
        {"output_filename_format": None},
    ),
    "slic3r printer's secrets": (
        "slic3r",
        SQUARE + "printhost_apikey = secret\nprint_host = 127.0.0.1\noctoprint_host = x",
        {"printhost_apikey": None, "print_host": None, "octoprint_host": None},
    ),
    "slic3r options of the command": (
        "slic3r",
        SQUARE + "output = {canary}\nload = /etc/passwd\ndatadir = /\nsave = {canary}",
        {"output": None, "load": None, "datadir": None, "save": None},
    ),
    "slic3r threads": ("slic3r", SQUARE + "threads = 4000", {"threads": None}),
    "slic3r macros": (
        "slic3r",
        SQUARE + "start_gcode = {if layer_num =~ /(a+)+$/}G1{endif} [input_filename]",
        {},
    ),
    "slic3r a bomb of a pattern": (
        "slic3r",
        SQUARE + 'gcode_substitutions = "(a|a)*b";"x";"r";""',
        {},
    ),
    "cura place and extruders": (
        "cura",
        SQUARE + "center_object=true\nmesh_position_x=9999\nmachine_extruder_count=16\n"
        "mesh_rotation_matrix=[[9,0,0],[0,9,0],[0,0,9]]\ninfill_extruder_nr=7",
        {
            "center_object": "false",
            "mesh_position_x": "0",
            "machine_extruder_count": "1",
            "mesh_rotation_matrix": "[[1,0,0], [0,1,0], [0,0,1]]",
            "infill_extruder_nr": "-1",
        },
    ),
    "cura distance against density": (
        "cura",
        SQUARE + "infill_line_distance=0.001",
        {"infill_line_distance": "4"},
    ),
    "cura an option in a value": (
        "cura",
        SQUARE + "machine_name=-o {canary}\nmachine_start_gcode=G28 $(touch {canary}) `id`",
        {},
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_hostile_but_accepted_config_does_no_harm(cube, tmp_path, name):
    identifier, content, expected = HARMLESS[name]
    engine, marker = ENGINES[identifier], tmp_path / "canary"
    (tmp_path / "part.stl").write_bytes(cube)
    (tmp_path / "work").mkdir()

    sent = engine.read_raw(content.replace("{canary}", str(marker))).settings
    try:
        engine.slice(
            tmp_path / "part.stl", sent, tmp_path / "work", limits=EngineLimits(wall_seconds=30)
        )
    except SliceFailed as failure:
        assert failure.code == "config-not-usable"  # it did not understand a macro

    assert {key: sent.get(key) for key in expected} == expected
    assert not marker.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part.stl", "work"]


def test_number_of_reported_config_errors_is_limited():
    content = "\n".join(f"line {n}" for n in range(1000))

    with pytest.raises(RawConfigErrors) as refused:
        ENGINES["slic3r"].read_raw(content)

    assert len(refused.value.errors) == 50
    assert refused.value.errors[0].title == (
        "Line 1: 'line 0' is not a setting: write it as key = value."
    )


@pytest.mark.parametrize("piece", ["(", "M104 S{", "M104 S[", "M104 ", "M 0", "{", "[G"])
def test_truncated_gcode_commands_are_parsed_in_linear_time(piece):
    code = piece * (90_000 // len(piece))
    sent = ENGINES["slic3r"].read_raw(f"start_gcode = {code}").settings

    start = time.process_time()
    curated_values("slic3r", sent)

    assert time.process_time() - start < 2


@pytest.mark.engine
def test_curated_number_that_overflows_other_settings_is_rejected(slicing):
    body = {"engine": "cura", "parameters": {"infill_speed": 1e-300}}

    answer = slicing.post("/config/curated/", body)

    (error,) = answer.json()["errors"]
    told = answer.status_code, error["code"], error["field"]
    assert told == (400, "property-value-not-in-allowed-values", "parameters")
    assert "a number is too large" in error["title"]
