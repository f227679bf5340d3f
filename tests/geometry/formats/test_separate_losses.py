"""Files taken apart: nothing is lost in silence, whatever the format."""

import json

from tests.geometry.formats import model_files as files
from tests.geometry.formats.test_separate import box, package
from tests.geometry.formats.test_separate_meshes import scene

SLICER = "http://schemas.slic3r.org/3mf/2017/06"


def left_out(receipt) -> set[str]:
    return {line["what"] for line in receipt["left_out"]}


def threemf(inner: str = "", **attributes: str) -> str:
    """A cube whose root element has these namespaces, with `inner` before its resources."""
    more = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in attributes.items())
    return (
        files.model_xml()
        .replace("<model ", f"<model{more} ")
        .replace("<resources>", f"{inner}<resources>")
    )


def test_unknown_extension_is_reported_only_when_used(taken):
    unused = threemf(far="urn:far")
    used = threemf(far="urn:far", near="urn:near").replace("<mesh>", "<far:more/><mesh>")

    assert taken(files.threemf(unused))[0]["left_out"] == []
    assert taken(files.threemf(used))[0]["left_out"] == [
        {"what": "extension that is not understood", "name": "urn:far"}
    ]


def test_painted_supports_colours_and_seams_are_reported(taken):
    prusa = threemf(slic3rpe=SLICER).replace(
        "<triangle ", '<triangle slic3rpe:custom_supports="4" slic3rpe:mmu_segmentation="8" ', 1
    )
    bambu = threemf(BambuStudio="http://schemas.bambulab.com/package/2021").replace(
        "<triangle ", '<triangle paint_color="4" paint_seam="8" ', 1
    )

    assert left_out(taken(files.threemf(prusa))[0]) == {"painted supports", "painted colours"}
    assert left_out(taken(files.threemf(bambu))[0]) == {"painted colours", "painted seams"}


def test_facet_properties_and_metadata_are_reported(taken):
    materials = (
        '<basematerials id="9"><base name="A" displaycolor="#00FF00"/>'
        '<base name="B" displaycolor="#0000FF"/></basematerials>'
    )
    model = files.model_xml(materials + box(1, more=' pid="9" pindex="0"')).replace(
        "<triangle ", '<triangle pid="9" p1="1" ', 1
    )
    said = '<metadata name="Title">Cup</metadata><metadata name="Designer"></metadata>'

    receipt, (part,) = taken(files.threemf(model.replace("<resources>", f"{said}<resources>")))

    assert part["material"] == "A"
    assert receipt["left_out"] == [
        {"what": "colours or materials of single facets"},
        {"what": "metadata", "name": "Title"},
    ]


def test_gltf_content_other_than_meshes_is_reported(taken):
    document = json.loads(scene([{"mesh": 0}]))
    document |= {
        "extensionsUsed": ["KHR_lights_punctual", "EXT_mesh_gpu_instancing"],
        "animations": [{}], "skins": [{}], "cameras": [{}], "textures": [{}],
        "scenes": [*document.get("scenes", [{"nodes": [0]}]), {"nodes": []}],
        "scene": 0,
    }  # fmt: skip
    document["meshes"].append({**document["meshes"][0], "name": "Spare"})

    receipt, _ = taken(json.dumps(document), "gltf")

    assert left_out(receipt) == {
        *("animations", "skins", "cameras", "textures", "lights", "other scenes"),
        *("extension EXT_mesh_gpu_instancing", "object that is placed nowhere"),
    }


def test_obj_content_other_than_faces_is_reported(taken):
    receipt, _ = taken(
        "mtllib a.mtl\n" + files.obj() + "\ns 1\nvn 0 0 1\nl 1 2\np 1\ncurv 0 1 1 2\nwibble 3\n",
        "obj",
    )

    assert left_out(receipt) == {
        *("materials", "normals", "lines", "points", "curves", "lines that are not understood"),
    }


def test_ply_properties_and_elements_other_than_the_mesh_are_reported(taken):
    cube = files.ply().replace(
        "property float z\n",
        "property float z\nproperty uchar red\nproperty float ny\nproperty float quality\n",
    )
    head, end, body = cube.partition("end_header\n")
    lines = body.splitlines()
    lines = [f"{line} 1 2 3" if n < len(files.CUBE) else line for n, line in enumerate(lines)]
    head += "element edge 1\nproperty int vertex1\n"
    text = "\n".join([head + end.rstrip(), *lines, "0"]) + "\n"

    receipt, _ = taken(text, "ply")

    assert left_out(receipt) == {
        *("colours", "normals", "other properties: quality", "other elements: edge"),
    }


def test_left_out_items_are_all_counted_and_the_list_is_capped(taken):
    objects = "".join(box(n, name=f"Prop {n}", type="support") for n in range(2, 132))
    items = "".join(f'<item objectid="{n}"/>' for n in range(1, 132))
    model = files.model_xml(box(1) + objects, items)

    receipt, _ = taken(package(model, {"odd.bin": b"?"}))

    assert receipt["left_out_counts"] == {"entry that is not understood": 1, "support": 130}
    assert len(receipt["left_out"]) == 100
    assert receipt["unlisted"] == [{"list": "left_out", "what": "support", "count": 31}]


def test_receipt_size_is_bounded(taken):
    names = {f"{n}-{'x' * 9000}.png": b"png" for n in range(20)}

    receipt, _ = taken(package(files.model_xml(), names))

    assert len(json.dumps(receipt)) < 100_000
    assert receipt["unlisted"][-1]["list"] == "thumbnails"
    assert len(receipt["thumbnails"]) + receipt["unlisted"][-1]["count"] == 20


def test_zip_reports_its_gcode_and_entries_that_are_not_models(taken):
    packed = files.archive({"cube.obj": files.obj(), "cube.gcode": "G28", "read.me": "hello"})

    receipt, _ = taken(packed, "zip")

    assert receipt["gcode"] == ["cube.gcode"]
    assert receipt["left_out"] == [{"what": "entry that is no model", "file": "read.me"}]
