"""Files taken apart: which objects, where, how often, and what is said of the rest."""

import io
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest

from geometry.formats.split import convert_as_asked, separate
from input_errors import InputError
from tests.geometry.formats import model_files as files

PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
INCH = 25.4
COLORS = '<basematerials id="9"><base name="PETG" displaycolor="#00FF00FF"/></basematerials>'


def box(identifier, size=(1.0, 1.0, 1.0), name="", type="model", more="") -> str:
    vertices = [tuple(np.multiply(corner, size) / 10) for corner in files.CUBE]
    named = f'name="{name}" ' if name else ""
    return files.object_xml(vertices).replace(
        '<object id="1" type="model">', f'<object id="{identifier}" {named}type="{type}"{more}>'
    )


def made_of(identifier, *components, name="") -> str:
    inner = "".join(f"<component {component}/>" for component in components)
    named = f' name="{name}"' if name else ""
    return (
        f'<object id="{identifier}"{named} type="model"><components>{inner}</components></object>'
    )


def package(model: str, entries: dict[str, str | bytes] | None = None) -> bytes:
    """A 3MF with further entries."""
    packed = io.BytesIO(files.threemf(model))
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (entries or {}).items():
            archive.writestr(name, content)
    return packed.getvalue()


def test_each_object_is_extracted_once_with_all_its_instances(taken):
    objects = box(1, (2, 3, 4), "Lid") + box(2, (1, 1, 5), "Pin")
    items = (
        '<item objectid="2"/><item objectid="1" transform="0 1 0 -1 0 0 0 0 1 5 6 7"/>'
        '<item objectid="2" transform="1 0 0 0 1 0 0 0 1 10 0 0"/>'
    )

    receipt, (pin, lid) = taken(files.threemf(files.model_xml(objects, items, unit="inch")))

    assert [pin["name"], lid["name"]] == ["Pin", "Lid"]
    assert [pin["object"], lid["object"]] == ["2", "1"]
    assert pin["written"] == pytest.approx(5 * INCH**3, rel=1e-6)
    assert lid["written"] == pytest.approx(24 * INCH**3, rel=1e-6)
    assert pin["unit"] == lid["unit"] == "inch"
    assert [place["transform"][0][3] for place in pin["instances"]] == [0, 10 * INCH]
    turned = lid["instances"][0]["transform"]
    assert np.allclose(turned, [[0, -1, 0, 5 * INCH], [1, 0, 0, 6 * INCH], [0, 0, 1, 7 * INCH]])
    assert (receipt["objects"], receipt["instances"]) == (2, 3)
    assert receipt["left_out"] == []


def test_scaled_or_mirrored_items_are_separate_objects(taken):
    items = (
        '<item objectid="1"/><item objectid="1" transform="2 0 0 0 1 0 0 0 1 0 0 0"/>'
        '<item objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/>'
        '<item objectid="1" transform="0 2 0 -1 0 0 0 0 1 9 9 9"/>'
    )

    _, parts = taken(files.threemf(files.model_xml(box(1, (1, 2, 3)), items)))

    assert [len(part["instances"]) for part in parts] == [1, 2, 1]
    assert [part["written"] for part in parts] == pytest.approx([6, 12, 6], rel=1e-6)


def test_components_in_other_package_parts_are_joined_into_one_object(taken):
    outer = files.model_xml(
        made_of(
            3,
            'p:path="/3D/Objects/a.model" objectid="1"',
            'p:path="/3D/Objects/a.model" objectid="1" transform="1 0 0 0 1 0 0 0 2 50 0 0"',
            name="Pair",
        ),
        '<item objectid="3"/>',
    ).replace("<model ", f'<model xmlns:p="{PRODUCTION}" requiredextensions="p" ')
    inner = files.model_xml(box(1, (2, 2, 2)), "")
    relations = files.RELATIONS.replace("/3D/3dmodel.model", "/3D/Objects/a.model")

    receipt, (pair,) = taken(
        package(outer, {"3D/Objects/a.model": inner, "3D/_rels/3dmodel.model.rels": relations})
    )

    assert pair["name"] == "Pair"
    assert pair["written"] == pytest.approx(8 + 16, rel=1e-6)
    assert receipt["joined"] == [{"object": "Pair", "pieces": 2}]


def test_unnamed_object_of_a_support_is_left_out(taken):
    objects = box(1, type="support") + box(2) + made_of(3, 'objectid="1"')
    items = '<item objectid="2"/><item objectid="3"/>'

    receipt, parts = taken(files.threemf(files.model_xml(objects, items)))

    assert [part["object"] for part in parts] == ["2"]
    assert "support" in {each["what"] for each in receipt["left_out"]}


def test_material_is_reported_and_supports_and_unplaced_are_left_out(taken):
    objects = (
        COLORS
        + box(1, more=' pid="9" pindex="0"')
        + box(2, name="Prop", type="support")
        + box(3, name="Spare")
    )

    receipt, (part,) = taken(
        files.threemf(files.model_xml(objects, '<item objectid="1"/><item objectid="2"/>'))
    )

    assert (part["color"], part["material"]) == ("#00FF00", "PETG")
    assert receipt["left_out"] == [
        {"what": "support", "object": "Prop"},
        {"what": "object that is placed nowhere", "object": "Spare"},
    ]


def test_archive_yields_all_its_models_and_reports_unreadable_files(taken):
    archive = files.archive(
        {
            "lid.obj": files.obj(),
            "deep/two.3mf": files.threemf(
                files.model_xml(
                    box(1) + box(2, (2, 2, 2)), '<item objectid="1"/><item objectid="2"/>'
                )
            ),
            "bad.ply": "ply\nnonsense",
            "readme.txt": "hello",
        }
    )

    receipt, parts = taken(archive, "zip")

    assert [part["file"] for part in parts] == ["lid.obj", "deep/two.3mf", "deep/two.3mf"]
    assert [part["written"] for part in parts] == pytest.approx([1000, 1, 8], rel=1e-6)
    left_out = {line["file"]: line["what"] for line in receipt["left_out"]}
    assert left_out == {
        "bad.ply": "file that cannot be read",
        "readme.txt": "entry that is no model",
    }
    _, (only,) = taken(archive, "zip", main="lid.obj")
    assert only["file"] == "lid.obj"


@pytest.mark.parametrize("seed", range(8))
def test_volumes_match_an_independent_xml_reader(taken, seed):
    """Random trees with random places, beside a reader of their XML that knows no library."""
    random = np.random.default_rng(seed)
    place = lambda: " ".join(map(str, random.normal(size=12).round(4)))  # noqa: E731
    objects = "".join(box(n, random.uniform(0.5, 5, 3).round(3)) for n in (1, 2, 3))
    for n in range(4, 9):
        below = random.integers(1, n, 2)
        objects += made_of(n, *(f'objectid="{k}" transform="{place()}"' for k in below))
    items = "".join(
        f'<item objectid="{random.integers(1, 9)}" transform="{place()}"/>' for _ in range(4)
    )
    model = files.model_xml(objects, items, unit="centimeter")

    _, parts = taken(files.threemf(model))

    got = sum(part["written"] * len(part["instances"]) for part in parts)
    assert got == pytest.approx(sum(xml_volumes(model)) * 1000, rel=1e-4)


def xml_volumes(model: str) -> list[float]:
    """The volume of each item of a build, in the file's unit: sums over all that it places."""
    root = ElementTree.fromstring(model)
    core = f"{{{files.CORE}}}"
    objects = {thing.get("id"): thing for thing in root.iter(f"{core}object")}

    def of(identifier: str) -> float:
        thing = objects[identifier]
        components = list(thing.iter(f"{core}component"))
        if components:
            return sum(of(c.get("objectid")) * scale(c) for c in components)
        vertices = np.array(
            [[float(v.get(axis)) for axis in "xyz"] for v in thing.iter(f"{core}vertex")]
        )
        faces = [
            [int(t.get(corner)) for corner in ("v1", "v2", "v3")]
            for t in thing.iter(f"{core}triangle")
        ]
        return files.volume(vertices[faces])

    def scale(placed: ElementTree.Element) -> float:
        numbers = [float(word) for word in placed.get("transform").split()]
        return abs(np.linalg.det(np.array(numbers).reshape(4, 3)[:3]))

    return [of(item.get("objectid")) * scale(item) for item in root.iter(f"{core}item")]


@pytest.mark.parametrize(
    ("code", "content"),
    [
        ("unreadable", files.threemf(files.model_xml(made_of(1, 'objectid="1"')))),
        ("nothing-solid", files.threemf(files.model_xml(items=""))),
        (
            "too-large",
            files.threemf(
                files.model_xml(
                    "".join(box(n) for n in range(1, 502)),
                    "".join(f'<item objectid="{n}"/>' for n in range(1, 502)),
                )
            ),
        ),
        (
            "too-large",  # 2^14 cubes: nobody multiplies them out
            files.threemf(
                files.model_xml(
                    box(1)
                    + "".join(
                        made_of(n, f'objectid="{n - 1}"', f'objectid="{n - 1}"')
                        for n in range(2, 16)
                    ),
                    '<item objectid="15"/>',
                )
            ),
        ),
    ],
)
def test_rejected_file_leaves_no_output(tmp_path, code, content):
    path, out = files.save(tmp_path / "source", content), tmp_path / "out"

    with pytest.raises(InputError) as refused:
        separate(path, str(out), source="3mf")

    assert refused.value.code == code
    assert not out.exists()


def test_splitting_into_a_format_other_than_stl_is_rejected(tmp_path):
    path, out = files.save(tmp_path / "source", files.obj()), tmp_path / "out"

    with pytest.raises(InputError) as refused:
        convert_as_asked(path, str(out), source="obj", parts="separate", format="ply")

    assert refused.value.code == "unsupported-format"
