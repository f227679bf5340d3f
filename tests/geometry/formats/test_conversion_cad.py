"""Conversion of STEP and IGES, where the CAD kernel is installed."""

import pytest

from geometry.analysis import analyse
from geometry.formats.convert import convert, formats
from geometry.formats.stl import write_binary
from input_errors import InputError
from tests.geometry.shapes import ball, box

pytestmark = pytest.mark.skipif("step" not in formats(), reason="make cad installs the kernel")


@pytest.mark.parametrize("format", ["step", "iges"])
def test_faceted_body_survives_a_round_trip_through_step_and_iges(tmp_path, format):
    write_binary(box((1, 2, 3), (11, 22, 33)), tmp_path / "box.stl")
    away, back = str(tmp_path / f"box.{format}"), str(tmp_path / "back.stl")

    there = convert(str(tmp_path / "box.stl"), away, source="stl", format=format)
    receipt = convert(away, back, source={"step": "stp", "iges": "igs"}[format])

    assert there["precision"] == {"size": pytest.approx(0, abs=1e-9), "volume": 0.0}
    assert receipt["exact_volume"] == pytest.approx(6000)
    assert receipt["volume_error"] < 1e-9
    verdict = analyse(back)
    assert (verdict.manifold, verdict.inverted) == (True, False)
    assert verdict.bounds == ((1.0, 2.0, 3.0), (11.0, 22.0, 33.0))


def test_curved_step_solid_in_inches_is_converted_to_millimetres(tmp_path):
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder
    from OCP.Interface import Interface_Static
    from OCP.STEPControl import STEPControl_StepModelType, STEPControl_Writer

    writer = STEPControl_Writer()
    Interface_Static.SetCVal_s("write.step.unit", "INCH")
    shape = BRepPrimAPI_MakeCylinder(25.4, 50.8).Shape()  # mm: the file says 1 and 2
    writer.Transfer(shape, STEPControl_StepModelType.STEPControl_AsIs)
    writer.Write(str(tmp_path / "rod.step"))
    Interface_Static.SetCVal_s("write.step.unit", "MM")

    receipt = convert(str(tmp_path / "rod.step"), str(tmp_path / "rod.stl"), source="step")

    assert "INCH" in (tmp_path / "rod.step").read_text()
    assert receipt["size"] == pytest.approx([50.8, 50.8, 50.8], rel=1e-3)
    assert receipt["exact_volume"] == pytest.approx(3.14159265 * 25.4**2 * 50.8, rel=1e-6)
    assert receipt["volume_error"] < 2e-3
    assert receipt["manifold"]


@pytest.mark.parametrize("source", ["step", "iges"])
@pytest.mark.parametrize(
    "content", [b"rubbish", b"\x89PNG\r\n\x1a\n" + bytes(500), b"ISO-10303-21;"]
)
def test_unreadable_step_or_iges_is_rejected(tmp_path, source, content):
    (tmp_path / "bad").write_bytes(content)

    with pytest.raises(InputError) as refused:
        convert(str(tmp_path / "bad"), str(tmp_path / "out.stl"), source=source)

    assert refused.value.code in ("unreadable", "nothing-solid")


def test_step_export_with_too_many_facets_is_rejected(tmp_path):
    write_binary(ball(75), tmp_path / "ball.stl")

    with pytest.raises(InputError) as refused:
        convert(str(tmp_path / "ball.stl"), str(tmp_path / "out.step"), source="stl", format="step")

    assert refused.value.code == "too-many-facets-for-step"
    assert not (tmp_path / "out.step").exists()
