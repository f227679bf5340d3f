"""Conversion of files that were made to do harm: a typed refusal, soon, within little memory."""

import base64
import json
import random
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from core.sandbox.sandbox import JobInputError, ResourceLimits, Sandbox
from geometry.formats.convert import convert
from input_errors import InputError
from tests.geometry.formats import model_files as files

JOB = "geometry.formats.convert:convert"
# Address space: the imports alone take 250 MB of it.
LIMITS = ResourceLimits(seconds=5.0, memory=768 * 1024**2)
HUGE = 4_000_000_000


@pytest.fixture(scope="module")
def sandbox():
    sandbox = Sandbox("geometry.formats.convert", "geometry.preload", limits=LIMITS)
    yield sandbox
    sandbox.close()


@pytest.fixture
def refused(sandbox, tmp_path):
    """The code that a file is refused with, by a child that may use little."""

    def run(content, source, **options):
        path = Path(files.save(tmp_path / "hostile", content))
        told = {"path": path, "out": tmp_path / "out.stl", "folder": tmp_path}
        with pytest.raises(JobInputError) as rejection:
            sandbox.run(JOB, source=source, **told, **options)
        assert not (tmp_path / "out.stl").exists()
        assert rejection.value.title.endswith(".")
        return rejection.value.code

    return run


@pytest.fixture
def opened():
    """The paths that this process opens during the test."""
    paths: list[str] = []
    listening = True

    def note(event, arguments):
        if listening and event == "open":
            paths.append(str(arguments[0]))

    sys.addaudithook(note)  # cannot be taken off again
    yield paths
    listening = False


def with_vertex(word):
    return files.obj().replace("v 0.0 0.0 0.0", f"v {word} 0.0 0.0")


def glb(document, binary=b""):
    text = document.encode() + b" " * (-len(document) % 4)
    chunks = struct.pack("<I", len(text)) + b"JSON" + text
    chunks += struct.pack("<I", len(binary)) + b"BIN\0" + binary
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def nested(depth, copies):
    """A 3MF whose objects each place the one before several times."""
    objects = [files.object_xml()]
    for number in range(2, depth + 2):
        part = f'<component objectid="{number - 1}"/>' * copies
        objects.append(
            f'<object id="{number}" type="model"><components>{part}</components></object>'
        )
    item = f'<item objectid="{depth + 1}"/>'
    return files.threemf(files.model_xml("".join(objects), item))


def test_zip_bomb_is_rejected_by_its_central_directory(refused):
    blanks = files.model_xml() + " " * 40_000_000

    assert refused(files.threemf(blanks), "3mf") == "archive-limit"


def test_understated_uncompressed_size_is_rejected(refused):
    packed = bytearray(files.archive({"cube.obj": files.obj() + " " * 20_000_000}))
    directory = packed.rfind(b"PK\1\2")
    packed[directory + 24 : directory + 28] = struct.pack("<I", 500_000)

    assert refused(bytes(packed), "zip") == "unreadable"


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE m SYSTEM "http://example.org/m.dtd">',
    ],
)
def test_xml_entities_in_a_3mf_are_rejected(refused, doctype):
    assert refused(files.threemf(files.model_xml(doctype=doctype)), "3mf") == "unreadable"


def test_nested_components_are_counted_and_rejected_without_expansion(refused):
    assert refused(nested(9, 10), "3mf") == "too-large"


def test_too_many_build_items_are_rejected(refused):
    items = '<item objectid="1"/>' * 10_001

    assert refused(files.threemf(files.model_xml(items=items)), "3mf") == "too-large"


def test_cyclic_or_too_deep_components_are_rejected(refused):
    circle = files.model_xml(
        '<object id="1" type="model"><components><component objectid="2"/></components></object>'
        '<object id="2" type="model"><components><component objectid="1"/></components></object>'
    )

    assert refused(files.threemf(circle), "3mf") == "unreadable"
    assert refused(nested(40, 1), "3mf") == "unreadable"


def test_out_of_range_vertex_index_is_rejected_in_every_format(refused):
    wild = [*files.HALVES[1:], (0, 1, HUGE)]
    binary = b"\0" * 108 + struct.pack("<3I", 0, 1, HUGE)
    document = json.loads(files.gltf())
    document["accessors"][1] = {**document["accessors"][1], "componentType": 5125, "count": 3}
    document["bufferViews"][1] = {"buffer": 0, "byteOffset": 108, "byteLength": 12}
    document["buffers"] = [{"byteLength": 120}]

    for format in ("obj", "ply", "off"):
        assert refused(getattr(files, format)(faces=wild), format) == "unreadable"
    xml = files.model_xml(files.object_xml(faces=wild))
    assert refused(files.threemf(xml), "3mf") == "unreadable"
    assert refused(glb(json.dumps(document), binary), "glb") == "unreadable"
    assert refused(files.obj().replace("f 1 ", "f -9 "), "obj") == "unreadable"
    assert refused(files.obj().replace("f 1 ", "f 0 "), "obj") == "unreadable"


def test_non_finite_coordinate_is_rejected_in_every_format(refused):
    odd = [(float("nan"), 0.0, 0.0), *files.CUBE[1:]]

    assert refused(with_vertex("nan"), "obj") == "not-finite"
    assert refused(with_vertex("1e999"), "obj") == "not-finite"
    assert refused(with_vertex("1.0.0"), "obj") == "unreadable"
    assert refused(files.ply(odd), "ply") == "not-finite"
    assert refused(files.off(odd), "off") == "not-finite"
    assert refused(files.threemf(files.model_xml(files.object_xml(odd))), "3mf") == "unreadable"


def test_coordinate_beyond_float32_is_rejected_for_stl_output(refused):
    assert refused(with_vertex("1e60"), "obj") == "not-finite"


def test_overstated_element_counts_are_rejected_before_allocation(refused):
    binary = files.ply(promised=HUGE).replace("ascii", "binary_little_endian")
    document = json.loads(files.gltf())
    document["accessors"][0]["count"] = HUGE
    document["buffers"] = [{"byteLength": 132}]

    assert refused(files.ply(promised=HUGE), "ply") == "truncated"
    assert refused(binary, "ply") == "truncated"
    assert refused(files.off().replace("8 6 0", f"8 {HUGE} 0"), "off") == "truncated"
    assert refused(files.off().replace("8 6 0", f"{HUGE} 6 0"), "off") == "truncated"
    assert refused(glb(json.dumps(document), bytes(132)), "glb") == "truncated"
    header = "ply\nformat ascii 1.0\nelement nothing 4000000000\nend_header\n"
    assert refused(header, "ply") == "unreadable"


def test_ply_list_with_a_huge_length_is_rejected(refused):
    text = files.ply().replace("uchar", "uint").replace("4 0 1 3 2", f"{HUGE} 0 1 3 2")
    binary = files.ply().split("end_header")[0].replace("ascii", "binary_big_endian")
    body = bytes(96) + struct.pack(">I", HUGE) + bytes(400)

    assert refused(text, "ply") == "unreadable"
    binary = binary.replace("uchar", "uint").encode() + b"end_header\n" + body
    assert refused(binary, "ply") == "unreadable"


def test_face_with_too_many_or_too_few_vertices_is_rejected(refused):
    face = "f " + " ".join(str(i % 8 + 1) for i in range(600_000))

    assert refused(files.obj() + "\n" + face, "obj") == "unreadable"
    assert refused(files.obj(faces=[(0, 1)]), "obj") == "nothing-solid"


@pytest.mark.parametrize(
    "uri",
    [
        "../../../../../../etc/passwd",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://127.0.0.1:9/cube.bin",
        "%2e%2e/%2e%2e/etc/passwd",
        "cube.bin",
    ],
)
def test_gltf_external_reference_is_rejected_without_opening_files(tmp_path, opened, uri):
    path = files.save(tmp_path / "cube.gltf", files.gltf(uri))
    (tmp_path / "cube.bin").write_bytes(bytes(132))  # beside it, but not of the upload
    opened.clear()

    with pytest.raises(InputError) as rejection:
        convert(path, str(tmp_path / "out.stl"), source="gltf")

    assert rejection.value.code == "external-reference"
    assert opened == [path]


def test_obj_material_library_is_not_opened(tmp_path, opened):
    path = files.save(tmp_path / "cube.obj", "mtllib ../../../../etc/passwd\n" + files.obj())
    convert(path, str(tmp_path / "out.stl"), source="obj")  # imports what comes late
    opened.clear()

    receipt = convert(path, str(tmp_path / "out.stl"), source="obj")

    assert receipt["lost"] == ["materials"]
    assert set(opened) == {path, str(tmp_path / "out.stl")}


def test_gltf_with_cyclic_or_shared_nodes_is_rejected(refused):
    circle = [{"mesh": 0, "children": [1]}, {"children": [0]}]
    twins = [{"children": [1, 1]}, {"mesh": 0}]

    assert refused(files.gltf("data:;base64,", nodes=circle), "gltf") != "crashed"
    for nodes in (circle, twins):
        document = json.loads(files.gltf(nodes=nodes))
        document["buffers"] = [{"byteLength": 132}]
        assert refused(glb(json.dumps(document), bytes(132)), "glb") == "unreadable"


def test_gltf_with_an_unknown_required_extension_is_rejected(refused):
    needs = ["KHR_materials_unlit", "KHR_draco_mesh_compression"]

    assert refused(files.gltf(extensionsRequired=needs), "gltf") == "unsupported-feature"


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": [{"mesh": -1}]},
        {"nodes": [{"mesh": True}]},
        {"nodes": "abc"},
        {"scenes": [{"nodes": [7]}]},
        {"asset": None},
        {"asset": {"version": "1.0"}},
        {"accessors": [{"bufferView": 0, "componentType": 5126, "count": -8, "type": "VEC3"}] * 2},
        {"bufferViews": [{"buffer": 0, "byteOffset": -96, "byteLength": 96}] * 2},
        {"buffers": [{"byteLength": "132"}]},
        {"buffers": [{"byteLength": 132, "uri": "data:;base64,AA*A"}]},
    ],
)
def test_malformed_gltf_structure_is_rejected(refused, changes):
    document = json.loads(files.gltf()) | {"buffers": [{"byteLength": 132}]} | changes

    assert refused(glb(json.dumps(document), bytes(132)), "glb") == "unreadable"


def test_deeply_nested_json_is_rejected(refused):
    assert refused("[" * 200_000, "gltf") == "unreadable"


@pytest.mark.parametrize(
    "name",
    ["../cube.obj", "/cube.obj", "a\\cube.obj", "C:cube.obj", "a/../../cube.obj", "inner.zip"],
)
def test_archive_with_an_unsafe_entry_name_is_rejected(refused, name):
    assert refused(files.archive({"cube.obj": files.obj(), name: "x"}), "zip") == "unsafe-archive"


def test_archive_with_links_duplicates_or_encryption_is_rejected(refused, tmp_path):
    link = zipfile.ZipInfo("cube.obj")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as file:
        file.writestr(link, "/etc/passwd")
    secret = bytearray(files.archive({"cube.obj": files.obj()}))
    secret[secret.rfind(b"PK\1\2") + 8] |= 1

    assert refused((tmp_path / "link.zip").read_bytes(), "zip") == "unsafe-archive"
    twins = files.archive({"cube.obj": files.obj(), "CUBE.obj": files.obj()})
    assert refused(twins, "zip") == "unsafe-archive"
    assert refused(bytes(secret), "zip") == "unsafe-archive"


def test_archive_with_overlapping_entries_is_rejected(refused):
    one = files.archive({"a.obj": files.obj()})
    start = one.find(b"PK\1\2")
    end = one.find(b"PK\5\6")
    entry = one[start:end]
    twice = one[:start] + entry + entry.replace(b"a.obj", b"b.obj")
    tail = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 2, 2, 2 * len(entry), start, 0)

    assert refused(twice + tail, "zip") == "unsafe-archive"


def test_archive_with_too_many_entries_or_no_models_is_rejected(refused):
    many = {f"{number}.txt": "" for number in range(201)}

    assert refused(files.archive(many), "zip") == "archive-limit"
    assert refused(files.archive({"read.me": "-"}), "zip") == "ambiguous-archive"
    two = files.archive({"a.obj": "", "b.obj": ""})
    assert refused(two, "zip", main="c.obj") == "ambiguous-archive"


@pytest.mark.parametrize("source", ["stl", "obj", "ply", "off", "gltf", "glb", "3mf", "zip"])
def test_random_truncated_and_empty_files_are_rejected(refused, source):
    noise = zlib.compress(b"rubbish" * 99) * 7

    codes = {refused(content, source) for content in (noise, b"", b"\0" * 1000, b"{}", b"\xff\xfe")}

    assert codes <= {"unreadable", "nothing-solid", "truncated", "not-stl", "no-triangles"}


@pytest.mark.parametrize("format", ["obj", "ply", "off"])
def test_file_without_faces_is_rejected(refused, format):
    assert refused(getattr(files, format)(faces=[]), format) == "nothing-solid"


def test_truncated_3mf_is_rejected_at_every_length(refused):
    whole = files.threemf(files.model_xml())

    codes = {refused(whole[:length], "3mf") for length in range(1, len(whole), 97)}

    assert codes == {"unreadable"}


def test_unknown_format_or_unit_is_rejected(refused):
    assert refused(files.obj(), "dxf") == "unsupported-format"
    assert refused(files.obj(), "obj", format="dxf") == "unsupported-format"
    assert refused(files.obj(), "obj", unit="furlong") == "unsupported-unit"


def test_file_above_the_facet_limit_is_rejected_in_time(refused):
    many = files.obj(faces=[]) + "\n" + "f 1 2 3\n" * 2_000_001

    assert refused(many, "obj") == "too-large"


@pytest.mark.parametrize("source", ["obj", "ply", "off", "gltf", "3mf", "zip"])
def test_randomly_damaged_file_is_converted_or_rejected_with_a_code(tmp_path, source):
    buffer = struct.pack("<24f", *sum(files.CUBE, ())) + bytes(sum(files.HALVES, ()))
    embedded = "data:;base64," + base64.b64encode(buffer).decode()
    whole = {
        "gltf": files.gltf(embedded).encode(),
        "3mf": files.threemf(files.model_xml()),
        "zip": files.archive({"cube.gltf": files.gltf(), "cube.bin": buffer}),
    }.get(source) or getattr(files, source)().encode()
    chance = random.Random(source)
    ends = set()

    for _ in range(150):
        damaged = bytearray(whole)
        start = chance.randrange(len(damaged))
        words = [b"-1", b"nan", b"4294967295", b"{}", b"\0", bytes([chance.randrange(256)]), b""]
        damaged[start : start + chance.randrange(6)] = chance.choice(words)
        path = files.save(tmp_path / "damaged", bytes(damaged))
        try:
            convert(path, str(tmp_path / "out.stl"), source=source)
            ends.add("converted")
        except InputError as rejection:
            ends.add(rejection.code)

    assert "unreadable" in ends
    assert "converted" in ends
