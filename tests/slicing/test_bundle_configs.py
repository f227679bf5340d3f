"""Configs of config bundles that users export from their slicer, over HTTP."""

import pytest

from apps.slicing.configs import text
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import Config
from core.files import blobs

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.engine,
    pytest.mark.usefixtures("presets_folder"),
]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)

PRINTER = """
[printer:My Flat]
inherits = {parent}
bed_shape = 0x0,120x0,120x120,0x120
max_print_height = 130
nozzle_diameter = 0.4
gcode_flavor = marlin
start_gcode = G28\\nM109 S[first_layer_temperature]
end_gcode = M104 S0
print_host = 192.0.2.7
printhost_apikey = secret-of-the-host
"""
PRINT = """
[print:{name}]
layer_height = {height}
perimeters = 3
perimeter_speed = 44
infill_speed = 66
fill_density = 15%
"""
FILAMENT = """
[filament:My PETG]
filament_type = PETG
filament_diameter = 1.75
temperature = 238
first_layer_temperature = 242
bed_temperature = 85
"""
CHOSEN = """
[presets]
print = Coarse
sla_print =
filament = My PETG
printer = My Flat
"""


def bundle(*, parent="", chosen="") -> str:
    prints = PRINT.format(name="Fine", height=0.1) + PRINT.format(name="Coarse", height=0.3)
    return PRINTER.format(parent=parent) + prints + FILAMENT + chosen


def settings_of(slicing, answer) -> dict[str, str]:
    assert answer.status_code == 201, answer.content
    row = Config.objects.get(pk=answer.json()["uri"].split("/")[-2])
    with blobs.local_copy(row.content_id) as path:
        return {entry.key: entry.value for entry in text.entries(path.read_text())}


def keys_of(notes) -> list[str]:
    return [note["key"] for note in notes]


def test_presets_chosen_in_the_slicer_become_a_config(slicing):
    body = {"content": bundle(chosen=CHOSEN), "printer": None, "print": "", "description": None}
    answer = slicing.post("/config/bundle/", body)

    settings = settings_of(slicing, answer)
    assert settings["layer_height"] == "0.3"
    assert settings["temperature"] == "238"
    assert settings["max_print_height"] == "130"
    assert settings["seam_position"] == prusaslicer().capabilities().defaults["seam_position"]
    assert "secret-of-the-host" not in f"{settings} {answer.content}"
    config = answer.json()
    assert (config["kind"], config["engine"]) == ("raw", "slic3r")
    assert config["description"] == "My Flat · Coarse · My PETG"
    # The file that can be fetched is a config of its own.
    again = slicing.post(
        "/config/raw/",
        {"engine": "slic3r", "content": "".join(f"{k} = {v}\n" for k, v in settings.items())},
    )
    assert settings_of(slicing, again) == settings


def test_presets_are_named_and_the_only_ones_need_not_be(slicing):
    unnamed = slicing.post("/config/bundle/", {"content": bundle()})
    unknown = slicing.post("/config/bundle/", {"content": bundle(), "print": "Finest"})
    named = slicing.post(
        "/config/bundle/", {"content": bundle(), "print": "Fine", "description": "Figures"}
    )

    for answer, code in (
        (unnamed, "missing-parameter"),
        (unknown, "property-value-not-in-allowed-values"),
    ):
        assert answer.status_code == 400
        (error,) = answer.json()["errors"]
        assert (error["code"], error["field"]) == (code, "print")
        assert error["details"]["names"] == ["Coarse", "Fine"]
    assert settings_of(slicing, named)["layer_height"] == "0.1"
    assert named.json()["description"] == "Figures"


def test_parents_are_installed_presets_and_complete_presets_need_none(slicing):
    def posted(content):
        return slicing.post("/config/bundle/", {"content": content + CHOSEN})

    # `Acme Round` is installed; what the preset itself states wins.
    settings = settings_of(slicing, posted(bundle(parent="Acme Round")))
    assert settings["machine_max_feedrate_x"] == "200"
    assert settings["max_print_height"] == "130"
    (parent,) = posted(bundle(parent="Acme Round")).json()["inherits"]
    assert slicing.get(parent).json()["name"] == "Acme Round"
    complete = settings_of(slicing, posted(bundle(parent="Printer of another computer")))
    assert complete["max_print_height"] == "130"
    part = bundle(parent="Printer of another computer").replace("gcode_flavor = marlin\n", "")
    (error,) = posted(part).json()["errors"]
    assert error["code"] == "invalid-bundle"
    assert "[printer:Printer of another computer], which is not in the bundle" in error["title"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("layer_height = 0.2\n", "invalid-bundle"),
        ("[print:A]\n[print:A]\n", "invalid-bundle"),
        ("[print:A]\nx = 1\n", "missing-parameter"),
        (bundle(chosen=CHOSEN).replace("85", "hot"), "property-value-not-in-allowed-values"),
        (
            bundle(chosen=CHOSEN).replace("perimeters = 3", "post_process = /bin/true"),
            "forbidden-setting",
        ),
    ],
    ids=["no sections", "twice", "no printer", "no number", "a program"],
)
def test_other_contents_are_refused_with_the_reason(slicing, content, code):
    answer = slicing.post("/config/bundle/", {"content": content})

    assert answer.status_code == 400
    assert code in {error["code"] for error in answer.json()["errors"]}


def test_settings_of_other_versions_are_translated_with_a_note(slicing):
    content = bundle(chosen=CHOSEN).replace("perimeters = 3", "support_material_style = organic")

    answer = slicing.post("/config/bundle/", {"content": content})

    raw = {"engine": "slic3r", "content": "support_material_style = organic\n"}
    notes = slicing.post("/config/raw/", raw).json()["notes"]
    assert set(keys_of(answer.json()["notes"])) - {"print_host", "printhost_apikey"} == set(
        keys_of(notes)
    )
    style = settings_of(slicing, answer)["support_material_style"]
    assert style == ("snug" if notes else "organic")
