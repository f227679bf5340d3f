"""Conversion: every format to every other, units, archives, polygons."""

import base64
import io
import locale
import zipfile

import numpy as np
import pytest
import trimesh

from geometry.analysis import analyse
from geometry.formats.convert import convert, formats
from geometry.formats.stl import read_triangles, write_binary
from geometry.sample_part import bracket
from input_errors import InputError
from tests.geometry.formats import model_files as files

INCH, FOOT = 25.4, 304.8
BUFFER = np.array(files.CUBE, "<f4").tobytes() + np.array(files.HALVES, "u1").tobytes()
EMBEDDED = "data:application/octet-stream;base64," + base64.b64encode(BUFFER).decode()


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    path = tmp_path_factory.mktemp("part") / "bracket.stl"
    write_binary(bracket(), path)
    return str(path)


@pytest.fixture
def converted(tmp_path):
    """Converts what it is given to STL; the receipt and the verdict on the result."""

    def run(content, source, **options):
        path = files.save(tmp_path / "source", content)
        out = str(tmp_path / "result.stl")
        receipt = convert(path, out, source=source, **options)
        return receipt, analyse(out)

    return run


@pytest.mark.parametrize("format", [name for name in formats() if name not in ("step", "iges")])
def test_part_survives_a_round_trip_through_every_format(part, tmp_path, format):
    away, back = str(tmp_path / f"away.{format}"), str(tmp_path / "back.stl")

    there = convert(part, away, source="stl", format=format)
    convert(away, back, source=format)

    assert there["precision"]["size"] <= 1e-6
    assert there["precision"]["volume"] <= 1e-6
    original, returned = analyse(part), analyse(back)
    assert returned.manifold
    assert returned.triangles == original.triangles
    assert returned.size == pytest.approx(original.size, rel=1e-6)
    assert returned.volume == pytest.approx(original.volume, rel=1e-6)


def test_writing_3mf_keeps_the_process_locale(part, tmp_path):
    before = locale.getencoding()

    convert(part, str(tmp_path / "part.3mf"), source="stl", format="3mf")

    assert locale.getencoding() == before


@pytest.mark.parametrize("format", ["obj", "ply", "off", "glb", "gltf", "stl"])
def test_converted_file_is_read_by_trimesh(part, tmp_path, format):
    out = str(tmp_path / f"part.{format}")

    receipt = convert(part, out, source="stl", format=format)

    read = trimesh.load_mesh(out)
    scale = 1000.0 if receipt["unit"]["result"] == "m" else 1.0
    assert read.is_watertight
    assert read.is_winding_consistent
    assert abs(read.volume) * scale**3 == pytest.approx(receipt["volume"], rel=1e-5)
    order = [0, 2, 1] if scale > 1.0 else [0, 1, 2]  # in glTF y is up
    assert (read.extents * scale)[order] == pytest.approx(receipt["size"], rel=1e-5)


def test_receipt_reports_figures_and_dropped_content(converted):
    coloured = files.obj().replace("v 0.0 0.0 0.0", "v 0.0 0.0 0.0 1 0 0") + "\nvt 0 0\nl 1 2"

    receipt, verdict = converted("mtllib cube.mtl\n" + coloured, "obj")

    assert receipt == {
        "source": "obj",
        "format": "stl",
        "file": None,
        "unit": {"source": "mm", "declared": False, "result": "mm"},
        "triangles": 12,
        "vertices": 8,
        "size": [10.0, 10.0, 10.0],
        "volume": pytest.approx(1000.0),
        "manifold": True,
        "exact_volume": None,
        "volume_error": None,
        "lost": ["colours", "lines", "materials", "texture coordinates"],
        "precision": {"size": 0.0, "volume": 0.0},
    }
    assert verdict.manifold


def test_open_surface_stays_open_without_a_volume(converted):
    receipt, verdict = converted(files.obj(faces=files.SQUARES[1:]), "obj")

    assert (receipt["manifold"], receipt["volume"]) == (False, None)
    assert (verdict.triangles, verdict.open_edges) == (10, 4)


def test_precision_loss_of_a_32_bit_format_is_reported(tmp_path):
    far = [(x / 1e3, y / 1e3, z / 1e3 + 4e3) for x, y, z in files.CUBE]
    path = files.save(tmp_path / "far.obj", files.obj(far))

    stl = convert(path, str(tmp_path / "far.stl"), source="obj")
    ply = convert(path, str(tmp_path / "far.ply"), source="obj", format="ply")

    assert stl["precision"]["volume"] > 1e-4
    assert ply["precision"] == {"size": 0.0, "volume": 0.0}


@pytest.mark.parametrize("format", ["obj", "ply", "off"])
@pytest.mark.parametrize(
    ("unit", "millimetres"),
    [("micron", 1e-3), ("mm", 1), ("cm", 10), ("m", 1e3), ("inch", INCH), ("foot", FOOT)],
)
def test_file_without_unit_uses_the_given_unit(converted, format, unit, millimetres):
    receipt, verdict = converted(getattr(files, format)(), format, unit=unit)

    assert receipt["unit"] == {"source": unit, "declared": False, "result": "mm"}
    assert verdict.size == pytest.approx((10 * millimetres,) * 3)


@pytest.mark.parametrize(
    ("unit", "millimetres"),
    [
        ("micron", 1e-3),
        ("millimeter", 1),
        ("centimeter", 10),
        ("meter", 1e3),
        ("inch", INCH),
        ("foot", FOOT),
    ],
)
def test_declared_unit_of_a_3mf_overrides_the_given_unit(converted, unit, millimetres):
    receipt, verdict = converted(files.threemf(files.model_xml(unit=unit)), "3mf", unit="cm")

    assert receipt["unit"]["declared"] is True
    assert verdict.size == pytest.approx((10 * millimetres,) * 3)
    assert verdict.volume == pytest.approx(1000 * millimetres**3)


def test_gltf_is_read_in_metres_with_y_up(converted):
    node = {"mesh": 0, "scale": [1, 2, 3], "translation": [0, 1, 0]}

    receipt, verdict = converted(files.gltf(EMBEDDED, nodes=[node]), "gltf")

    assert receipt["unit"] == {"source": "m", "declared": True, "result": "mm"}
    assert verdict.bounds == ((0.0, -30000.0, 1000.0), (10000.0, 0.0, 21000.0))
    assert verdict.inverted is False


def test_mirrored_node_or_item_keeps_outward_normals(converted):
    mirrored = '<item objectid="1" transform="-1 0 0 0 1 0 0 0 1 5 0 0"/>'

    _, gltf = converted(files.gltf(EMBEDDED, nodes=[{"mesh": 0, "scale": [-1, 1, 1]}]), "gltf")
    _, threemf = converted(files.threemf(files.model_xml(items=mirrored)), "3mf")

    assert (gltf.inverted, threemf.inverted) == (False, False)
    assert threemf.bounds == ((-5.0, 0.0, 0.0), (5.0, 10.0, 10.0))


def test_components_of_a_3mf_are_placed_by_their_transforms(converted):
    pair = (
        '<object id="2" type="model"><components><component objectid="1"/>'
        '<component objectid="1" transform="1 0 0 0 1 0 0 0 1 20 0 0"/></components></object>'
    )
    item = '<item objectid="2" transform="0 1 0 -1 0 0 0 0 1 0 0 3"/>'

    _, verdict = converted(
        files.threemf(files.model_xml(objects=files.object_xml() + pair, items=item)), "3mf"
    )

    assert verdict.triangles == 24
    assert verdict.bounds == ((-10.0, 0.0, 3.0), (0.0, 30.0, 13.0))


def test_concave_polygon_is_triangulated_correctly(converted):
    # An L of six corners, 3 of area, drawn from the corner that sees least; 1 high.
    outline = [(2, 0), (2, 1), (1, 1), (1, 2), (0, 2), (0, 0)]
    vertices = [(x, y, z) for z in (0, 1) for x, y in outline]
    sides = [(i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6) for i in range(6)]
    faces = [tuple(range(5, -1, -1)), tuple(range(6, 12)), *sides]

    receipt, verdict = converted(files.obj(vertices, faces), "obj")

    assert (receipt["triangles"], receipt["volume"]) == (20, pytest.approx(3.0))
    assert verdict.manifold
    assert verdict.surface_area == pytest.approx(3 + 3 + 8)


def test_obj_negative_indices_and_line_continuations_are_read(converted):
    faces = [[index - 8 for index in face] for face in files.SQUARES]
    lines = files.obj(faces=[]) + "\n"
    lines += "\n".join(f"f {a}/1/1 {b}//2 {c} \\\n {d}/7 # side" for a, b, c, d in faces)

    receipt, _ = converted(lines, "obj")

    assert (receipt["manifold"], receipt["volume"]) == (True, pytest.approx(1000.0))


@pytest.mark.parametrize("order", ["<", ">"])
def test_binary_ply_of_mixed_polygons_is_read_in_both_byte_orders(converted, order):
    name = "binary_little_endian" if order == "<" else "binary_big_endian"
    header = files.ply(faces=files.SQUARES[:5] + files.HALVES[-2:]).split("end_header")[0]
    body = np.array(files.CUBE, order + "f4").tobytes()
    for face in files.SQUARES[:5] + files.HALVES[-2:]:
        body += bytes([len(face)]) + np.array(face, order + "i4").tobytes()

    receipt, _ = converted(header.replace("ascii", name).encode() + b"end_header\n" + body, "ply")

    assert (receipt["manifold"], receipt["volume"]) == (True, pytest.approx(1000.0))


def test_gltf_reads_its_buffer_from_the_archive(converted):
    packed = files.archive({"part/cube.gltf": files.gltf("cube.bin"), "part/cube.bin": BUFFER})

    receipt, _ = converted(packed, "zip")

    assert (receipt["source"], receipt["file"]) == ("gltf", "part/cube.gltf")
    assert receipt["manifold"]


def test_archive_of_several_models_requires_a_main_file(converted):
    larger = [(x * 2, y, z) for x, y, z in files.CUBE]
    packed = files.archive({"a.obj": files.obj(), "b.off": files.off(larger), "read.me": "-"})

    receipt, _ = converted(packed, "zip", main="b.off")
    with pytest.raises(InputError) as rejection:
        converted(packed, "zip")

    assert receipt["size"] == [20.0, 10.0, 10.0]
    assert rejection.value.code == "ambiguous-archive"
    assert rejection.value.details == {"models": ["a.obj", "b.off"]}


def test_archive_entry_is_not_extracted_under_its_own_name(tmp_path, converted):
    stl = io.BytesIO()
    with zipfile.ZipFile(stl, "w") as file:
        write_binary(bracket(), tmp_path / "x")
        file.writestr("deep/er/part.stl", (tmp_path / "x").read_bytes())

    receipt, _ = converted(stl.getvalue(), "zip")

    assert receipt["triangles"] == len(read_triangles(tmp_path / "x"))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["result.stl", "source", "x"]
