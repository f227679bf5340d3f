"""The solids of a STEP, where the CAD kernel is installed."""

import math

import numpy as np
import pytest

from geometry.formats.convert import convert, formats
from geometry.formats.split import separate
from input_errors import InputError
from tests.geometry.formats import model_files as files
from tests.geometry.formats.step_files import chamfer

pytestmark = pytest.mark.skipif("step" not in formats(), reason="make cad installs the kernel")

QUARTER = math.pi / 2


EXTERNAL = "file that is referred to and not part of the upload"


@pytest.fixture
def assembly(tmp_path) -> bytes:
    """Two rods, red, one of them turned; and a product of a box and a ball."""
    from OCP.BRep import BRep_Builder
    from OCP.BRepPrimAPI import (
        BRepPrimAPI_MakeBox,
        BRepPrimAPI_MakeCylinder,
        BRepPrimAPI_MakeSphere,
    )
    from OCP.Quantity import Quantity_Color, Quantity_TOC_sRGB
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopoDS import TopoDS_Compound
    from OCP.XCAFDoc import XCAFDoc_ColorSurf, XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    colors = XCAFDoc_DocumentTool.ColorTool_s(document.Main())

    def named(label, name):
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        return label

    both, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(both)
    builder.Add(both, BRepPrimAPI_MakeBox(1, 2, 3).Shape())
    builder.Add(both, BRepPrimAPI_MakeSphere(4).Shape().Located(_at(30)))
    rod = shapes.AddShape(BRepPrimAPI_MakeCylinder(5, 20).Shape(), makeAssembly=False)
    red = Quantity_Color(1, 0, 0, Quantity_TOC_sRGB)
    colors.SetColor(named(rod, "Rod"), red, XCAFDoc_ColorSurf)
    pair = named(shapes.AddShape(both, makeAssembly=False), "Pair")
    whole = named(shapes.NewShape(), "Whole")
    shapes.AddComponent(whole, rod, _at(10))
    shapes.AddComponent(whole, rod, _at(40, QUARTER))
    shapes.AddComponent(whole, pair, _at(0))
    shapes.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.Transfer(document)
    writer.Write(str(tmp_path / "assembly.step"))
    return (tmp_path / "assembly.step").read_bytes()


def _at(x: float, angle: float = 0.0):
    from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
    from OCP.TopLoc import TopLoc_Location

    move = gp_Trsf()
    move.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), angle)
    move.SetTranslationPart(gp_Vec(x, 0, 0))
    return TopLoc_Location(move)


def test_each_step_solid_is_extracted_with_its_instances(taken, assembly):
    receipt, (rod, box, ball) = taken(assembly, "step")

    assert [part["name"] for part in (rod, box, ball)] == ["Rod", "Pair 1", "Pair 2"]
    assert [part["color"] for part in (rod, box, ball)] == ["#FF0000", None, None]
    assert rod["exact_volume"] == pytest.approx(math.pi * 25 * 20)
    assert rod["written"] == pytest.approx(math.pi * 25 * 20, rel=1e-3)
    assert box["written"] == pytest.approx(6)
    assert ball["written"] == pytest.approx(4 / 3 * math.pi * 64, rel=1e-3)
    first, second = (np.array(place["transform"]) for place in rod["instances"])
    assert np.allclose(first, [[1, 0, 0, 10], [0, 1, 0, 0], [0, 0, 1, 0]])
    assert np.allclose(second, [[0, -1, 0, 40], [1, 0, 0, 0], [0, 0, 1, 0]], atol=1e-9)
    assert (receipt["objects"], receipt["instances"]) == (3, 4)
    assert receipt["left_out"] == []


def test_step_tolerances_and_materials_are_reported_as_left_out(taken, assembly):
    beside = b"DATA;\n/* FLATNESS_TOLERANCE('',$,#1) MATERIAL_DESIGNATION('') */"

    receipt, _ = taken(assembly.replace(b"DATA;", beside, 1), "step")

    assert receipt["left_out"] == [{"what": "dimensions and tolerances"}, {"what": "materials"}]


def test_solid_whose_face_fails_at_a_fine_angle_is_closed(taken):
    content, volume = chamfer()

    receipt, (pin,) = taken(content, "step")

    assert (pin["name"], receipt["left_out"]) == ("Pin", [])
    assert pin["exact_volume"] == pytest.approx(volume, rel=1e-6)
    assert pin["volume"] == pytest.approx(volume, rel=5e-3)


def test_converted_solid_whose_face_fails_at_a_fine_angle_is_closed(tmp_path):
    content, volume = chamfer()

    receipt = convert(files.save(tmp_path / "pin", content), str(tmp_path / "out"), source="step")

    assert receipt["manifold"]
    assert receipt["volume"] == pytest.approx(volume, rel=5e-3)


def test_faces_that_cannot_be_meshed_are_counted(taken, tmp_path, monkeypatch):
    from geometry.formats import cad

    monkeypatch.setattr(cad, "RETRIES", ((1, 0.1),))
    content, _ = chamfer()

    receipt, (pin,) = taken(content, "step")
    merged = convert(str(tmp_path / "source"), str(tmp_path / "out"), source="step")

    lost = "faces that the CAD kernel cannot mesh: 1"
    assert receipt["left_out"] == [{"what": lost, "object": "Pin"}]
    assert lost in merged["lost"]
    assert pin["volume"] is None


@pytest.fixture
def assembly_of_files(tmp_path) -> dict[str, bytes]:
    """An assembly of two boxes, each in a file of its own, as programs export a set."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.STEPControl import STEPControl_StepModelType
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    robot = shapes.NewShape()
    for name, width in (("foot", 1), ("head", 4)):
        part = shapes.AddShape(BRepPrimAPI_MakeBox(width, 2, 3).Shape(), makeAssembly=False)
        TDataStd_Name.Set_s(part, TCollection_ExtendedString(name))
        shapes.AddComponent(robot, part, _at(10 * width))
    shapes.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.Transfer(document, STEPControl_StepModelType.STEPControl_AsIs, "robot_")
    folder = tmp_path / "set"
    folder.mkdir()
    writer.Write(str(folder / "robot.stp"))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("read", [separate, convert])
def test_assembly_whose_files_are_absent_is_rejected_by_their_name(
    tmp_path, assembly_of_files, read
):
    source = files.save(tmp_path / "source", assembly_of_files["robot.stp"])

    with pytest.raises(InputError) as rejected:
        read(source, str(tmp_path / "out"), source="step")

    assert rejected.value.code == "external-reference"
    assert "'robot_foot.stp', which is not part of the upload" in rejected.value.title


def test_absent_file_of_an_assembly_in_a_zip_is_named(taken, assembly_of_files):
    del assembly_of_files["robot_head.stp"]

    receipt, (foot,) = taken(files.archive(assembly_of_files), "zip")

    assert foot["written"] == pytest.approx(6)
    (refused,) = receipt["left_out"]
    assert refused["file"] == "robot.stp"
    assert "'robot_head.stp', which is not part of the upload" in refused["why"]


def test_absent_file_beside_own_solids_is_named(taken, assembly):
    reference = b"DATA;\n/* APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT('motor.STEP',#1) */"

    receipt, parts = taken(assembly.replace(b"DATA;", reference, 1), "step")

    assert len(parts) == 3
    assert receipt["left_out"] == [{"what": EXTERNAL, "name": "motor.STEP"}]
