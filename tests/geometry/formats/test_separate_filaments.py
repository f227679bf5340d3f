"""Helper meshes of Cura, and objects whose pieces are of several filaments."""

import json

import numpy as np
import pytest

from tests.geometry.formats import model_files as files
from tests.geometry.formats.test_separate import box, made_of, package

CURA = "http://software.ultimaker.com/xml/cura/3mf/2015/10"
FILAMENTS = {
    "filament_colour": ["#FF0000FF", "#00FF00FF", "#ff0000ff"],
    "filament_type": ["PLA", "PETG", "PLA"],
}


def cura_object(identifier, name, *, old=False, prefix="cura", **settings: str) -> str:
    """An object with settings as Cura writes them: since 4.0, or before."""
    if old:
        words = "".join(
            f'<setting name="{key}">{value}</setting>' for key, value in settings.items()
        )
        words = f'<settings xmlns="{CURA}">{words}</settings>'
    else:
        words = "".join(
            f'<metadata name="{prefix}:{key}" type="xs:string" preserve="true">{value}</metadata>'
            for key, value in settings.items()
        )
        words = f"<metadatagroup>{words}</metadatagroup>"
    return box(identifier, (10, 10, 10), name).replace("<mesh>", f"{words}<mesh>")


def cura_project(objects: str, items: str, prefix="cura") -> bytes:
    model = files.model_xml(objects, items)
    return files.threemf(model.replace("<model ", f'<model xmlns:{prefix}="{CURA}" '))


@pytest.mark.parametrize("form", [{}, {"old": True}, {"prefix": "c"}])
@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ("anti_overhang_mesh", "support blocker"),
        ("support_mesh", "support"),
        ("infill_mesh", "modifier"),
        ("cutting_mesh", "modifier"),
    ],
)
def test_cura_helper_meshes_are_reported_as_left_out(taken, setting, what, form):
    objects = cura_object(1, "part.stl", **form, drop_to_buildplate="True", **{setting: "False"})
    objects += cura_object(2, "Eraser", **form, **{setting: "True"})
    items = '<item objectid="1"/><item objectid="2"/>'

    receipt, (part,) = taken(cura_project(objects, items, form.get("prefix", "cura")))

    assert (part["name"], part["volume"]) == ("part.stl", pytest.approx(1000))
    assert receipt["left_out"] == [{"what": what, "object": "Eraser"}]


def test_cura_helper_mesh_within_a_group_or_mesh_is_left_out(taken):
    part, eraser = box(1, (10, 10, 10)), cura_object(2, "Eraser", anti_overhang_mesh="True")
    group = made_of(3, 'objectid="1"', 'objectid="2"', name="Group")
    below = cura_object(4, "Both", extruder_nr="0").replace(
        "</mesh>", '</mesh><components><component objectid="2"/></components>'
    )
    items = '<item objectid="3"/><item objectid="4"/>'

    receipt, parts = taken(cura_project(part + eraser + group + below, items))

    assert [(each["name"], each["written"]) for each in parts] == [
        ("Group", pytest.approx(1000)),
        ("Both", pytest.approx(1000)),
    ]
    assert receipt["left_out"] == [
        {"what": "support blocker", "object": name, "name": "Eraser"} for name in ("Group", "Both")
    ]


def test_cura_object_settings_are_reported(taken):
    objects = cura_object(1, "part.stl", infill_sparse_density="35", extruder_nr="0")

    receipt, _ = taken(cura_project(objects, '<item objectid="1"/>'))

    assert receipt["settings"] == [
        {"object": "part.stl", "settings": {"infill_sparse_density": "35"}}
    ]


def bambu_project(*extruders: tuple[str, int | None], own: int | None = 1) -> bytes:
    """An object of cubes beside one another: (subtype, extruder) of each."""
    objects = "".join(box(n, (10, 10, 10)) for n in range(1, len(extruders) + 1))
    places = [f'objectid="{n}" transform="1 0 0 0 1 0 0 0 1 {20 * n} 0 0"'
              for n in range(1, len(extruders) + 1)]  # fmt: skip
    objects += made_of(9, *places)
    settings = "" if own is None else f'<metadata key="extruder" value="{own}"/>'
    parts = ""
    for number, (kind, extruder) in enumerate(extruders, 1):
        inner = "" if extruder is None else f'<metadata key="extruder" value="{extruder}"/>'
        parts += f'<part id="{number}" subtype="{kind}">{inner}</part>'
    name = '<metadata key="name" value="Two"/>'
    config = f'<config><object id="9">{name}{settings}{parts}</object></config>'
    return package(
        files.model_xml(objects, '<item objectid="9"/>'),
        {
            "Metadata/model_settings.config": config,
            "Metadata/project_settings.config": json.dumps(FILAMENTS),
        },
    )


@pytest.mark.parametrize(
    ("extruders", "names"),
    [
        ([("normal_part", 1), ("normal_part", 2)], "#FF0000FF PLA, #00FF00FF PETG"),
        ([("normal_part", None), ("normal_part", 2)], "#FF0000FF PLA, #00FF00FF PETG"),
        ([("normal_part", 2), ("normal_part", 9)], "#00FF00FF PETG, extruder 9"),
        (
            [("normal_part", 2), ("normal_part", 1), ("normal_part", 2)],
            "#00FF00FF PETG, #FF0000FF PLA",
        ),
    ],
)
def test_bambu_object_of_several_filaments_reports_all_of_them(taken, extruders, names):
    receipt, (part,) = taken(bambu_project(*extruders))

    assert (part["color"], part["material"]) == (None, None)
    assert receipt["left_out"] == [{"what": "several filaments", "object": "Two", "name": names}]


@pytest.mark.parametrize(
    "extruders",
    [
        [("normal_part", 1), ("normal_part", 1)],
        [("normal_part", 1), ("normal_part", 3)],  # the same colour and material
        [("normal_part", 1), ("modifier_part", 2)],
        [("normal_part", None), ("negative_part", 2)],
    ],
)
def test_object_of_one_filament_has_its_colour_and_material(taken, extruders):
    receipt, (part,) = taken(bambu_project(*extruders))

    assert (part["color"], part["material"]) == ("#FF0000FF", "PLA")
    assert "several filaments" not in receipt["left_out_counts"]


def test_prusa_object_of_several_filaments_reports_all_of_them(taken):
    vertices = np.concatenate([np.array(files.CUBE), np.array(files.CUBE) + 100]).tolist()
    faces = [tuple(at + 8 * n for at in face) for n in range(2) for face in files.HALVES]
    config = """<config><object id="1"><metadata type="object" key="name" value="Sign"/>
        <metadata type="object" key="extruder" value="1"/>
        <volume firstid="0" lastid="11"><metadata key="extruder" value="0"/></volume>
        <volume firstid="12" lastid="23"><metadata key="extruder" value="2"/></volume>
        </object></config>"""
    settings = "; filament_colour = #112233;#AABBCC\n; filament_type = PLA;PETG\n"

    receipt, (part,) = taken(
        package(
            files.model_xml(files.object_xml(vertices, faces)),
            {"Metadata/Slic3r_PE_model.config": config, "Metadata/Slic3r_PE.config": settings},
        )
    )

    assert (part["color"], part["material"]) == (None, None)
    assert receipt["left_out"] == [
        {"what": "several filaments", "object": "Sign", "name": "#112233 PLA, #AABBCC PETG"}
    ]


def test_standard_object_of_several_materials_reports_all_of_them(taken):
    group = (
        '<basematerials id="9"><base name="PLA" displaycolor="#FF0000"/>'
        '<base name="PETG" displaycolor="#00FF00"/></basematerials>'
    )
    objects = (
        group
        + box(1, more=' pid="9" pindex="0"')
        + box(2, more=' pid="9" pindex="1"')
        + made_of(3, 'objectid="1"', 'objectid="2"', name="Pair")
        + made_of(4, 'objectid="1"', 'objectid="1"', name="Twins")
    )

    receipt, (pair, twins) = taken(
        files.threemf(files.model_xml(objects, '<item objectid="3"/><item objectid="4"/>'))
    )

    assert (pair["color"], twins["color"]) == (None, "#FF0000")
    assert {
        "what": "several colours or materials",
        "object": "Pair",
        "name": "#FF0000 PLA, #00FF00 PETG",
    } in receipt["left_out"]
