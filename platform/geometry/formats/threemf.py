"""3MF by lib3mf, the 3MF consortium's own library, behind checks of the package and the tree."""

import ctypes
import io
import locale
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import lib3mf
import numpy as np
from lib3mf import Lib3MF
from numpy.typing import NDArray

from geometry.formats.archive import MOST_OF_A_PACKAGE, Archive
from geometry.formats.checks import (
    Beside,
    Content,
    check_facets,
    check_indices,
    unreadable,
    unsupported_feature,
)
from geometry.formats.threemf_package import check_package
from geometry.formats.threemf_words import Words

UNITS = {0: "micron", 1: "mm", 2: "cm", 3: "inch", 4: "foot", 5: "m"}


@contextmanager
def _own_locale() -> Iterator[None]:
    """Undo that lib3mf sets the locale of the process to C, by which Python would read files."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        yield
    finally:
        locale.setlocale(locale.LC_ALL, before)


def read(path: Path, beside: Beside) -> Content:
    """Raises Refusal: unreadable, too-large, archive-limit, unsafe-archive,
    unsupported-feature."""
    with opened(path, opened_package(path)) as (tree, _):
        return tree.content()


def opened_package(path: Path) -> Archive:
    """Raises Refusal: unreadable, archive-limit, unsafe-archive."""
    return Archive(path, MOST_OF_A_PACKAGE)


@contextmanager
def opened(path: Path, archive: Archive) -> Iterator[tuple["OpenModel", Words]]:
    """The objects of a file whose package is `archive`, and the words that its library passes over.

    Raises as `read` does.
    """
    words = check_package(archive)
    try:
        with _own_locale():
            model = lib3mf.get_wrapper().CreateModel()
            reader = model.QueryReader("3mf")
            if words.without_build:
                reader.ReadFromBuffer(_with_builds(archive, words.without_build))
            else:
                reader.ReadFromFile(str(path))
            yield OpenModel(model), words
    except Lib3MF.ELib3MFException as error:
        raise unreadable("3mf", f"lib3mf says {error}") from error


def _with_builds(archive: Archive, parts: list[str]) -> bytes:
    """The package with an empty build in these parts, which lib3mf wants in each of them.

    Bambu Studio wrote none into those of objects.
    """
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as packed:
        for name in archive:
            content = archive[name]
            if name in parts:
                before, end, after = content.rpartition(b"</model>")
                content = before + b"<build/>" + end + after
            packed.writestr(name, content)
    return package.getvalue()


class Thing(NamedTuple):
    """An object: its id in the part of the package that defines it, its name, and its type."""

    id: str
    name: str
    type: int
    color: str | None
    material: str | None


class OpenModel:
    """The objects of a model: meshes, and components that place other objects.

    unit     : of `UNITS`
    lost     : what else the file holds and no conversion keeps
    things   : objects by their keys
    items    : (key, matrix (4, 4)) of each object that the build places, in the file's order
    children : the same for what an object places
    """

    def __init__(self, model: Lib3MF.Model):
        self._model = model
        self._meshes: dict[int, tuple[NDArray, NDArray]] = {}
        self._facets: dict[int, int] = {}
        self.children: dict[int, list[tuple[int, NDArray]]] = {}
        self.things: dict[int, Thing] = {}
        self.unit = UNITS[int(model.GetUnit())]
        self.lost = self._read_lost()
        self._collect()
        self.items: list[tuple[int, NDArray]] = []
        build = model.GetBuildItems()
        while build.MoveNext():
            item = build.GetCurrent()
            self.items.append((item.GetObjectResourceID(), _affine(item.GetObjectTransform())))

    def content(self) -> Content:
        """All that the build places, joined."""
        # Counted before a copy is made.
        check_facets(sum(self.count(key) for key, _ in self.items))
        vertices, faces = self.place(self.items)
        return Content(vertices, faces, self.unit, self.lost)

    def _read_lost(self) -> frozenset[str]:
        lost: set[str] = set()
        for group, name in (
            (self._model.GetBaseMaterialGroups(), "materials"),
            (self._model.GetColorGroups(), "colours"),
            (self._model.GetTexture2DGroups(), "textures"),
            (self._model.GetSliceStacks(), "slices"),
        ):
            if group.Count():
                lost.add(name)
        if self._model.GetLevelSets().Count():
            raise unsupported_feature("implicit surfaces")
        return frozenset(lost)

    def _collect(self) -> None:
        objects = self._model.GetObjects()
        while objects.MoveNext():
            thing = objects.GetCurrentObject()
            identifier = thing.GetResourceID()
            color = material = None
            if thing.IsMeshObject():
                mesh = self._model.GetMeshObjectByID(identifier)
                if mesh.BeamLattice().GetBeamCount():
                    raise unsupported_feature("beam lattices")
                check_facets(mesh.GetTriangleCount())
                self._meshes[identifier] = _arrays(mesh)
                color, material = self._look(mesh)
            elif thing.IsComponentsObject():
                parts = self._model.GetComponentsObjectByID(identifier)
                components = [parts.GetComponent(i) for i in range(parts.GetComponentCount())]
                self.children[identifier] = [
                    (part.GetObjectResourceID(), _affine(part.GetTransform()))
                    for part in components
                ]
            self.things[identifier] = Thing(
                str(thing.GetModelResourceID()),
                thing.GetName(),
                int(thing.GetType()),
                color,
                material,
            )

    def _look(self, mesh: Lib3MF.MeshObject) -> tuple[str | None, str | None]:
        """The colour, as #RRGGBB or #RRGGBBAA, and the material that an object has as a whole."""
        group, property, given = mesh.GetObjectLevelProperty()
        if not given:
            return None, None
        kind = self._model.GetPropertyTypeByID(group)
        if kind == Lib3MF.PropertyType.BaseMaterial:
            materials = self._model.GetBaseMaterialGroupByID(group)
            return _hex(materials.GetDisplayColor(property)), materials.GetName(property) or None
        if kind == Lib3MF.PropertyType.Colors:
            return _hex(self._model.GetColorGroupByID(group).GetColor(property)), None
        return None, None

    def count(self, identifier: int) -> int:
        """The facets of an object with all that it places; each object is looked at once."""
        if identifier not in self._facets:
            if identifier in self._meshes:
                facets = len(self._meshes[identifier][1])
            else:
                facets = sum(self.count(child) for child, _ in self.children.get(identifier, []))
            self._facets[identifier] = facets
        return self._facets[identifier]

    def place(self, items: list[tuple[int, NDArray]]) -> tuple[NDArray, NDArray]:
        """The vertices and faces of all items, joined; in the file's unit."""
        places, faces, start = [np.empty((0, 3))], [np.empty((0, 3), dtype=np.int64)], 0
        waiting = items[::-1]
        while waiting:
            identifier, matrix = waiting.pop()
            if identifier not in self._meshes:
                children = self.children.get(identifier, [])
                waiting += [(child, matrix @ inner) for child, inner in children[::-1]]
                continue
            vertices, corners = self._meshes[identifier]
            if np.linalg.det(matrix[:3, :3]) < 0:
                corners = corners[:, ::-1]
            places.append(vertices @ matrix[:3, :3].T + matrix[:3, 3])
            faces.append(corners + start)
            start += len(vertices)
        return np.concatenate(places), np.concatenate(faces)


def _arrays(mesh: Lib3MF.MeshObject) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    wrapper, filled = mesh._wrapper, ctypes.c_uint64()
    places = np.empty((mesh.GetVertexCount(), 3), dtype="<f4")
    corners = np.empty((mesh.GetTriangleCount(), 3), dtype="<u4")
    for fill, kind, table in (
        (wrapper.lib.lib3mf_meshobject_getvertices, Lib3MF.Position, places),
        (wrapper.lib.lib3mf_meshobject_gettriangleindices, Lib3MF.Triangle, corners),
    ):
        pointer = table.ctypes.data_as(ctypes.POINTER(kind))
        wrapper.checkError(mesh, fill(mesh._handle, len(table), filled, pointer))
    check_indices("3mf", corners.reshape(-1).astype(np.int64), len(places))
    return places.astype(np.float64), corners.astype(np.int64)


def _hex(color: Lib3MF.Color) -> str:
    solid = "" if color.Alpha == 255 else f"{color.Alpha:02X}"
    return f"#{color.Red:02X}{color.Green:02X}{color.Blue:02X}{solid}"


def _affine(transform: Lib3MF.Transform) -> NDArray[np.float64]:
    """(4, 4), for columns; 3MF writes its rows for row vectors."""
    matrix = np.eye(4)
    matrix[:3] = np.array([list(row) for row in transform.Fields]).T
    return matrix
