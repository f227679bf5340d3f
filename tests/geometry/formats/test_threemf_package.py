"""Packages of 3MF as programs write them: relationships, extensions, odd elements, places."""

import numpy as np
import pytest

from tests.geometry.formats import model_files as files
from tests.geometry.formats.test_separate import PRODUCTION, box, made_of, package

NOWHERE = "http://example.com/need/2026"


def zipped(entries: dict[str, str | bytes]) -> bytes:
    return files.archive({"[Content_Types].xml": files.CONTENT_TYPES, **entries})


# Packages


@pytest.mark.parametrize(
    ("target", "entry"),
    [
        ("3D/3dmodel.model", "3D/3dmodel.model"),
        ("./3D/3dmodel.model", "3D/3dmodel.model"),
        ("/3d/3DModel.Model", "3D/3dmodel.model"),
        ("/3D/my%20model.model", "3D/my model.model"),
        ("/3D/my model.model", "3D/my%20model.model"),
        ("/3D/Geh%C3%A4use.model", "3D/Gehäuse.model"),
        ("/3D/Gehäuse.model", "3D/Geha\u0308use.model"),
        ("/odd/place.xml", "odd/place.xml"),
        ("/3D/absent.model", "3D/3dmodel.model"),
    ],
)
def test_model_part_is_found_by_its_relationship(taken, target, entry):
    relations = files.RELATIONS.replace("/3D/3dmodel.model", target)

    _, (part,) = taken(zipped({"_rels/.rels": relations, entry: files.model_xml()}))

    assert part["written"] == pytest.approx(1000)


def test_package_without_relationships_is_read(taken):
    _, (part,) = taken(zipped({"3D/3dmodel.model": files.model_xml()}))

    assert part["written"] == pytest.approx(1000)


@pytest.mark.parametrize("target", ["/Metadata/absent.png", "http://example.com/a.png", ""])
def test_missing_thumbnail_is_ignored(taken, target):
    kind = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"
    relations = files.RELATIONS.replace(
        "</Relationships>",
        f'<Relationship Target="{target}" Id="t" Type="{kind}"/></Relationships>',
    )

    receipt, (part,) = taken(
        zipped({"_rels/.rels": relations, "3D/3dmodel.model": files.model_xml()})
    )

    assert part["written"] == pytest.approx(1000)
    assert receipt["picture"] is None


@pytest.mark.parametrize("path", ["/3D/Objects/a.model", "3d/objects/A.model"])
def test_package_parts_without_a_relationship_are_read(taken, path):
    outer = files.model_xml(
        made_of(3, f'q:path="{path}" objectid="1"'), '<item objectid="3"/>'
    ).replace("<model ", f'<model xmlns:q="{PRODUCTION}" requiredextensions="q" ')

    _, (part,) = taken(package(outer, {"3D/Objects/a.model": files.model_xml()}))

    assert part["written"] == pytest.approx(1000)


def test_missing_package_part_is_named_in_the_error(rejection_of):
    outer = files.model_xml(
        made_of(3, 'p:path="/3D/b.model" objectid="1"'), '<item objectid="3"/>'
    ).replace("<model ", f'<model xmlns:p="{PRODUCTION}" ')

    assert (
        "the part '/3D/b.model', which is not in the file" in rejection_of(files.threemf(outer))[1]
    )


@pytest.mark.parametrize("folder", ["part/", "a/b c/"])
def test_package_within_a_folder_is_rejected_with_a_remedy(rejection_of, folder):
    whole = {"_rels/.rels": files.RELATIONS, "3D/3dmodel.model": files.model_xml()}

    _, title = rejection_of(files.archive({folder + name: text for name, text in whole.items()}))

    assert f"the package lies in the folder '{folder}'" in title
    assert "pack what is in that folder" in title


def test_package_of_freecad_with_a_content_type_twice_is_read(taken):
    """FreeCAD names the type of its pictures once for each, and relates each to the package."""
    picture = '<Default Extension="png" ContentType="image/png"/>'
    types = files.CONTENT_TYPES.replace("</Types>", 2 * picture + "</Types>")
    thumbnail = (
        '<Relationship Target="/Thumbnails/{}.png" Id="t{}" '
        'Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"/>'
    )
    pictures = thumbnail.format(1, 1) + thumbnail.format(2, 2) + "</Relationships>"
    entries = {
        "3D/3dmodel.model": files.model_xml().replace('type="model"', 'type="surface"'),
        "_rels/.rels": files.RELATIONS.replace("</Relationships>", pictures),
        "[Content_Types].xml": types,
        "Thumbnails/1.png": b"png",
        "Thumbnails/2.png": b"png",
    }

    _, (part,) = taken(files.archive(entries))

    assert part["volume"] == pytest.approx(1000)


def test_zip_without_a_model_and_non_zip_files_are_rejected(rejection_of):
    assert "holds no part '3D/3dmodel.model'" in rejection_of(files.archive({"a.stl": "solid"}))[1]
    assert "is not a zip archive" in rejection_of(b"rubbish\n")[1]


@pytest.mark.parametrize("numbers", [(1,), (2, 1, 12)])
def test_sliced_3mf_without_models_is_rejected_with_its_plate_numbers(rejection_of, numbers):
    entries = {f"Metadata/plate_{n}.gcode": "G28\n" for n in numbers}

    code, title = rejection_of(package(files.model_xml("", ""), entries))

    plates = ", ".join(map(str, sorted(numbers)))
    assert code == "nothing-solid"
    assert f"gcode of plate{'s' * (len(numbers) > 1)} {plates} and no models" in title
    assert "Upload the gcode" in title
    assert rejection_of(files.archive(entries))[1] == title


# Extensions


@pytest.mark.parametrize("uri", [NOWHERE, "http://schemas.3mf.io/3dmanufacturing/displacement/1"])
@pytest.mark.parametrize("inner", [False, True])
def test_unknown_required_extension_is_rejected_by_name(rejection_of, uri, inner):
    needs = files.model_xml().replace("<model ", f'<model xmlns:z="{uri}" requiredextensions="z" ')
    outer = files.model_xml(
        made_of(3, 'p:path="/3D/a.model" objectid="1"'), '<item objectid="3"/>'
    ).replace("<model ", f'<model xmlns:p="{PRODUCTION}" requiredextensions="p" ')
    content = package(outer, {"3D/a.model": needs}) if inner else files.threemf(needs)

    code, title = rejection_of(content)

    assert code == "unsupported-feature"
    assert uri in title


def test_undeclared_required_prefix_is_rejected(rejection_of):
    model = files.model_xml().replace("<model ", '<model requiredextensions="zz" ')

    assert rejection_of(files.threemf(model)) == (
        "unsupported-feature",
        "The file needs the extension zz, which is not supported. Export it without.",
    )


BOOLEAN = "http://schemas.3mf.io/3dmanufacturing/booleanoperations/2023/07"
CUT = '<object id="3" name="cut"><bo:booleanshape objectid="1"/></object>'


def boolean(*items: int) -> bytes:
    placed = "".join(f'<item objectid="{n}"/>' for n in items)
    model = files.model_xml(box(1, name="base") + CUT + made_of(4, 'objectid="3"'), placed)
    return files.threemf(model.replace("<model ", f'<model xmlns:bo="{BOOLEAN}" '))


def test_object_of_an_unknown_optional_extension_is_reported(taken):
    receipt, (part,) = taken(boolean(3, 1))

    assert part["name"] == "base"
    assert {
        "what": "object of an extension that is not understood",
        "object": "cut",
        "name": BOOLEAN,
    } in receipt["left_out"]


@pytest.mark.parametrize("item", [3, 4])
def test_file_with_only_unknown_extension_objects_is_rejected(rejection_of, item):
    code, title = rejection_of(boolean(item))

    assert code == "unsupported-feature"
    assert BOOLEAN in title


# Odd elements


def test_degenerate_triangles_are_dropped_and_counted(taken):
    flat = '<triangle v1="0" v2="0" v3="0"/><triangle v1="1" v2="2" v3="1"/></triangles>'

    receipt, (part,) = taken(files.threemf(files.model_xml().replace("</triangles>", flat)))

    assert (part["triangles"], part["volume"]) == (12, pytest.approx(1000))
    assert receipt["left_out"] == [{"what": "triangles without area", "name": "2 of object 1"}]


def test_object_of_degenerate_triangles_is_reported_as_left_out(taken):
    empty = files.object_xml(faces=[(0, 0, 0)]).replace('id="1"', 'id="2" name="Nothing"')
    items = '<item objectid="1"/><item objectid="2"/>'

    receipt, parts = taken(files.threemf(files.model_xml(files.object_xml() + empty, items)))

    assert len(parts) == 1
    assert {"what": "object without facets", "object": "Nothing"} in receipt["left_out"]


@pytest.mark.parametrize(
    "property", ['pid="9" pindex="4"', 'pid="8" pindex="0"', 'pid="9" pindex="x"']
)
def test_missing_material_is_reported(taken, property):
    group = '<basematerials id="9"><base name="A" displaycolor="#00FF00"/></basematerials>'

    receipt, (part,) = taken(
        files.threemf(files.model_xml(group + box(1, name="Lid", more=f" {property}")))
    )

    assert (part["color"], part["material"]) == (None, None)
    assert {"what": "material that is not understood", "object": "Lid"} in receipt["left_out"]


def test_invalid_colour_and_duplicate_material_group_are_tolerated(taken):
    odd = '<basematerials id="9"><base name="A" displaycolor="red"/></basematerials>'

    _, (part,) = taken(files.threemf(files.model_xml(odd + box(1, more=' pid="9" pindex="0"'))))
    _, (other,) = taken(
        files.threemf(files.model_xml(odd + odd + box(1, more=' pid="9" pindex="0"')))
    )

    assert (part["color"], part["material"]) == (None, "A")
    assert (other["color"], other["material"]) == (None, None)


def test_duplicate_uuid_is_tolerated(taken):
    objects = box(1, more=' p:UUID="1"') + box(2, more=' p:UUID="1"')
    model = files.model_xml(objects, '<item objectid="1"/><item objectid="2"/>')

    _, parts = taken(files.threemf(model.replace("<model ", f'<model xmlns:p="{PRODUCTION}" ')))

    assert len(parts) == 2


def test_unknown_object_types_and_items_without_object_are_reported(taken):
    objects = box(1, name="Lid") + box(2, name="Ghost", type="ghost")
    items = '<item objectid="1"/><item objectid="2"/><item objectid="77"/>'

    receipt, (part,) = taken(files.threemf(files.model_xml(objects, items)))

    assert part["name"] == "Lid"
    assert receipt["left_out"] == [
        {"what": "object of a type that is not known", "object": "Ghost"},
        {
            "what": "item whose object is not in the file",
            "name": "item 3 of the build in '3D/3dmodel.model'",
        },
    ]


# Places


@pytest.mark.parametrize(
    "transform", ["1 0 0 0 1 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 5 5 5", "1 1 0 1 1 0 0 0 1 0 0 0"]
)
def test_singular_transform_is_dropped_and_reported(taken, rejection_of, transform):
    placed = f'<item objectid="1" transform="{transform}"/>'
    whole = files.model_xml(box(1, (10, 10, 10), "Lid"), '<item objectid="1"/>' + placed)
    pieces = box(1, (10, 10, 10)) + made_of(
        2, 'objectid="1"', f'objectid="1" transform="{transform}"', name="Pair"
    )
    only = files.model_xml(box(1), placed)

    receipt, (part,) = taken(files.threemf(whole))
    inner, (pair,) = taken(files.threemf(files.model_xml(pieces, '<item objectid="2"/>')))

    assert part["volume"] == pytest.approx(1000)
    assert receipt["left_out"] == [{"what": "place that flattens its object", "object": "Lid"}]
    assert pair["volume"] == pytest.approx(1000)
    assert inner["left_out"] == [
        {
            "what": "place that flattens its object",
            "object": "Pair",
            "name": "component 2 of object 2 in '3D/3dmodel.model'",
        }
    ]
    assert rejection_of(files.threemf(only)) == (
        "nothing-solid",
        "The file places object 1 so that it has no volume. Export the model again.",
    )


def test_nested_mirror_transforms_keep_outward_normals(taken):
    mirror = "-1 0 0 0 1 0 0 0 1 0 0 0"
    objects = (
        box(1, (2, 3, 4))
        + made_of(2, f'objectid="1" transform="{mirror}"', name="Once")
        + made_of(3, f'objectid="2" transform="{mirror}"', name="Twice")
    )
    items = '<item objectid="2"/><item objectid="3"/>'

    _, parts = taken(files.threemf(files.model_xml(objects, items)))

    assert [part["written"] for part in parts] == pytest.approx([24, 24])


def test_large_package_is_read_completely(taken):
    """Of which expat reads none but what is around its rows."""
    side = 150
    grid = np.stack(np.meshgrid(range(side), range(side), indexing="ij"), axis=-1).reshape(-1, 2)
    vertices = [(x, y, (x * y) % 5) for x, y in grid.tolist()]
    starts = [x * side + y for x in range(side - 1) for y in range(side - 1)]
    faces = [f for n in starts for f in ((n, n + side, n + 1), (n + 1, n + side, n + side + 1))]

    _, (part,) = taken(files.threemf(files.model_xml(files.object_xml(vertices, faces))))

    assert part["triangles"] == 2 * (side - 1) ** 2
