"""The files of a packing: read back, they hold the same pieces in the same places."""

import tracemalloc
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest

from geometry.formats.stl import read_triangles
from geometry.formats.threemf import objects as threemf_objects
from geometry.formats.threemf import writer as threemf_writer
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.compiled.placed_mesh import transformed
from geometry.packing.export import write_3mf, write_stl
from geometry.packing.request import PackItem, Volume, orientations
from geometry.packing.verification.certificate import certify, certify_file
from tests.geometry.shapes import box

L_SHAPE = np.concatenate([box((0, 0, 0), (30, 10, 5)), box((0, 10, 0), (8, 25, 12.5))])
ROOM = Volume(52, 40, 200)


@pytest.fixture
def pieces():
    free = orientations("free")
    return [
        PackItem("l & <shape>.stl", L_SHAPE * np.float32(0.9), 5, free),
        PackItem("cube.stl", box((-1, -1, -1), (11.1, 12.2, 13.3)), 4, free[:4]),
    ]


@pytest.fixture
def packing(pieces):
    return pack_boxes(pieces, ROOM, 1.0)


def solids(pieces, packing):
    return [transformed(pieces[p.piece].triangles, p.transform) for p in packing.placements]


def test_stl_contains_the_placements_in_order(tmp_path, pieces, packing):
    path = tmp_path / "packed.stl"

    write_stl(pieces, packing, path, "packed d=1 seed=0")

    assert (read_triangles(path) == np.concatenate(solids(pieces, packing))).all()
    assert path.read_bytes()[:80] == b"packed d=1 seed=0".ljust(80)
    assert certify_file(path, pieces, packing, ROOM, 1.0) == certify(pieces, packing, ROOM, 1.0)


def test_stl_header_is_truncated_to_80_bytes(tmp_path, pieces, packing):
    path = tmp_path / "packed.stl"

    write_stl(pieces, packing, path, "pack\u00e9" + "x" * 100)

    assert path.read_bytes()[:80] == b"pack?" + b"x" * 75
    assert len(read_triangles(path)) == 9 * 24 - 4 * 12


def test_3mf_contains_each_model_once_and_each_placement(tmp_path, pieces, packing):
    path = tmp_path / "packed.3mf"
    names = [f'{pieces[p.piece].name} "{p.copy}"\x01' for p in packing.placements]

    write_3mf(pieces, packing, path, names, {"Title": "A & B", "distance": "1.0"})

    with zipfile.ZipFile(path) as package:
        root = ElementTree.fromstring(package.read("3D/3dmodel.model"))
    core = {"": threemf_writer.CORE}
    placed = [item.get("partnumber") for item in root.iterfind("build/item", core)]
    assert placed == [name.replace("\x01", "\ufffd") for name in names]
    assert len(root.findall("resources/object/mesh", core)) == 2
    said = [(each.get("name"), each.text) for each in root.iterfind("metadata", core)]
    assert said == [("Title", "A & B"), ("packing:distance", "1.0")]


def test_3mf_and_stl_have_the_same_geometry(tmp_path, pieces, packing):
    path = tmp_path / "packed.3mf"
    write_3mf(pieces, packing, path, ["a part"] * 9, {})

    content = threemf_objects.read_merged(path, {})

    read = content.vertices[content.faces]
    written = np.concatenate(solids(pieces, packing))
    assert content.unit == "mm"
    assert np.abs(read - written).max() < 1e-4
    assert len({p.transform[:3, :3].tobytes() for p in packing.placements}) > 1


def test_3mf_export_is_deterministic(tmp_path, pieces, packing):
    for name in ("a", "b"):
        write_3mf(pieces, packing, tmp_path / name, ["a part"] * 9, {"Title": "t"})

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_degenerate_triangle_is_dropped_from_the_3mf_only(tmp_path):
    triangles = np.concatenate([box((0, 0, 0), (5, 5, 5)), np.full((1, 3, 3), 2, np.float32)])
    pieces = [PackItem("odd.stl", triangles, 1, orientations("as_is"))]
    packing = pack_boxes(pieces, ROOM, 1.0)

    write_3mf(pieces, packing, tmp_path / "odd.3mf", ["odd"], {})
    write_stl(pieces, packing, tmp_path / "odd.stl", "packed")

    assert len(threemf_objects.read_merged(tmp_path / "odd.3mf", {}).faces) == 12
    assert len(read_triangles(tmp_path / "odd.stl")) == 13


def test_failed_3mf_export_leaves_no_file(tmp_path, pieces, packing):
    with pytest.raises(ValueError):
        write_3mf(pieces, packing, tmp_path / "packed.3mf", ["too few"], {})

    assert list(tmp_path.iterdir()) == []


def test_files_are_streamed_within_20_mb(tmp_path):
    rows = np.random.default_rng(0).random((10_000, 3, 3)).astype(np.float32) * 10
    pieces = [PackItem("many.stl", rows, 40, orientations("as_is"))]
    packing = pack_boxes(pieces, ROOM, 1.0)

    tracemalloc.start()
    write_stl(pieces, packing, tmp_path / "packed.stl", "packed")
    write_3mf(pieces, packing, tmp_path / "packed.3mf", ["many"] * 40, {})
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (tmp_path / "packed.stl").stat().st_size == 84 + 50 * 40 * 10_000
    with zipfile.ZipFile(tmp_path / "packed.3mf") as package:
        assert package.testzip() is None
    assert most < 20e6
