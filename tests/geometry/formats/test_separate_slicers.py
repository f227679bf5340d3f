"""Projects of PrusaSlicer, OrcaSlicer and Bambu Studio taken apart."""

import json

import numpy as np
import pytest

from tests.geometry.formats import model_files as files
from tests.geometry.formats.test_separate import PRODUCTION, box, made_of, package


def test_prusa_modifiers_and_negative_volumes_are_left_out(taken):
    cubes = [np.array(files.CUBE) + offset for offset in (0, 100, 200)]
    vertices = np.concatenate(cubes).tolist()
    faces = [tuple(at + 8 * n for at in face) for n in range(3) for face in files.HALVES]
    config = """<?xml version="1.0"?><config><object id="1" instances_count="2">
        <metadata type="object" key="name" value="Bracket"/>
        <metadata type="object" key="layer_height" value="0.1"/>
        <metadata type="object" key="extruder" value="2"/>
        <volume firstid="0" lastid="11"><metadata key="volume_type" value="ModelPart"/></volume>
        <volume firstid="12" lastid="23"><metadata key="name" value="Dense"/>
            <metadata key="volume_type" value="ParameterModifier"/></volume>
        <volume firstid="24" lastid="35">
            <metadata key="volume_type" value="NegativeVolume"/></volume>
        </object></config>"""
    settings = "; filament_colour = #112233;#AABBCC\n; filament_type = PLA;PETG\n"
    items = '<item objectid="1" printable="1"/><item objectid="1" printable="0"/>'
    model = files.model_xml(files.object_xml(vertices, faces), items)

    receipt, (part,) = taken(
        package(
            model,
            {
                "Metadata/Slic3r_PE_model.config": config,
                "Metadata/Slic3r_PE.config": settings,
                "Metadata/thumbnail.png": b"png",
                "Metadata/odd.bin": b"?",
            },
        )
    )

    assert part["written"] == pytest.approx(1000, rel=1e-6)
    assert (part["name"], part["color"], part["material"]) == ("Bracket", "#AABBCC", "PETG")
    assert len(part["instances"]) == 1
    assert receipt["joined"] == []
    assert receipt["settings"] == [{"object": "Bracket", "settings": {"layer_height": "0.1"}}]
    assert receipt["thumbnails"] == ["Metadata/thumbnail.png"]
    assert {"what": "modifier", "object": "Bracket", "name": "Dense"} in receipt["left_out"]
    assert {"what": "negative volume", "object": "Bracket"} in receipt["left_out"]
    assert {
        "what": "instance that is not to be printed",
        "object": "Bracket",
    } in receipt["left_out"]
    assert {"what": "entry that is not understood", "file": "Metadata/odd.bin"} in receipt[
        "left_out"
    ]


@pytest.mark.parametrize(
    ("metadata", "what"),
    [
        ('key="modifier" value="1"', "modifier"),
        ('key="volume_type" value="1"', "modifier"),
        ('key="volume_type" value="SupportBlocker"', "support blocker"),
        ('key="volume_type" value="SupportEnforcer"', "support enforcer"),
        ('key="volume_type" value="SeamPosition"', "seam position"),
        ('key="volume_type" value="BrimPatch"', "brim patch"),
    ],
)
def test_helper_volumes_of_each_type_are_left_out(taken, metadata, what):
    vertices = [*files.CUBE, *(np.array(files.CUBE) + 100).tolist()]
    faces = [*files.HALVES, *(tuple(at + 8 for at in face) for face in files.HALVES)]
    config = f"""<config><object id="1"><volume firstid="0" lastid="11"/>
        <volume firstid="12" lastid="23"><metadata {metadata}/></volume></object></config>"""
    model = files.model_xml(files.object_xml(vertices, faces))

    receipt, (part,) = taken(package(model, {"Metadata/Slic3r_PE_model.config": config}))

    assert part["written"] == pytest.approx(1000)
    assert receipt["left_out"] == [{"what": what, "object": None}]


@pytest.mark.parametrize("key", ["volume_type", "part_type"])
def test_bambu_part_type_in_metadata_overrides_its_subtype(taken, key):
    config = f"""<config><object id="3"><part id="1" subtype="normal_part"/>
        <part id="2" subtype="normal_part"><metadata key="{key}" value="support_blocker"/></part>
        </object></config>"""
    both = box(1) + box(2, (3, 3, 3)) + made_of(3, 'objectid="1"', 'objectid="2"')
    model = files.model_xml(both, '<item objectid="3"/>')

    receipt, (part,) = taken(package(model, {"Metadata/model_settings.config": config}))

    assert part["written"] == pytest.approx(1)
    assert receipt["left_out"] == [{"what": "support blocker", "object": None}]


def test_prusa_instances_are_instances_of_the_first_object(taken):
    vertices = np.concatenate([np.array(files.CUBE), np.array(files.CUBE) + 100]).tolist()
    faces = [tuple(at + 8 * n for at in face) for n in range(2) for face in files.HALVES]
    config = """<config><object id="1" instances_count="2">
        <volume firstid="0" lastid="11"><metadata key="volume_type" value="ModelPart"/></volume>
        <volume firstid="12" lastid="23">
            <metadata key="volume_type" value="ParameterModifier"/></volume></object></config>"""
    again = made_of(2, 'objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0 7"')
    items = '<item objectid="1"/><item objectid="2" transform="0 1 0 -1 0 0 0 0 1 5 0 0"/>'
    model = files.model_xml(files.object_xml(vertices, faces) + again, items)

    _, (part,) = taken(package(model, {"Metadata/Slic3r_PE_model.config": config}))

    assert part["written"] == pytest.approx(1000, rel=1e-6)
    _, second = (place["transform"] for place in part["instances"])
    assert np.allclose(second, [[0, -1, 0, 5], [1, 0, 0, 0], [0, 0, 1, 7]])


def test_bambu_plates_objects_and_filaments_are_read(taken):
    objects = (
        box(1, (1, 1, 1))
        + box(2, (3, 3, 3))
        + box(4, (2, 2, 2))
        + made_of(3, 'objectid="1"', 'objectid="2"')
        + made_of(5, 'objectid="4"')
    )
    items = '<item objectid="3"/><item objectid="5"/><item objectid="5"/>'
    config = """<?xml version="1.0"?><config>
      <object id="3"><metadata key="name" value="Cup"/><metadata key="extruder" value="1"/>
        <part id="1" subtype="normal_part"><metadata key="name" value="body"/></part>
        <part id="2" subtype="negative_part"><metadata key="name" value="hole"/></part></object>
      <object id="5"><metadata key="name" value="Foot"/><metadata key="extruder" value="2"/>
        <part id="4" subtype="normal_part"/></object>
      <plate><metadata key="plater_id" value="1"/>
        <model_instance><metadata key="object_id" value="3"/>
          <metadata key="instance_id" value="0"/></model_instance>
        <model_instance><metadata key="object_id" value="5"/>
          <metadata key="instance_id" value="0"/></model_instance></plate>
      <plate><metadata key="plater_id" value="2"/><metadata key="plater_name" value="Rest"/>
        <model_instance><metadata key="object_id" value="5"/>
          <metadata key="instance_id" value="1"/></model_instance></plate></config>"""
    filaments = {"filament_colour": ["#00ff00", "#FFFFFF"], "filament_type": ["PLA", "TPU"]}

    receipt, (cup, foot) = taken(
        package(
            files.model_xml(objects, items),
            {
                "Metadata/model_settings.config": config,
                "Metadata/project_settings.config": json.dumps(filaments),
                "Metadata/plate_1.gcode": b"G28",
            },
        )
    )

    assert [cup["written"], foot["written"]] == pytest.approx([1, 8], rel=1e-6)
    assert [(part["name"], part["color"], part["material"]) for part in (cup, foot)] == [
        ("Cup", "#00FF00", "PLA"),
        ("Foot", "#FFFFFF", "TPU"),
    ]
    assert [place["plate"] for place in cup["instances"]] == [1]
    assert [place["plate"] for place in foot["instances"]] == [1, 2]
    assert receipt["plates"] == [{"number": 1, "name": None}, {"number": 2, "name": "Rest"}]
    assert receipt["gcode"] == ["Metadata/plate_1.gcode"]
    assert {"what": "negative volume", "object": "Cup", "name": "hole"} in receipt["left_out"]


def test_unreadable_slicer_settings_are_reported(taken):
    receipt, _ = taken(
        package(files.model_xml(), {"Metadata/model_settings.config": "<config><object"})
    )

    assert receipt["left_out"] == [
        {"what": "settings that could not be read", "file": "Metadata/model_settings.config"}
    ]


def test_prusa_xml_with_several_root_elements_is_accepted(taken):
    """PrusaSlicer writes where the wipe towers are as one element after the other."""
    notes = '<?xml version="1.0"?>\n<wipe_tower position_x="180"/>\n<wipe_tower position_x="0"/>'
    pair = made_of(3, 'objectid="1"', 'objectid="1" transform="1 0 0 0 1 0 0 0 1 50 0 0"')
    model = files.model_xml(box(1) + pair, '<item objectid="3"/>')

    _, (part,) = taken(package(model, {"Metadata/Prusa_Slicer_wipe_tower_information.xml": notes}))

    assert part["written"] == pytest.approx(2)


def test_undeclared_prefix_in_prusa_settings_is_accepted(taken):
    """An emblem is told by an element of a prefix that the file of settings does not declare."""
    faces = [*files.HALVES, *(tuple(at + 8 for at in face) for face in files.HALVES)]
    vertices = [*files.CUBE, *(np.array(files.CUBE) + 100).tolist()]
    config = """<config><object id="1"><volume firstid="0" lastid="11"/>
        <volume firstid="12" lastid="23"><metadata key="volume_type" value="ParameterModifier"/>
        <slic3rpe:shape filepath="logo.svg"/></volume></object></config>"""
    model = files.model_xml(files.object_xml(vertices, faces))

    receipt, (part,) = taken(package(model, {"Metadata/Slic3r_PE_model.config": config}))

    assert part["written"] == pytest.approx(1000)
    assert [line["what"] for line in receipt["left_out"]] == ["modifier"]


def test_bambu_package_parts_without_a_build_element_are_read(taken):
    outer = files.model_xml(
        made_of(2, 'p:path="/3D/Objects/\u4e3b.model" objectid="1"'), '<item objectid="2"/>'
    ).replace("<model ", f'<model xmlns:p="{PRODUCTION}" requiredextensions="p" ')
    inner = files.model_xml(box(1, (2, 2, 2)), "").replace("<build></build>", "")
    relations = files.RELATIONS.replace("/3D/3dmodel.model", "/3D/Objects/\u4e3b.model")
    entries = {"3D/Objects/\u4e3b.model": inner, "3D/_rels/3dmodel.model.rels": relations}

    _, (part,) = taken(package(outer, entries))

    assert "<build" not in inner
    assert part["written"] == pytest.approx(8)


def test_project_of_many_plates_with_many_entries_is_read(taken):
    entries = {f"Metadata/plate_{n}.json": "{}" for n in range(500)}

    receipt, _ = taken(package(files.model_xml(), entries))

    assert receipt["left_out_counts"] == {"entry that is not understood": 500}


def test_presets_of_a_project_are_named_with_their_program(taken):
    program = '<metadata name="Application">PrusaSlicer-2.7.4</metadata>'
    model = files.model_xml(files.object_xml()).replace("<resources>", f"{program}<resources>")
    prusa = '; printer_settings_id = MINI\n; filament_settings_id = "PLA";"PETG"\n'
    bambu = '{"print_settings_id": "0.20mm", "filament_settings_id": ["PLA", 5], "x": 1}'

    first, _ = taken(package(model, {"Metadata/Slic3r_PE.config": prusa}))
    second, _ = taken(package(files.model_xml(), {"Metadata/project_settings.config": bambu}))
    none, _ = taken(package(model, {"Metadata/project_settings.config": "[]"}))

    program = "PrusaSlicer 2.7.4"
    names = {"printer": "MINI", "print": None, "filament": "PLA, PETG"}
    assert first["profiles"] == [{"program": program, **names}]
    names = {"printer": None, "print": "0.20mm", "filament": "PLA, 5"}
    assert second["profiles"] == [{"program": None, **names}]
    assert none["profiles"] == []
