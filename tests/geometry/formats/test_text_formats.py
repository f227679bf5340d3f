"""Text formats and archives as programs write them: encodings, line ends, padding, names."""

import io
import json
import struct
import unicodedata
import zipfile
import zlib

import numpy as np
import pytest

from geometry.formats.convert import convert
from geometry.formats.split import separate
from geometry.formats.stl import read_triangles
from geometry.mesh import InvalidMesh
from input_errors import InputError
from tests.geometry.formats import model_files as files
from tests.geometry.formats.test_separate_meshes import scene

FORMS = {
    "mark of UTF-8": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16 with mark": lambda text: text.encode("utf-16"),
    "UTF-16, big, with mark": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 without mark": lambda text: text.encode("utf-16-le"),
    "UTF-16, big, without mark": lambda text: text.encode("utf-16-be"),
    "DOS": lambda text: text.replace("\n", "\r\n").encode() + b"\x1a",
    "old Mac": lambda text: text.replace("\n", "\r").encode(),
    "zeros behind": lambda text: text.encode() + b"\n" + bytes(100),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("format", ["obj", "ply", "off"])
def test_text_formats_are_read_in_every_encoding_and_line_end(taken, format, form):
    _, (part,) = taken(FORMS[form](getattr(files, format)()), format)

    assert part["written"] == pytest.approx(1000)


@pytest.mark.parametrize("form", FORMS)
def test_gltf_is_read_in_every_encoding_and_padding(taken, form):
    _, (part,) = taken(FORMS[form](scene([{"mesh": 0}])), "gltf")

    assert part["volume"] == pytest.approx(1000 * 1000**3)


@pytest.mark.parametrize("format", ["obj", "ply", "off"])
def test_faces_with_fewer_than_three_vertices_are_dropped_and_reported(taken, format):
    faces = [files.SQUARES[0], (0, 1), *files.SQUARES[1:], (3,), (2, 2, 5)]

    receipt, (part,) = taken(getattr(files, format)(faces=faces), format)

    assert part["volume"] == pytest.approx(1000)
    assert [line["what"] for line in receipt["left_out"]] == [
        "faces of fewer than three corners: 2, 8, 9"
    ]


def test_degenerate_obj_faces_do_not_affect_its_objects(taken):
    both = "o A\n" + files.obj() + "\nf 1 2\no B\n"
    second = files.obj([(x + 50, y, z) for x, y, z in files.CUBE])
    both += "\n".join(
        "f " + " ".join(str(int(n) + 8) for n in line[2:].split()) if line[0] == "f" else line
        for line in second.splitlines()
    )

    _, parts = taken(both + "\nf 9 9 10\nl 1 2\np 1\n", "obj")

    assert [(part["name"], part["volume"]) for part in parts] == [
        ("A", pytest.approx(1000)),
        ("B", pytest.approx(1000)),
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("v 0.0 0.0 10.0", "v 0,0 0.0 10.0"), "vertex 2 has '0,0' where a number belongs; write"),
        (("v 0.0 0.0 10.0", "v 0.0 0.0"), "vertex 2 has fewer than three coordinates"),
        (("f 5 7 8 6", "f 5 x 8 6"), "face 2 has 'x' where a number belongs"),
    ],
)
def test_obj_syntax_error_states_the_token_and_its_element(rejection_of, wrong, said):
    assert said in rejection_of(files.obj().replace(*wrong), "obj")[1]


def test_gltf_node_with_zero_scale_is_dropped_and_reported(taken):
    flat = {"mesh": 0, "name": "Flat", "scale": [1, 0, 1]}

    receipt, parts = taken(scene([{"mesh": 0, "name": "Whole"}, flat]), "gltf")

    assert len(parts) == 1
    assert len(parts[0]["instances"]) == 1
    assert {"what": "place that flattens its object", "object": "Flat"} in receipt["left_out"]


# Archives


def entries(receipt_parts) -> list[tuple[str, str]]:
    return [(part["file"], part["name"]) for part in receipt_parts]


def test_archive_models_are_named_after_their_files(taken):
    two = "o A\n" + files.obj() + "\ng B\n"
    packed = files.archive(
        {
            "Halter links.obj": files.obj(),
            "sub/Ünïcode 🚀.ply": files.ply(),
            "own.obj": two,
            "__MACOSX/._Halter links.obj": "x",
            "sub/__MACOSX/x.obj": "x",
            "sub/._own.obj": "x",
            "Thumbs.db": "x",
            ".DS_Store": "x",
        }
    )

    receipt, parts = taken(packed, "zip")

    assert entries(parts) == [
        ("Halter links.obj", "Halter links"),
        ("sub/Ünïcode 🚀.ply", "Ünïcode 🚀"),
        ("own.obj", "A"),
    ]
    assert receipt["left_out"] == []


def test_archive_files_of_equal_names_have_distinct_names(taken):
    names = ("left/Bracket.obj", "right/bracket.obj", "Lid.obj", "Lid.ply", "__MACOSX/Pin.obj")
    packed = files.archive(
        {name: files.ply() if name.endswith("ply") else files.obj() for name in names}
        | {"Pin.obj": files.obj()}
    )

    _, parts = taken(packed, "zip")

    assert [part["name"] for part in parts] == [
        *("left/Bracket", "right/bracket", "Lid.obj", "Lid.ply", "Pin")
    ]


def test_unnamed_objects_of_an_archive_file_are_numbered(taken):
    objects = files.object_xml() + files.object_xml().replace('id="1"', 'id="2"')
    items = '<item objectid="1"/><item objectid="2"/>'
    packed = files.archive({"Box.3mf": files.threemf(files.model_xml(objects, items))})

    _, parts = taken(packed, "zip")

    assert [part["name"] for part in parts] == ["Box 1", "Box 2"]


def packed_as(raw: bytes, extra: bytes = b"") -> bytes:
    """An archive whose only entry has this name, without the mark of UTF-8."""
    info = zipfile.ZipInfo("x" * len(raw))
    info.extra = extra
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr(info, files.obj())
    return archive.getvalue().replace(b"x" * len(raw), raw)


@pytest.mark.parametrize(
    "raw",
    [
        "Gehäuse.obj".encode(),
        unicodedata.normalize("NFD", "Gehäuse.obj").encode(),
        "Gehäuse.obj".encode("cp437"),
    ],
)
def test_entry_names_are_decoded_in_their_encoding(taken, raw):
    _, parts = taken(packed_as(raw), "zip")

    assert entries(parts) == [("Gehäuse.obj", "Gehäuse")]


def test_unicode_path_extra_field_overrides_the_entry_name(taken):
    raw = b"Geh\x84use_.obj"
    name = "Gehäuse Ω.obj".encode()
    field = struct.pack("<BI", 1, zlib.crc32(raw)) + name
    other = struct.pack("<HH", 0x9999, 2) + b"ab"

    _, parts = taken(packed_as(raw, other + struct.pack("<HH", 0x7075, len(field)) + field), "zip")

    assert entries(parts) == [("Gehäuse Ω.obj", "Gehäuse Ω")]


def test_object_names_are_normalized_to_nfc(taken):
    name = unicodedata.normalize("NFD", "Gehäuse")

    _, (part,) = taken(f"o {name}\n" + files.obj(), "obj")
    document = json.loads(scene([{"mesh": 0, "name": name}]))
    _, (node,) = taken(json.dumps(document), "gltf")

    assert [part["name"], node["name"]] == ["Gehäuse", "Gehäuse"]


# What an STL is not


@pytest.mark.parametrize(
    ("content", "name", "advice"),
    [
        (b'<?xml version="1.0"?><amf unit="inch">', "an AMF model", "export the model as 3MF"),
        (b"\xef\xbb\xbf<?xml?>\n<!-- x -->\n<amf>", "an AMF model", "export the model as 3MF"),
        (files.archive({"part.amf": "<amf/>"}), "a packed AMF model", "as 3MF or STL"),
        (files.archive({"3d/a.model": ""}), "a 3MF package", "type '3mf'"),
        (files.model_xml().encode(), "the model part of a 3MF package", "whole package"),
        (b"G28\nG1 X10 E1\n", "gcode", "upload it as gcode"),
        (b"; generated by PrusaSlicer\n;\n", "gcode", "upload it as gcode"),
        (b";FLAVOR:Marlin\r\nM104 S200\r\n", "gcode", "upload it as gcode"),
        (b"N1 G21*20\n", "gcode", "upload it as gcode"),
        (b"GCDE\x01\0\0\0" + bytes(100), "binary gcode", "upload it as gcode"),
        (b"<?xml?><COLLADA version='1.4'>", "a COLLADA model", "as STL"),
        (b"Kaydara FBX Binary  \0", "an FBX model", "as STL"),
        (b"  0\r\nSECTION\r\n", "a DXF drawing", "as STL"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS", "git lfs pull"),
        ("solid x\n".encode("utf-16-le"), "text in UTF-16", "Save it in UTF-8"),
        ("solid x\n".encode("utf-32-le"), "text in UTF-32", "Save it in UTF-8"),
        (b"\xef\xbb\xbfISO-10303-21;\n", "a STEP model", "type 'step'"),
        (b"<!-- x --><html>", "a web page", "as STL"),
    ],
)
def test_file_that_is_not_stl_is_identified_with_a_remedy(tmp_path, content, name, advice):
    (tmp_path / "part.stl").write_bytes(content)

    with pytest.raises(InvalidMesh) as rejection:
        read_triangles(tmp_path / "part.stl")

    assert rejection.value.code == "not-stl"
    assert f"looks like {name}. " in str(rejection.value)
    assert advice in str(rejection.value)


@pytest.mark.parametrize(
    ("source", "content", "sentence"),
    [
        ("obj", b'<?xml version="1.0"?><amf unit="inch">', "an AMF model. AMF is not read"),
        ("3mf", b'<?xml version="1.0"?><amf unit="inch">', "an AMF model. AMF is not read"),
        ("ply", files.archive({"part.amf": "<amf/>"}), "a packed AMF model. AMF is not read"),
        ("off", files.obj(), "an OBJ model. Create it as a model of type 'obj'"),
        ("obj", files.ply(), "a PLY model. Create it as a model of type 'ply'"),
        ("obj", b"solid x\nfacet normal 0 0 1\n", "an STL; upload it as type 'stl'"),
        ("gltf", b"<!doctype html><p>", "a web page. Export the model as STL"),
        ("obj", files.obj().encode("utf-32"), "text in UTF-32. Save it in UTF-8"),
        ("off", files.off().encode("utf-32-be"), "text in UTF-32. Save it in UTF-8"),
    ],
)
@pytest.mark.parametrize("read", [convert, separate])
def test_file_of_another_type_is_named(tmp_path, read, source, content, sentence):
    path = files.save(tmp_path / "part", content)

    with pytest.raises(InputError) as rejected:
        read(path, str(tmp_path / "out"), source=source)

    assert rejected.value.code == "unreadable"
    assert f"{source.upper()}: it looks like {sentence}" in rejected.value.title


@pytest.mark.parametrize("form", ["mark of UTF-8", "DOS", "old Mac", "zeros behind"])
def test_ascii_stl_is_read_with_every_line_end_and_padding(tmp_path, form):
    corners = np.array(files.CUBE)[np.array(files.HALVES)]
    text = "solid x\n"
    for triangle in corners.tolist():
        text += "facet normal 0 0 0\nouter loop\n"
        text += "".join(f"vertex {x} {y} {z}\n" for x, y, z in triangle)
        text += "endloop\nendfacet\n"
    (tmp_path / "part.stl").write_bytes(FORMS[form](text + "endsolid x\n"))

    assert files.volume(read_triangles(tmp_path / "part.stl")) == pytest.approx(1000)
