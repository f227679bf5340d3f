"""Presets of OrcaSlicer and Bambu Studio: files, inheritance and translation."""

import io
import json
import zipfile

import hypothesis
import pytest
from hypothesis import strategies as st

from apps.slicing.configs.bundles import DEEPEST, InvalidBundle
from apps.slicing.configs.orca.beds import bed_shape
from apps.slicing.configs.orca.bundle import translated_bundle
from apps.slicing.configs.orca.files import MAX_FILE_BYTES, read_profiles
from apps.slicing.configs.orca.profiles import MAX_SETTINGS, MissingParent, Profiles
from apps.slicing.configs.orca.table import TWINS
from apps.slicing.configs.orca.translation import translate
from apps.slicing.configs.slic3r import bed_outline, bounds_of
from tests.slicing import orca_values

TABLES = {
    "printer": orca_values.PRINTER,
    "print": orca_values.PRINT,
    "filament": orca_values.FILAMENT,
}
PRINTER = {
    "type": "machine",
    "name": "Acme One 0.4 nozzle",
    "instantiation": "true",
    "printer_model": "Acme One",
    "nozzle_diameter": ["0.4"],
    "printable_area": ["0x0", "220x0", "220x220", "0x220"],
    "printable_height": "250",
    "gcode_flavor": "klipper",
    "machine_start_gcode": "PRINT_START BED=[bed_temperature_initial_layer_single]",
    "default_print_profile": "0.20mm Acme",
    "default_filament_profile": ["Acme PLA"],
}
PROCESS = {
    "type": "process",
    "name": "0.20mm Acme",
    "layer_height": "0.2",
    "line_width": "110%",
    "outer_wall_speed": "200",
    "compatible_printers": ["Acme One 0.4 nozzle"],
}
FILAMENT = {
    "type": "filament",
    "name": "Acme PLA",
    "filament_type": ["PLA"],
    "nozzle_temperature": ["220"],
    "hot_plate_temp": ["60"],
    "filament_start_gcode": ["; start"],
}


def file_of(value: object) -> bytes:
    return json.dumps(value).encode()


def archive(**members: object) -> bytes:
    """Return a ZIP archive of JSON files and bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for path, value in members.items():
            file.writestr(path, value if isinstance(value, bytes) else json.dumps(value))
    return buffer.getvalue()


def profiles_of(*objects: dict) -> Profiles:
    return Profiles(row for data in objects for row in read_profiles(file_of(data)))


def bundle_of(*objects: dict):
    return translated_bundle(profiles_of(*objects), identity="acme", origin="OrcaSlicer")


def chain(length: int) -> list[dict]:
    rows = [{"type": "process", "name": f"P{n}", "inherits": f"P{n + 1}"} for n in range(length)]
    return [*rows, {"type": "process", "name": f"P{length}", "layer_height": "0.2"}]


@pytest.mark.parametrize("kind", TABLES)
def test_each_setting_with_an_equivalent_is_translated(kind):
    rows = orca_values.rows(TABLES[kind])
    values = {key: value for key, (value, _pairs) in rows.items()}

    translated = translate(kind, values, nozzle=0.4)

    assert translated.dropped == ()
    for key, (value, pairs) in rows.items():
        assert {name: translated.settings.get(name) for name in pairs} == pairs, (key, value)
    ordered = orca_values.rows(orca_values.ORDERS) if kind == "print" else {}
    assert {twin.key for twin in TWINS if twin.kind == kind} == {*rows, *ordered}


@pytest.mark.parametrize("key", orca_values.rows(orca_values.ORDERS))
def test_wall_order_is_translated(key):
    value, pairs = orca_values.rows(orca_values.ORDERS)[key]

    settings = translate("print", {key: value}).settings

    assert {name: settings[name] for name in pairs} == pairs


@pytest.mark.parametrize(
    ("kind", "key", "value", "to", "default"),
    [
        ("print", "sparse_infill_pattern", "lockedzag", "fill_pattern", "cubic"),
        ("print", "brim_type", "auto_brim", "brim_type", "no_brim"),
        ("print", "seam_position", "painted", "seam_position", "aligned"),
        ("printer", "gcode_flavor", "future", "gcode_flavor", "marlin"),
    ],
)
def test_unknown_word_becomes_a_named_default(kind, key, value, to, default):
    translated = translate(kind, {key: value})

    assert translated.settings[to] == default
    assert translated.dropped == (key,)
    assert any(key in note and value in note and default in note for note in translated.notes)


@pytest.mark.parametrize("value", ["nan", "1e99", "fast", "", "nil", "1;post_process"])
def test_value_that_is_no_number_is_left_out(value):
    translated = translate("print", {"travel_speed": value})

    assert "travel_speed" not in translated.settings


def test_settings_without_an_equivalent_are_listed_and_gcode_is_never_translated():
    bundle = bundle_of({**PRINTER, "head_wrap_detect_zone": [], "setting_id": "GM1"}, FILAMENT)

    settings = bundle.flat("printer", "Acme One 0.4 nozzle")
    assert bundle.dropped("printer", "Acme One 0.4 nozzle") == (
        "head_wrap_detect_zone",
        "machine_start_gcode",
    )
    assert bundle.dropped("filament", "Acme PLA") == ("filament_start_gcode",)
    assert bundle.estimate_only
    assert "PRINT_START" not in str(bundle.sections)
    assert settings["start_gcode"].startswith("G90\\nG28")
    assert settings["machine_limits_usage"] == "time_estimate_only"


def test_widths_in_percent_are_of_the_nozzle_that_the_printers_have():
    for_one = bundle_of(PRINTER, PROCESS)
    large = {**PRINTER, "name": "Acme One 0.6 nozzle", "nozzle_diameter": ["0.6"]}
    names = ["Acme One 0.4 nozzle", "Acme One 0.6 nozzle"]
    for_both = bundle_of(PRINTER, large, {**PROCESS, "compatible_printers": names})

    assert for_one.flat("print", "0.20mm Acme")["extrusion_width"] == "0.44"
    assert "extrusion_width" not in for_both.flat("print", "0.20mm Acme")
    assert for_both.dropped("print", "0.20mm Acme") == ("line_width",)


def test_values_of_the_first_standard_variant_are_used():
    variants = ["Direct Drive High Flow", "Direct Drive Standard"]
    process = {
        **PROCESS,
        "print_extruder_variant": variants,
        "outer_wall_speed": ["300", "200"],
        "inner_wall_speed": ["350"],
    }
    printer = {
        **PRINTER,
        "printer_extruder_variant": variants,
        "machine_max_speed_x": ["500", "200", "400", "150"],
    }
    bundle = bundle_of(printer, process)

    settings = bundle.flat("print", "0.20mm Acme")
    assert (settings["external_perimeter_speed"], settings["perimeter_speed"]) == ("200", "350")
    assert bundle.flat("printer", printer["name"])["machine_max_feedrate_x"] == "400"


def test_missing_speeds_are_those_of_the_outer_wall():
    bundle = bundle_of(PRINTER, PROCESS)

    settings = bundle.flat("print", "0.20mm Acme")
    assert (settings["perimeter_speed"], settings["infill_speed"]) == ("200", "200")
    (note,) = bundle.remarks("print", "0.20mm Acme")
    assert "200 mm/s" in note


def test_inherited_settings_and_own_ones_are_merged():
    base = {**PROCESS, "name": "base", "instantiation": "false", "wall_loops": "2"}
    heir = {"type": "process", "name": "mine", "inherits": "base", "wall_loops": "4"}
    bundle = bundle_of(PRINTER, base, heir)

    assert list(bundle.names("print")) == ["mine"]
    settings = bundle.flat("print", "mine")
    assert (settings["perimeters"], settings["layer_height"]) == ("4", "0.2")


def test_parents_are_looked_up_in_what_is_installed():
    installed = profiles_of({**PROCESS, "name": "0.20mm Standard", "wall_loops": "3"})
    mine = {"type": "process", "name": "mine", "inherits": "0.20mm Standard"}
    profiles = Profiles(read_profiles(file_of(mine)), elsewhere=[installed])

    assert profiles.settings("print", "mine")["wall_loops"] == "3"


def test_missing_parent_is_named_and_other_profiles_stay():
    orphan = {"type": "process", "name": "mine", "inherits": "fdm_acme_common"}
    bundle = bundle_of(PRINTER, PROCESS, orphan)

    with pytest.raises(MissingParent, match="'mine' inherits from 'fdm_acme_common'"):
        bundle.flat("print", "mine")
    assert bundle.flat("print", "0.20mm Acme")["layer_height"] == "0.2"


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        (
            [
                {"type": "process", "name": "a", "inherits": "b"},
                {"type": "process", "name": "b", "inherits": "a"},
            ],
            "inherits from itself: a > b > a",
        ),
        (chain(DEEPEST + 2), "inherit in a row"),
    ],
)
def test_circles_and_long_chains_are_refused(objects, message):
    with pytest.raises(InvalidBundle, match=message):
        profiles_of(*objects).settings("print", objects[0]["name"])


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        (file_of(PRINTER), ["printer"]),
        (b"\xef\xbb\xbf" + file_of(PROCESS), ["print"]),
        (
            file_of({"name": "F", "filament_settings_id": ["F"], "filament_type": "PLA"}),
            ["filament"],
        ),
        (file_of({"print_settings_id": "P", "name": "P", "wall_loops": 3}), ["print"]),
        (
            archive(
                **{
                    "bundle_structure.json": {"bundle_type": "printer config bundle"},
                    "printer/one.json": PRINTER,
                    "process/one.json": PROCESS,
                    "filament/one.json": FILAMENT,
                }
            ),
            ["printer", "print", "filament"],
        ),
        (
            archive(**{"Acme.json": {"type": "machine_model", "name": "A"}, "a/b.json": FILAMENT}),
            ["filament"],
        ),
        (
            file_of({**PRINTER, **PROCESS, **FILAMENT, "from": "project"}),
            ["printer", "print", "filament"],
        ),
    ],
)
def test_files_of_each_kind_are_read(content, kinds):
    assert [row.kind for row in read_profiles(content, filename="one.json")] == kinds


def test_settings_of_a_project_are_divided_among_three_profiles():
    project = {
        **PRINTER,
        **PROCESS,
        **FILAMENT,
        "from": "project",
        "printer_settings_id": "My printer",
        "print_settings_id": "My process",
        "filament_settings_id": ["My PLA", "My PETG"],
        "flush_volumes_matrix": ["0"],
    }
    content = archive(**{"Metadata/project_settings.config": project, "3D/model.json": {}})

    bundle = translated_bundle(Profiles(read_profiles(content)), identity="p", origin="OrcaSlicer")

    assert list(bundle.names("printer")) == ["My printer"]
    assert list(bundle.names("filament")) == ["My PLA"]
    assert bundle.flat("filament", "My PLA")["temperature"] == "220"
    assert "flush_volumes_matrix" in bundle.dropped("print", "My process")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe{}", "not UTF-8"),
        (b"{", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"type": "process", "name": "P", "layer_height": NaN}', "no JSON"),
        (b"[]", "must be an object"),
        (file_of({"name": "P"}), "no preset of a printer"),
        (file_of({"type": "process"}), "name must have"),
        (file_of({"type": "process", "name": "a\x00"}), "name must have"),
        (file_of({**PROCESS, "layer_height": {"a": 1}}), "no text and no list"),
        (file_of({**PROCESS, "layer_height": ["1"] * 1001}), "more than 1,000 values"),
        (file_of({**PROCESS, "layer_height": "1" * 100_001}), "longer than 100,000"),
        (
            file_of(PROCESS | {f"k{n}": "1" for n in range(MAX_SETTINGS)}),
            "more than 2,000 settings",
        ),
        (b"{" * (MAX_FILE_BYTES + 1), "more than 8,000,000 bytes"),
        (archive(**{"readme": b"text"}), "no preset of a printer"),
        (archive(**{"a.json": b" " * 5_000_000}), "too large unpacked"),
        (b"PK\x03\x04 and no archive", "cannot be read"),
    ],
)
def test_files_that_are_none_or_too_large_are_refused(content, message):
    with pytest.raises(InvalidBundle, match=message):
        read_profiles(content)


def test_profile_that_is_there_twice_is_refused():
    with pytest.raises(InvalidBundle, match="there twice"):
        profiles_of(PROCESS, PROCESS)


@pytest.mark.parametrize(
    ("hole", "shape"),
    [
        (["0x0", "18x0", "18x28", "0x28"], "18x0,256x0,256x256,0x256,0x28,18x28"),
        (["240x240", "256x240", "256x256", "240x256"], "0x0,256x0,256x240,240x240,240x256,0x256"),
        (["100x0", "156x0", "156x20", "100x20"], "0x20,256x20,256x256,0x256"),
        (["0x0", "0x0", "0x0", "0x0"], "0x0,256x0,256x256,0x256"),
        ([], "0x0,256x0,256x256,0x256"),
    ],
)
def test_excluded_area_is_left_out_of_the_bed(hole, shape):
    assert bed_shape(["0x0", "256x0", "256x256", "0x256"], hole)[0] == shape


sizes = st.floats(min_value=0.1, max_value=500, allow_nan=False)


@hypothesis.given(width=sizes, depth=sizes, x=sizes, y=sizes, end_x=sizes, end_y=sizes)
def test_bed_is_never_larger_than_the_printable_area(width, depth, x, y, end_x, end_y):
    area = [f"{x:.6f}x{y:.6f}" for x, y in [(0, 0), (width, 0), (width, depth), (0, depth)]]
    hole = [f"{a:.6f}x{b:.6f}" for a, b in [(x, y), (end_x, y), (end_x, end_y), (x, end_y)]]

    shape, _note = bed_shape(area, hole)

    left, front, right, back = bounds_of(bed_outline(shape))
    assert 0 <= left <= right <= width * 1.00001 + 1e-5
    assert 0 <= front <= back <= depth * 1.00001 + 1e-5


@hypothesis.given(st.floats(min_value=0, max_value=500), st.floats(min_value=0, max_value=200))
def test_temperatures_are_never_above_those_of_the_profile(nozzle, bed):
    values = {"nozzle_temperature": (str(nozzle),), "hot_plate_temp": (str(bed),)}

    settings = translate("filament", values).settings

    for key in ("temperature", "first_layer_temperature"):
        assert nozzle - 1 < float(settings[key]) <= nozzle
    for key in ("bed_temperature", "first_layer_bed_temperature"):
        assert bed - 1 < float(settings[key]) <= bed


@hypothesis.given(st.floats(min_value=0.1, max_value=2).map(lambda size: f"{size:.3f}"))
def test_nozzle_is_that_of_the_profile(nozzle):
    settings = translate("printer", {"nozzle_diameter": (nozzle, "9")}).settings

    assert float(settings["nozzle_diameter"]) == float(nozzle)
