"""Assembly of a STEP or IGES file: solids with name, colour and instances."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from OCP.collections import Sequence_TDF_Label
from OCP.IFSelect import IFSelect_ReturnStatus
from OCP.IGESCAFControl import IGESCAFControl_Reader
from OCP.Quantity import Quantity_Color
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Shape
from OCP.XCAFDoc import XCAFDoc_ColorTool, XCAFDoc_ColorType, XCAFDoc_DocumentTool
from OCP.XCAFDoc import XCAFDoc_ShapeTool as Shapes

from geometry.formats import cad
from geometry.formats.objects import MAX_PLACES, Notes, Part, Places, Taken
from geometry.formats.reader_checks import (
    ReadMesh,
    SiblingReader,
    check_facets,
    external_reference,
    unreadable,
)
from input_errors import InputError

SOLID, FACE = TopAbs_ShapeEnum.TopAbs_SOLID, TopAbs_ShapeEnum.TopAbs_FACE
LOOKS = (XCAFDoc_ColorType.XCAFDoc_ColorSurf, XCAFDoc_ColorType.XCAFDoc_ColorGen)
# What the kernel calls things without a name.
NAMELESS = ("", "SOLID", "SHELL", "FACE", "COMPOUND", "COMPSOLID", "ASSEMBLY")
# What a STEP holds beside its shapes: by the entities of ISO 10303-21 that tell it.
BESIDE = {
    "dimensions and tolerances": (b"DIMENSIONAL_SIZE", b"_TOLERANCE(", b"DATUM_FEATURE("),
    "annotations": (b"DRAUGHTING_CALLOUT", b"ANNOTATION_", b"TESSELLATED_ANNOTATION"),
    "materials": (b"MATERIAL_DESIGNATION(", b"'material name'", b"MATERIAL_PROPERTY("),
    "curves": (b"GEOMETRIC_CURVE_SET(", b"GEOMETRIC_SET("),
    "layers": (b"PRESENTATION_LAYER_ASSIGNMENT(",),
}
MAX_DEPTH = 100  # of assemblies in assemblies
MAX_STEPS = 10 * MAX_PLACES  # assemblies of assemblies place more than the file has bytes


class _Solid(NamedTuple):
    """What is printed: a solid, or all surfaces of something without solids."""

    shape: TopoDS_Shape  # without its place
    name: str | None
    color: str | None


def read_step(path: Path, beside: SiblingReader) -> Taken:
    """Raises InputError: unreadable, nothing-solid, too-large, external-reference."""
    missing = cad.absent_references(path, beside)
    taken = _read(STEPCAFControl_Reader(), "step", path)
    if missing and not taken.parts:
        raise external_reference(missing[0])
    for name in missing:
        taken.notes.leave_out(cad.ABSENT_FILE, name=name)
    text = path.read_bytes()
    for what, keywords in BESIDE.items():
        if any(keyword in text for keyword in keywords):
            taken.notes.leave_out(what)
    return taken


def read_iges(path: Path, beside: SiblingReader) -> Taken:
    """Raises InputError: unreadable, nothing-solid, too-large."""
    return _read(IGESCAFControl_Reader(), "iges", path)


def _read(reader: STEPCAFControl_Reader | IGESCAFControl_Reader, format: str, path: Path) -> Taken:
    if reader.ReadFile(str(path)) != IFSelect_ReturnStatus.IFSelect_RetDone:
        raise unreadable(format, "the CAD kernel does not understand it")
    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    if not reader.Transfer(document):
        raise InputError("nothing-solid", "The file holds no shape. Export the solid itself.")
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    return _Assembly(tool).taken()


class _Assembly:
    def __init__(self, tool: Shapes):
        self._tool = tool
        self._notes = Notes.empty()
        self._bodies: list[_Solid] = []
        self._places = Places()
        self._steps = 0

    def taken(self) -> Taken:
        for label in _listed(self._tool.GetFreeShapes):
            self._walk(label, TopLoc_Location(), None, 0)
        parts, facets = [], 0
        for number, stretch, instances in self._places.parts():
            body = self._bodies[number]
            content = cad.content_of(body.shape)
            if content is None:
                self._notes.leave_out("object without surfaces", object=body.name)
                continue
            for what in sorted(content.lost - {cad.CURVED}):
                self._notes.leave_out(what, object=body.name)
            facets += len(content.faces)
            check_facets(facets)
            parts.append(Part(None, body.name, _stretched(content, stretch), instances, body.color))
        return Taken(parts, self._notes)

    def _walk(
        self, label: TDF_Label, above: TopLoc_Location, within: str | None, depth: int
    ) -> None:
        """Of a shape, an assembly or a reference to one: what it holds, where it is.

        within : the name of what it is in, which is that of a piece without one
        """
        self._steps += 1
        if self._steps > MAX_STEPS or depth > MAX_DEPTH:
            title = "The file's assemblies hold too many others, or too deep. Send its parts."
            raise InputError("too-large", title, {"limit": MAX_STEPS, "depth": MAX_DEPTH})
        if Shapes.IsReference_s(label):
            above = above.Multiplied(Shapes.GetLocation_s(label))
            meant = TDF_Label()
            Shapes.GetReferredShape_s(label, meant)
            self._walk(meant, above, within, depth + 1)
        elif Shapes.IsAssembly_s(label):
            for component in _listed(lambda found: Shapes.GetComponents_s(label, found)):
                self._walk(component, above, _name(label) or within, depth + 1)
        else:
            self._take(label, above, _name(label) or within)

    def _take(self, label: TDF_Label, above: TopLoc_Location, name: str | None) -> None:
        """A product: its solids, or where it has none its surfaces as one."""
        shape = Shapes.GetShape_s(label)
        solids = list(cad.explored(shape, SOLID))
        loose = TopExp_Explorer(shape, FACE, SOLID).More()
        if solids and loose:
            self._notes.leave_out("surfaces beside solids", object=name)
        for number, solid in enumerate(solids or [shape] * loose, start=1):
            called = f"{name} {number}" if name and len(solids) > 1 else name
            body = self._body(label, solid.Located(TopLoc_Location()), called)
            self._place(body, above.Multiplied(solid.Location()))

    def _body(self, label: TDF_Label, bare: TopoDS_Shape, name: str | None) -> int:
        """The number of a solid of a product; a new one where no other place has the same."""
        for known, body in enumerate(self._bodies):
            if body.shape.IsPartner(bare) and body.shape.Orientation() == bare.Orientation():
                return known
        color, faces = _color(label), False
        for piece in _listed(lambda found: Shapes.GetSubShapes_s(label, found)):
            if Shapes.GetShape_s(piece).IsPartner(bare):  # the file tells of it by itself
                name, color = _name(piece) or name, _color(piece) or color
            elif Shapes.GetShape_s(piece).ShapeType() == FACE and _color(piece):
                faces = True
        if faces:
            self._notes.leave_out("colours of single faces", object=name)
        self._bodies.append(_Solid(bare, name, color))
        return len(self._bodies) - 1

    def _place(self, body: int, where: TopLoc_Location) -> None:
        move = where.Transformation()
        rows = [[move.Value(row, column) for column in range(1, 5)] for row in range(1, 4)]
        self._places.add(body, np.array(rows))


def _listed(fill: Callable[[Sequence_TDF_Label], object]) -> list[TDF_Label]:
    found = Sequence_TDF_Label()
    fill(found)
    return [found.Value(number) for number in range(1, found.Length() + 1)]


def _name(label: TDF_Label) -> str | None:
    if not label.IsAttribute(TDataStd_Name.GetID_s()):
        return None  # to look for it would end the process
    name = TDataStd_Name()
    label.FindAttribute(TDataStd_Name.GetID_s(), name)
    text = name.Get().ToExtString().strip()[:255]
    return None if text in NAMELESS else text


def _color(label: TDF_Label) -> str | None:
    """#RRGGBB"""
    color = Quantity_Color()
    if not any(XCAFDoc_ColorTool.GetColor_s(label, look, color) for look in LOOKS):
        return None
    return Quantity_Color.ColorToHex_s(color).ToCString()


def _stretched(content: ReadMesh, stretch: NDArray[np.float64]) -> ReadMesh:
    """Of a shape that is placed in another size, or mirrored."""
    if np.allclose(stretch, np.eye(3)):
        return content
    turned = np.linalg.det(stretch) < 0
    return content._replace(
        vertices=content.vertices @ stretch.T,
        faces=content.faces[:, ::-1] if turned else content.faces,
        exact_volume=content.exact_volume and content.exact_volume * abs(np.linalg.det(stretch)),
    )
