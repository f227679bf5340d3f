"""STEP and IGES import (Open CASCADE, optional: `make cad`)."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_MakeEdge,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakeSolid,
    BRepBuilderAPI_MakeVertex,
    BRepBuilderAPI_MakeWire,
)
from OCP.BRepGProp import BRepGProp
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.gp import gp_Pnt
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_ReturnStatus
from OCP.IGESControl import IGESControl_Reader, IGESControl_Writer
from OCP.STEPControl import STEPControl_Reader, STEPControl_StepModelType, STEPControl_Writer
from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Shape, TopoDS_Shell

from geometry.formats.objects import label
from geometry.formats.reader_checks import (
    MAX_FACETS,
    ReadMesh,
    SiblingReader,
    check_facets,
    external_reference,
    unreadable,
)
from geometry.mesh import Mesh, signed_volume
from input_errors import InputError

MAX_FACETS_WRITTEN = 20_000  # written: 84,000 take 30 s and 3 GB
DEFLECTION = 1e-4  # of the diagonal
MIN_DEFLECTION, MAX_DEFLECTION = 0.005, 0.05  # mm
ANGLES = (0.1, 0.07, 0.05)  # rad
VOLUME_ERROR = 8e-4  # of the triangles
BETTER = 0.8  # of the error that is left by a smaller angle; a damaged solid keeps its own
# For bodies with faces that the kernel cannot mesh: multiples of the deflection, and angles in
# rad. Most of these faces fail at a fine angle, at any deflection, and mesh at a coarser one.
RETRIES = (
    *((1, 0.1), (1, 0.2), (2, 0.2), (2, 0.3), (4, 0.3), (4, 0.5), (8, 0.5), (16, 0.5), (16, 0.8)),
    *((50, 0.8), (100, 1.0), (0.5, 0.1)),
)
MAX_RETRIED = 100  # bodies and faces of a shape: of one that is damaged all over
# A STEP names the file of each part of an assembly that is exported as a set (ISO 10303-242, 21).
EXTERNAL_FILE = re.compile(
    rb"APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT\s*\(\s*'([^']{1,500}\.(?:st[e]?p[xz]?|p21))'",
    re.IGNORECASE,
)
ABSENT_FILE = "file that is referred to and not part of the upload"
MAX_REFERENCES = 100
CURVED = "curved surfaces, but for their triangles"
KERNEL_ERROR = 1e-4  # without a bound the kernel's volume of spline faces is wrong


def read_step(path: Path, beside: SiblingReader) -> ReadMesh:
    """Raises InputError: unreadable, nothing-solid, too-large, external-reference."""
    missing = absent_references(path, beside)
    try:
        content = _read(STEPControl_Reader(), "step", path)
    except InputError as error:
        if missing and error.code == "nothing-solid":
            raise external_reference(missing[0]) from error
        raise
    named = {f"{ABSENT_FILE}: {name}" for name in missing}
    return content._replace(lost=content.lost | named)


def read_iges(path: Path, beside: SiblingReader) -> ReadMesh:
    """Raises InputError: unreadable, nothing-solid, too-large."""
    return _read(IGESControl_Reader(), "iges", path)


def write_step(mesh: Mesh, path: Path) -> None:
    """A faceted body. Raises InputError: too-many-facets-for-step."""
    writer = STEPControl_Writer()
    writer.Transfer(_body(mesh), STEPControl_StepModelType.STEPControl_AsIs)
    if writer.Write(str(path)) != IFSelect_ReturnStatus.IFSelect_RetDone:
        raise OSError(f"Open CASCADE could not write {path}")


def write_iges(mesh: Mesh, path: Path) -> None:
    """A faceted body. Raises InputError: too-many-facets-for-step."""
    writer = IGESControl_Writer("MM", 1)  # solids, not loose faces
    writer.AddShape(_body(mesh))
    writer.ComputeModel()
    if not writer.Write(str(path)):
        raise OSError(f"Open CASCADE could not write {path}")


def _read(reader: STEPControl_Reader | IGESControl_Reader, format: str, path: Path) -> ReadMesh:
    if reader.ReadFile(str(path)) != IFSelect_ReturnStatus.IFSelect_RetDone:
        raise unreadable(format, "the CAD kernel does not understand it")
    reader.TransferRoots()
    shape = reader.OneShape()
    if shape.IsNull():
        raise InputError("nothing-solid", "The file holds no shape. Export the solid itself.")
    content = content_of(shape)
    if content is None:
        raise InputError("nothing-solid", "The file holds no surface. Export the solid itself.")
    return content


def absent_references(path: Path, beside: SiblingReader) -> list[str]:
    """The files with parts of an assembly that a STEP names and that did not come with it."""
    named = dict.fromkeys(
        label(name.decode("utf-8", "replace")) for name in EXTERNAL_FILE.findall(path.read_bytes())
    )
    return [name for name in named if name and beside(name) is None][:MAX_REFERENCES]


def content_of(shape: TopoDS_Shape) -> ReadMesh | None:
    """A shape as triangles, in mm; None where it has no surface.

    The angle between neighbours is made smaller until the solids' volume is right: twice at most,
    and not where that does not help, or would be too many facets. Bodies that then lack faces are
    meshed with other parameters; faces that none of them meshes are counted in `lost`.

    Raises InputError: too-large.
    """
    box = Bnd_Box()
    BRepBndLib.Add_s(shape, box)
    if box.IsVoid():
        return None
    diagonal = float(np.sqrt(box.SquareExtent()))
    deflection = min(max(diagonal * DEFLECTION, MIN_DEFLECTION), MAX_DEFLECTION)
    exact = _volume(shape)
    before = float("inf")
    for angle in ANGLES:
        _mesh(shape, deflection, angle)
        vertices, faces = _triangles(shape)
        if not exact or 3 * len(faces) > MAX_FACETS or _unmeshed(shape):
            break
        error = abs(_enclosed(vertices, faces) / exact - 1.0)
        if error <= VOLUME_ERROR or error > BETTER * before:
            break
        before = error
    lost = {CURVED}
    if _unmeshed(shape):
        if absent := _mesh_again(shape, deflection):
            lost.add(f"faces that the CAD kernel cannot mesh: {absent:,}")
        vertices, faces = _triangles(shape)
    return ReadMesh(vertices, faces, "mm", frozenset(lost), exact)


def _mesh(shape: TopoDS_Shape, deflection: float, angle: float) -> None:
    BRepTools.Clean_s(shape)
    BRepMesh_IncrementalMesh(shape, deflection, False, angle, False)  # noqa: FBT003  C++ order


def _mesh_again(shape: TopoDS_Shape, deflection: float) -> int:
    """Mesh the bodies that lack faces until none does; how many faces are still absent.

    A body is meshed as a whole, since faces that are meshed differently do not meet at their
    edges. A face that is absent with all parameters is meshed by itself: better a crack than a
    hole.
    """
    bodies = [*explored(shape, TopAbs_ShapeEnum.TopAbs_SOLID)]
    retried = [body for body in bodies if _unmeshed(body)]
    for body in retried[:MAX_RETRIED]:
        absent = {}
        for factor, angle in RETRIES:
            _mesh(body, factor * deflection, angle)
            absent[factor, angle] = len(_unmeshed(body))
            if not absent[factor, angle]:
                break
        else:
            factor, angle = min(absent, key=absent.__getitem__)
            _mesh(body, factor * deflection, angle)
    for face in _unmeshed(shape)[:MAX_RETRIED]:
        for factor, angle in RETRIES:
            _mesh(face, factor * deflection, angle)
            if not _unmeshed(face):
                break
    return len(_unmeshed(shape))


def _unmeshed(shape: TopoDS_Shape) -> list[TopoDS_Shape]:
    """The faces that the kernel left without triangles."""
    faces = [TopoDS.Face(face) for face in explored(shape, TopAbs_ShapeEnum.TopAbs_FACE)]
    return [f for f in faces if BRep_Tool.Triangulation_s(f, TopLoc_Location()) is None]


def explored(shape: TopoDS_Shape, kind: TopAbs_ShapeEnum) -> Iterator[TopoDS_Shape]:
    """What a shape holds of a kind, each once for each place."""
    explorer = TopExp_Explorer(shape, kind)
    while explorer.More():
        yield explorer.Current()
        explorer.Next()


def _triangles(shape: TopoDS_Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    places: list[tuple[float, float, float]] = []
    corners: list[tuple[int, int, int]] = []
    for face in (TopoDS.Face(face) for face in explored(shape, TopAbs_ShapeEnum.TopAbs_FACE)):
        location = TopLoc_Location()
        mesh = BRep_Tool.Triangulation_s(face, location)
        if mesh is None:
            continue
        check_facets(len(corners) + mesh.NbTriangles())
        start, move = len(places) - 1, location.Transformation()  # the kernel counts from 1
        for number in range(1, mesh.NbNodes() + 1):
            point = mesh.Node(number).Transformed(move)
            places.append((point.X(), point.Y(), point.Z()))
        reverse = face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED
        for number in range(1, mesh.NbTriangles() + 1):
            a, b, c = mesh.Triangle(number).Get()
            b, c = (c, b) if reverse else (b, c)
            corners.append((start + a, start + b, start + c))
    vertices = np.array(places, dtype=np.float64).reshape(-1, 3)
    return vertices, np.array(corners, dtype=np.int64).reshape(-1, 3)


def _enclosed(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> float:
    """mm^3 within the triangles."""
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    return abs(signed_volume((vertices - middle)[faces].reshape(-1, 9).T))


def _volume(shape: TopoDS_Shape) -> float | None:
    """mm^3 of the solids as they are defined; None where there are none."""
    if not TopExp_Explorer(shape, TopAbs_ShapeEnum.TopAbs_SOLID).More():
        return None
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, properties, KERNEL_ERROR)
    return abs(properties.Mass())


def _body(mesh: Mesh) -> TopoDS_Shape:
    """A solid of flat triangles that share their edges; a shell where it would not be closed."""
    if len(mesh.faces) > MAX_FACETS_WRITTEN:
        title = (
            f"STEP and IGES output is limited to {MAX_FACETS_WRITTEN:,} facets; the model has "
            f"{len(mesh.faces):,}. Make it simpler."
        )
        raise InputError("too-many-facets-for-step", title)
    points = [BRepBuilderAPI_MakeVertex(gp_Pnt(*p)).Vertex() for p in mesh.vertices.tolist()]
    edges: dict[tuple[int, int], TopoDS_Shape] = {}
    uses: dict[tuple[int, int], int] = {}
    shell, builder = TopoDS_Shell(), BRep_Builder()
    builder.MakeShell(shell)
    for face in mesh.faces.tolist():
        wire = BRepBuilderAPI_MakeWire()
        for start, end in zip(face, face[1:] + face[:1], strict=True):
            key = (min(start, end), max(start, end))
            if key not in edges:
                edges[key] = BRepBuilderAPI_MakeEdge(points[start], points[end]).Edge()
            uses[key] = uses.get(key, 0) + 1
            wire.Add(edges[key])
        made = BRepBuilderAPI_MakeFace(wire.Wire(), True)  # noqa: FBT003  planes only
        if made.IsDone():
            builder.Add(shell, made.Face())
    if set(uses.values()) != {2}:
        return shell
    shell.Closed(True)  # noqa: FBT003
    return BRepBuilderAPI_MakeSolid(shell).Solid()
