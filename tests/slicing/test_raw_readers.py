"""What a raw config's text is read into, for either engine."""

import pytest
from django.conf import settings

from apps.slicing.configs import cura, slic3r
from apps.slicing.configs.base import Note, RawConfigErrors
from apps.slicing.engines import engines
from apps.slicing.engines.base import Bed
from apps.slicing.engines.cura_settings import Definition, resolve

DEFAULTS = {
    "bed_shape": "0x0,200x0,200x200,0x200",
    "bottom_fill_pattern": "monotonic",
    "fill_density": "20%",
    "fill_pattern": "stars",
    "first_layer_height": "0.35",
    "first_layer_temperature": "200",
    "layer_height": "0.3",
    "max_print_height": "200",
    "nozzle_diameter": "0.4",
    "post_process": "",
    "seam_position": "aligned",
    "start_gcode": "G28",
    "temperature": "200",
    "top_fill_pattern": "monotonic",
}
OWN = {
    "bed_shape": "0x0,250x0,250x250,0x250",
    "extrusion_width": "0.45",
    "fill_density": "20%",
    "fill_pattern": "grid",
    "first_layer_extrusion_width": "0.45",
    "first_layer_height": "0.2",
    "first_layer_temperature": "210",
    "layer_height": "0.2",
    "max_print_height": "250",
    "nozzle_diameter": "0.4",
    "temperature": "210",
}
DEFINITIONS = {
    "angles": Definition("[int]", "[ ]", None),
    "count": Definition("int", 1, None),
    "double": Definition("float", 2, "height * 2"),
    "height": Definition("float", 1, None),
    "name": Definition("str", "", None),
    "on": Definition("bool", default=False, expression=None),
    "pattern": Definition("enum", "grid", None, ("grid", "lines")),
    "quadruple": Definition("float", 4, "double * 2"),
    "wall_extruder_nr": Definition("optional_extruder", "-1", None),
}


def changes(content):
    """What a file of the Slic3r family changes of our own settings."""
    read = slic3r.read(content, defaults=DEFAULTS, own=OWN).settings
    return {key: value for key, value in read.items() if OWN.get(key) != value}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("layer_height = 0.3", {"layer_height": "0.3"}),
        (
            "layer_height=0.3\r\nseam_position=rear\r",
            {"layer_height": "0.3", "seam_position": "rear"},
        ),
        ("\ufefflayer_height = 0.3\n# comment = 1\n; comment = 2", {"layer_height": "0.3"}),
        (
            "start_gcode = G28\n\tG1 X5 ; a = b\n\n  G1 Y5",
            {"start_gcode": r"G28\nG1 X5 ; a = b\nG1 Y5"},
        ),
        (r"start_gcode = G28\nG1", {"start_gcode": r"G28\nG1"}),
        ("seal_position = rear", {"seam_position": "rear"}),
        (
            "solid_fill_pattern = concentric",
            {"top_fill_pattern": "concentric", "bottom_fill_pattern": "concentric"},
        ),
        ("bed_size = 100,120", {"bed_shape": "0x0,100x0,100x120,0x120"}),
        ("fill_density = 0.4", {"fill_density": "40%"}),
        ("fill_density = 40", {"fill_density": "40%"}),
        ("fill_density = 1", {"fill_density": "100%", "fill_pattern": "rectilinear"}),
        ("temperature = 220", {"temperature": "220", "first_layer_temperature": "220"}),
        (
            "temperature = 220,230\nfirst_layer_temperature = 225",
            {"temperature": "220,230", "first_layer_temperature": "225"},
        ),
        ("max_print_height = 0\nlayer_height = 0.3", {"layer_height": "0.3"}),
        ("filament_retract_length = 3", {"filament_retract_length": "3"}),
        ("max_print_height = 215 # of the tall one", {"max_print_height": "215"}),
        ("max_print_height = 215;230", {"max_print_height": "215"}),
        ("fill_density = 0.4 # a fraction, 40 %", {"fill_density": "40%"}),
        ("layer_height =\nmax_print_height = 215", {"max_print_height": "215"}),
        ("start_gcode = G28 ; home # all", {"start_gcode": "G28 ; home # all"}),
        ("filament_retract_length = nil,2", {"filament_retract_length": "nil,2"}),
        ("filament_retract_length = nil", {"filament_retract_length": "nil"}),
    ],
)
def test_ini_config_changes_only_its_own_settings(content, expected):
    assert changes(content) == expected


def test_other_nozzle_diameter_drops_the_default_extrusion_width():
    read = slic3r.read("nozzle_diameter = 0.6", defaults=DEFAULTS, own=OWN).settings

    assert read["nozzle_diameter"] == "0.6"
    assert "extrusion_width" not in read


def test_unused_settings_are_noted_with_their_lines():
    content = "layer_height = 0.3\nthreads = 9\nfan_curve = 1\nlayer_height = 0.2\npost_process =\n"

    read = slic3r.read(content, defaults=DEFAULTS, own=OWN)

    assert read.settings == OWN
    assert read.notes == [
        Note(1, "layer_height", "Not used: line 4 sets it again."),
        Note(2, "threads", "Not used: the platform decides how many there are."),
        Note(3, "fan_curve", "Not used: the installed PrusaSlicer has no such setting."),
    ]


@pytest.mark.parametrize(
    ("shape", "bounds"),
    [
        ("0x0,250x0,250x210,0x210", (0, 0, 250, 210)),
        ("-90x-90, 90x-90, 0x90.5", (-90, -90, 90, 90.5)),
        ("-57.5x-99.593,1.1e-14x115,+57.5x-99.5E0", (-57.5, -99.593, 57.5, 115)),
        ("-.5x0,1e2x0,100.x100,-5e-1x1e+02", (-0.5, 0, 100, 100)),
        ("0x0,1x1", None),
        ("0x0,1,2x2", None),
        ("0x0,1e999x0,1x1", None),
        ("", None),
    ],
)
def test_bounds_of_a_bed_shape_are_parsed(shape, bounds):
    outline = slic3r.bed_outline(shape)

    assert (outline and slic3r.bounds_of(outline)) == bounds


def test_bed_corner_without_separator_is_read_like_the_engine_with_a_note():
    read = slic3r.read("bed_shape = 0x0,235-0,235x235,0x235", defaults=DEFAULTS, own=OWN)

    assert read.settings["bed_shape"] == "0x0,235x0,235x235,0x235"
    assert read.notes == [
        Note(1, "bed_shape", "Read as 0x0,235x0,235x235,0x235: a corner has no x.")
    ]


def test_empty_setting_is_left_to_the_engine_with_a_note():
    texts = {"start_filament_gcode": '"; Filament gcode\\n"', "filament_type": "PLA"}
    content = "start_filament_gcode =\nfilament_type =\nlayer_height = \nstart_gcode =\n"

    read = slic3r.read(content, defaults=DEFAULTS | texts, own=OWN)

    assert read.settings == OWN | {"start_gcode": ""}
    assert [(note.line, note.title) for note in read.notes] == [
        (line, "Not used: it is empty.") for line in (1, 2, 3)
    ]


def test_indexed_setting_is_dropped_with_a_note():
    content = "layer_height = 0.3\ndynamic_overhang_speeds[0] = 20,20,15,15"

    read = slic3r.read(content, defaults=DEFAULTS, own=OWN)

    title = "Not used: the installed PrusaSlicer has no such setting."
    assert read.settings == OWN | {"layer_height": "0.3"}
    assert read.notes == [Note(2, "dynamic_overhang_speeds[0]", title)]


@pytest.mark.parametrize(
    "content",
    [
        "height=3\non=true\nname=a b\npattern=lines\nangles=[0, 45]\ncount=4.0",
        "height = 3\non = True\nname = a b\npattern = lines\nangles = [0, 45]\ncount = 4",
        "-s height=3\n-s on=yes\n-s 'name=a b'\n-s pattern=lines\n-s angles='[0, 45]'\n-s count=4",
        "[general]\nversion = 4\n[metadata]\ntype = user\n[values]\nheight = =1 + 2\non = =1 < 2\n"
        "name = a b\npattern = ='lines'\nangles = [0, 45]\ncount = 4",
        '{"height": 3, "on": true, "name": "a b", "pattern": "lines", "angles": [0, 45],'
        ' "count": 4}',
        '{"overrides": {"height": {"value": "1 + 2"}, "on": {"default_value": true},'
        ' "name": "a b", "pattern": "lines", "angles": "[0, 45]", "count": 4}}',
    ],
)
def test_all_formats_of_a_cura_config_are_equivalent(content):
    overrides = cura.read(content, DEFINITIONS)

    known = {
        key: DEFINITIONS[key]._replace(
            expression=overrides.expressions.get(key, definition.expression)
        )
        for key, definition in DEFINITIONS.items()
    }
    worked_out = resolve(known, overrides.values)
    assert worked_out == {
        "angles": "[0, 45]",
        "count": "4",
        "double": "6",
        "height": "3",
        "name": "a b",
        "on": "true",
        "pattern": "lines",
        "quadruple": "12",
        "wall_extruder_nr": "-1",
    }


def test_escaped_newline_in_a_cura_value_is_decoded():
    overrides = cura.read(r"name=G28\nG1 \\n \\", DEFINITIONS)

    assert overrides.values["name"] == "G28\nG1 \\n \\"


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("height=tall", "'tall' is not a number."),
        ("height=", "'' is not a number."),
        ("height=1_0", "'1_0' is not a number."),
        ("count=1.5", "'1.5' is not a whole number."),
        ("on=perhaps", "'perhaps' is not true or false."),
        ("pattern=line", "'line' is not one of: grid, lines. The nearest is lines."),
        ("pattern=Grid", "'Grid' is not one of: grid, lines. The nearest is grid."),
        ("angles=[a]", "'[a]' is not a list of numbers like [0, 45]."),
        ("angles=45", "'45' is not a list of numbers like [0, 45]."),
    ],
)
def test_value_of_wrong_type_is_rejected_with_its_line(line, title):
    with pytest.raises(RawConfigErrors) as refused:
        cura.read(f"name=x\n{line}", DEFINITIONS)

    (error,) = refused.value.errors
    assert (error.line, error.title) == (2, f"Line 2, {line.split('=')[0]}: {title}")


@pytest.fixture
def curaengine():
    engine = engines(settings.CURA_DEFINITIONS)["cura"]
    if engine.version() is None:
        pytest.skip(engine.missing())
    return engine


@pytest.mark.engine
def test_dependent_cura_settings_follow_a_changed_setting(curaengine):
    own = curaengine.settings({})

    read = curaengine.read_raw("wall_thickness=1.2\nmaterial_print_temperature=230").settings

    assert own["wall_line_count"] == "2"
    assert read["wall_line_count"] == "3"
    assert read["material_print_temperature_layer_0"] == "230"
    assert read["material_final_print_temperature"] == "215"
    assert read["infill_sparse_density"] == own["infill_sparse_density"]


@pytest.mark.engine
def test_cura_placeholders_in_gcode_are_replaced_with_values(curaengine):
    code = "M109 S{material_print_temperature, 0} ; {jobname} {machine_start_gcode}"

    read = curaengine.read_raw(f"machine_start_gcode={code}").settings

    assert read["machine_start_gcode"] == "M109 S210 ; {jobname} {machine_start_gcode}"


@pytest.mark.engine
def test_error_in_a_cura_expression_is_reported_with_its_line(curaengine):
    with pytest.raises(RawConfigErrors) as refused:
        curaengine.read_raw("layer_height=0.2\nspeed_infill==speed_wall * fast\n")

    (error,) = refused.value.errors
    assert (error.line, error.key) == (2, "speed_infill")
    assert error.title.endswith("CuraEngine has no setting fast.")


@pytest.mark.engine
def test_bed_is_read_from_the_cura_config(curaengine):
    centred = curaengine.read_raw("machine_width=120\nmachine_center_is_zero=true").settings

    assert curaengine.bed(centred) == Bed(120, 250, 250, -60, -125)
    assert curaengine.bed(curaengine.settings({})) == Bed(250, 250, 250)
