"""The curated parameters that a raw config comes to, as constraints ask for them."""

import pytest
from django.conf import settings

from apps.slicing.configs.effective_values import curated_values
from apps.slicing.engines import engines

ENGINES = engines(settings.CURA_DEFINITIONS)
if missing := [engine.missing() for engine in ENGINES.values() if engine.version() is None]:
    pytest.skip(" ".join(missing), allow_module_level=True)

pytestmark = pytest.mark.engine


def values_of(identifier, content):
    return curated_values(identifier, ENGINES[identifier].read_raw(content).settings)


@pytest.mark.parametrize("identifier", ["slic3r", "cura"])
def test_effective_values_of_curated_settings_equal_the_parameters(identifier):
    posted = {
        "material": "ABS",
        "print_quality": "fine",
        "filament_diameter": 2.85,
        "nozzle_diameter": 0.6,
        "infill_density": 35,
        "infill_speed": 70.0,
        "extruder_temperature": 245.0,
        "bed_temperature": 95.0,
        "perimeters": 3,
        "perimeter_speed": 45.0,
        "support": True,
        "raft": True,
    }

    values = curated_values(identifier, ENGINES[identifier].settings(posted))

    expected = {key: frozenset({value}) for key, value in posted.items()}
    if identifier == "cura":
        expected["material"] = None
    assert values == expected


@pytest.mark.parametrize(
    ("identifier", "content", "key", "expected"),
    [
        ("slic3r", "filament_type = PLA;PETG", "material", {"PLA", "PETG"}),
        ("slic3r", "layer_height = 0.15", "print_quality", {"other (0.15 mm)"}),
        ("slic3r", "layer_height = 0.3", "print_quality", {"low"}),
        ("slic3r", "nozzle_diameter = 0.4,0.6", "nozzle_diameter", {0.4, 0.6}),
        ("slic3r", "fill_density = 0.35", "infill_density", {35}),
        ("slic3r", "infill_speed = 50\nsolid_infill_speed = 200%", "infill_speed", {50, 100}),
        ("slic3r", "infill_speed = 50\nsolid_infill_speed = 20", "infill_speed", {50}),
        ("slic3r", "infill_speed = 0", "infill_speed", None),
        (
            "slic3r",
            "perimeter_speed = 30\nexternal_perimeter_speed = 90",
            "perimeter_speed",
            {30, 90},
        ),
        (
            "slic3r",
            "temperature = 200,210\nfirst_layer_temperature = 205,215",
            "extruder_temperature",
            {200, 210, 205, 215},
        ),
        ("slic3r", "bed_temperature = 0", "bed_temperature", {0}),
        ("slic3r", "raft_layers = 2", "raft", {True}),
        ("slic3r", "support_material_enforce_layers = 2", "support", {True}),
        ("slic3r", "spiral_vase = 1", "perimeters", {1}),
        ("cura", "layer_height=0.15", "print_quality", {"other (0.15 mm)"}),
        ("cura", "layer_height=0.2\ninfill_line_distance=0.1", "infill_density", {20}),
        ("cura", "speed_topbottom=90", "infill_speed", {60, 90}),
        ("cura", "material_print_temperature=230", "extruder_temperature", {230, 220, 215}),
        ("cura", "material_flow_dependent_temperature=true", "extruder_temperature", None),
        ("cura", "machine_start_gcode=M190 S{machine_width}", "bed_temperature", {60, 250}),
        ("cura", "adhesion_type=raft", "raft", {True}),
    ],
)
def test_effective_value_matches_engine_behaviour(identifier, content, key, expected):
    assert values_of(identifier, content)[key] == expected


@pytest.mark.parametrize(
    ("code", "nozzle", "bed"),
    [
        ("M104 S260", {210, 260}, {60}),
        ("m109 r250.5", {210, 250.5}, {60}),
        ("N10 M104 T1 S245*33", {210, 245}, {60}),
        ("M140S80", {210}, {60, 80}),
        ("G28 M190 S90", {210}, {60, 90}),
        ("M104 S0", {210}, {60}),
        ("; M104 S300\\nG28 (M104 S300)", {210}, {60}),
        ("M1040 S300\\nM117 S300", {210}, {60}),
        ("M104 S[first_layer_temperature]", {210}, {60}),
        ("M104 S{temperature[0]} M140 S[bed_temperature_0]", {210}, {60}),
        ("M104 S{temperature[0] + 90}", None, {60}),
        ("M104 {if 1}S300{endif}", {210, 300}, {60}),
        ("M104 {if 1}{hot}{endif}", None, {60}),
        ("M{104} S300", None, None),
        ("M117 [layer_num]", {210}, {60}),
    ],
)
def test_temperatures_are_found_in_custom_gcode(code, nozzle, bed):
    for key in ("start_gcode", "layer_gcode", "end_filament_gcode"):
        values = values_of("slic3r", f"{key} = {code}")

        assert (values["extruder_temperature"], values["bed_temperature"]) == (nozzle, bed)


def test_temperatures_are_unknown_when_gcode_is_substituted():
    values = values_of("slic3r", 'gcode_substitutions = "S210";"S300";"";""')

    assert (values["extruder_temperature"], values["bed_temperature"]) == (None, None)
