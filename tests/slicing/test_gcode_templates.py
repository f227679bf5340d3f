"""G-code of other slicers with PrusaSlicer's placeholders: what has a twin, and what has none."""

import re
import sys
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.slicing.configs.capabilities import of_defaults
from apps.slicing.configs.orca.template_names import ASSUMED, EXPRESSIONS, INDICES
from apps.slicing.configs.orca.templates import translate_template
from apps.slicing.configs.placeholders import FIELDS, faults_of, ini_value
from tests.slicing.gcode_set import END, LAYER, SMART_START, START

SETTINGS = (
    *("temperature", "first_layer_temperature", "bed_temperature", "first_layer_bed_temperature"),
    *("nozzle_diameter", "filament_type", "filament_max_volumetric_speed", "spiral_vase"),
    *("external_perimeter_speed", "layer_height", "first_layer_height", "max_print_height"),
    *("perimeter_acceleration", "default_acceleration", "retract_length"),
)
ENGINE = of_defaults(dict.fromkeys(SETTINGS, "1"))


# On a busy machine no example is slow by itself.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def translated(text: str, field: str = "start_gcode", **profile: str):
    return translate_template(text, field, ENGINE, profile)


@pytest.mark.parametrize(
    ("original", "text"),
    [
        ("M190 S[bed_temperature_initial_layer_single]", "M190 S{first_layer_bed_temperature[0]}"),
        ("M109 S[nozzle_temperature_initial_layer]", "M109 S{first_layer_temperature[0]}"),
        (
            "M104 S{nozzle_temperature_initial_layer[initial_extruder]-20}",
            "M104 S{first_layer_temperature[0]-20}",
        ),
        ("T[initial_no_support_extruder]", "T{initial_extruder}"),
        ("G29 X{first_layer_print_min[1]}", "G29 X{first_layer_print_min[1]}"),
        (
            "G1 Y{first_layer_center_no_wipe_tower[1]}",
            "G1 Y{(first_layer_print_min[1]+0.5*first_layer_print_size[1])}",
        ),
        (
            "M104 S{nozzle_temperature[(first_filaments[0] != -1 ? first_filaments[0] : 0)]}",
            "M104 S{temperature[0]}",
        ),
        (
            '{if (filament_type[initial_extruder]=="PLA") && nozzle_diameter != 0.2}\nM1\n{endif}',
            '{if(filament_type[0]=="PLA")&&nozzle_diameter[0]!=0.2}\nM1\n{endif}',
        ),
        ("{if a0 == 0}{else}{endif}", None),
        ("M204 S[outer_wall_acceleration]", "M204 S{perimeter_acceleration}"),
        ("G1 Z{printable_height - 5}", "G1 Z{max_print_height-5}"),
        ("M2 ; plain text without placeholders", "M2 ; plain text without placeholders"),
        ("; plate {filament_map[0]}", "; plate filament_map 0"),
    ],
)
def test_placeholder_becomes_that_of_prusaslicer(original, text):
    result = translated(original)

    if text is None:
        assert [fault.name for fault in result.unresolved] == ["a0"]
    else:
        assert (result.text, result.unresolved) == (text, ())
        assert faults_of(result.text, "start_gcode", ENGINE) == []


def test_placeholder_without_twin_stays_with_its_line_and_name():
    result = translated(SMART_START, scan_first_layer="1")

    assert [(fault.line, fault.name) for fault in result.unresolved] == [(8, "filament_map")]
    assert "M142 P1 R{filament_map[initial_no_support_extruder] % 2}" in result.text
    assert "{if true}\nM981 S1" in result.text
    assert "M620 S{initial_extruder}A" in result.text


def test_assumed_values_are_listed_with_their_reason():
    result = translated(START)

    assert [(one.name, one.value) for one in result.assumed] == [
        ("curr_bed_type", '"High Temp Plate"')
    ]
    assert '{if"High Temp Plate"=="Textured PEI Plate"}' in result.text


def test_names_of_layers_are_unknown_in_start_gcode():
    assert translated(LAYER, "layer_gcode").unresolved == ()
    assert translated(END, "end_gcode").unresolved == ()
    assert [fault.name for fault in translated(LAYER).unresolved] == []  # only a comment
    assert [fault.name for fault in translated("G1 Z{max_layer_z}").unresolved] == ["max_layer_z"]


@pytest.mark.parametrize(
    ("text", "line", "title"),
    [
        ("G28\nM104 S{temperature[0]", 2, "not closed"),
        ("G28 ; [a b]", 1, "must be followed"),
        ("{}", 1, "nothing between"),
        ("{temperature[0] ^ 2}", 1, "no part of an expression"),
        ("{if layer_height > 1}\nG28", 1, "without its endif"),
        ("G28\n{endif}", 2, "without an if"),
        ("{layer_num}", 1, "no placeholder layer_num in start_gcode"),
        ("M109 S[nozzle_temperature_initial_layer]", 1, "no placeholder nozzle_temperature_in"),
        ("{max(bogus, 2)}", 1, "no placeholder bogus"),
    ],
)
def test_text_that_prusaslicer_refuses_is_named_by_line(text, line, title):
    (fault,) = faults_of(text, "start_gcode", ENGINE)

    assert fault.line == line
    assert title in fault.title


NAMES = st.sampled_from(
    sorted({*EXPRESSIONS, *INDICES, *ASSUMED, *SETTINGS, "layer_num", "max_layer_z"})
) | st.from_regex(r"[a-z]{2,6}", fullmatch=True)
VALUES = st.builds(
    lambda name, index: f"{name}{index}",
    NAMES,
    st.sampled_from(["", "[0]", "[1]", "[initial_extruder]", "[a[b]]"]),
)
EXPRESSION = st.recursive(
    VALUES | st.integers(0, 300).map(str) | st.just('"PLA"'),
    lambda part: st.tuples(part, st.sampled_from(["+", "==", "&&", " or ", "*"]), part).map(
        lambda parts: f"({''.join(parts)})"
    ),
    max_leaves=4,
)
LINES = st.one_of(
    EXPRESSION.map(lambda title: f"M104 S{{{title}}}"),
    EXPRESSION.map(lambda title: f"{{if {title}}}\nG28\n{{else}}\nG29\n{{endif}}"),
    NAMES.map(lambda name: f"T[{name}]"),
    st.just("G1 X2 ; note"),
)


@PATIENT
@given(
    lines=st.lists(LINES, max_size=6),
    field=st.sampled_from(FIELDS),
)
def test_complete_proposal_has_no_unknown_placeholder(lines, field):
    result = translated("\n".join(lines), field)

    if not result.unresolved:
        assert faults_of(result.text, field, ENGINE) == []
    else:
        named = {fault.name for fault in result.unresolved}
        assert named <= {fault.name for fault in faults_of(result.text, field, ENGINE)}


@PATIENT
@given(text=st.text(alphabet="{}[]()\"'\\;!=~/ \nabif0.9", max_size=60))
def test_no_text_breaks_the_parser(text):
    translated(text)
    faults_of(text, "start_gcode", ENGINE)


@PATIENT
@given(text=st.text(alphabet=st.sampled_from("ab\\\n{};"), max_size=30))
def test_text_in_an_ini_file_is_one_line_that_reads_back(text):
    value = ini_value(text)

    assert "\n" not in value
    unescaped = re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), value)
    assert unescaped == text


def steps(work: Callable[[], object]) -> int:
    """The lines of Python that some work takes."""
    count = 0

    def step(*_: object) -> Callable:
        nonlocal count
        count += 1
        return step

    sys.settrace(step)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize(
    "pattern", ["{{{}}}", "{}", "{{if {}}}"], ids=["one expression", "texts", "conditions"]
)
@pytest.mark.parametrize("part", ["a ", "a[", "[a]\n", "a<"])
def test_time_grows_with_the_length_of_a_text_alone(pattern, part):
    short, long = (pattern.format(part * count) for count in (500, 2000))

    for work in (translated, lambda text: faults_of(text, "start_gcode", ENGINE)):
        assert steps(lambda work=work: work(long)) < 6 * steps(lambda work=work: work(short))
