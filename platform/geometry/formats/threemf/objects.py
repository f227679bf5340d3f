"""Objects and build items of a 3MF."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geometry.formats.archive import Archive
from geometry.formats.merge_objects import joined
from geometry.formats.objects import FLATTENED, Notes, Part, Places, Taken, flattens
from geometry.formats.reader_checks import ReadMesh, SiblingReader, check_facets
from geometry.formats.threemf import slicer_project
from geometry.formats.threemf import thumbnail as threemf_thumbnail
from geometry.formats.threemf.model import Look
from geometry.formats.threemf.package import Package
from geometry.formats.threemf.reader import NO_LOOK, Key, OpenModel, open_package
from geometry.formats.threemf.slicer_project import PartVolume, Project
from geometry.mesh.half_edges import has_three_corners

PICTURES = ("png", "jpg", "jpeg", "webp")
MAX_NAMED = 10  # filaments of an object


def read(path: Path, beside: SiblingReader) -> Taken:
    """The parts of a file, in the order in which its build first places them.

    Places that only turn and move an object are instances of one part; one that scales or mirrors
    it makes another. An object that others make up is one part.

    Raises InputError: unreadable, too-large, archive-limit, unsafe-archive, unsupported-feature,
    nothing-solid.
    """
    archive = open_package(path)
    package = Package(archive)
    taken = _Reading(OpenModel(package), archive).taken()
    return taken._replace(picture=threemf_thumbnail.read(package, taken.notes))


def read_merged(path: Path, beside: SiblingReader) -> ReadMesh:
    """All parts of a file where its build places them, as one. Raises InputError as `read` does."""
    archive = open_package(path)
    return _Reading(OpenModel(Package(archive)), archive).merged()


class _Reading:
    def __init__(self, tree: OpenModel, archive: Archive):
        self._tree = tree
        self._project = slicer_project.read(archive)
        self._notes = Notes.empty()
        _list_entries(archive, self._project, self._notes)

    def taken(self) -> Taken:
        self._notes.plates.extend(plate._asdict() for plate in self._project.plates)
        self._notes.profiles.extend(self._project.profiles(self._tree.application))
        places = list(self._places().parts())
        self._name_what_is_not_placed()
        # Counted before a copy is made.
        check_facets(sum(self._tree.count(key) for key, *_ in places))
        parts = []
        for key, stretch, instances in places:
            matrix = np.eye(4)
            matrix[:3, :3] = stretch
            content = self._content(key, matrix)
            if not len(content.faces):
                self._name_empty(key)
                continue
            color, material = self._look(key)
            name = self._name(key)
            parts.append(Part(self._tree.things[key].id, name, content, instances, color, material))
        if not parts:
            self._tree.refuse_empty()
        kept = {"colours": [p.color for p in parts], "materials": [p.material for p in parts]}
        for what in sorted(self._tree.lost):
            noted = {line["what"] for line in self._notes.left_out}
            if what not in noted and not all(kept.get(what, [None])):
                self._notes.leave_out(what)
        for what, of, name in self._tree.left_out:
            where = {"object": of} if of else {}
            self._notes.leave_out(what, **where, **({"name": name} if name else {}))
        return Taken(parts, self._notes)

    def merged(self) -> ReadMesh:
        """All parts, each as often as it is placed."""
        items = [(key, matrix) for key, matrix, _ in self._printed()]
        # Counted before a copy is made.
        check_facets(sum(self._tree.count(key) for key, _ in items))
        contents = []
        for key, matrix in items:
            content = self._content(key, matrix)
            if len(content.faces):
                contents.append(content)
            else:
                self._name_empty(key)
        lost = self._tree.lost | {str(line["what"]) for line in self._notes.left_out}
        lost |= {what for what, *_ in self._tree.left_out}
        if not contents:
            self._tree.refuse_empty()
            return ReadMesh(np.empty((0, 3)), np.empty((0, 3), int), self._tree.unit, lost)
        return joined(contents)._replace(lost=lost)

    def _places(self) -> Places:
        """Those of the build that are to be printed, by objects."""
        places = Places()
        for place in self._printed():
            places.add(*place)
        return places

    def _printed(self) -> Iterator[tuple[Key, NDArray, int | None]]:
        """What the build places to be printed: object, matrix (4, 4), plate."""
        seen: dict[Key, int] = {}
        for key, matrix, printed in self._tree.items:
            thing = self._tree.things[key]
            number = seen[key] = seen.get(key, -1) + 1
            if what := self._tree.no_part(key):
                self._notes.leave_out(what, object=self._name(key))
                continue
            if not printed:
                self._notes.leave_out("instance that is not to be printed", object=self._name(key))
                continue
            if flattens(matrix):
                self._notes.leave_out(FLATTENED, object=self._name(key))
                continue
            plate = self._project.on_plate.get((thing.id, number))
            yield *self._meant(key, matrix), plate

    def _meant(self, key: Key, matrix: NDArray) -> tuple[Key, NDArray]:
        """The object that one stands for, and where it is: PrusaSlicer writes a nameless object
        for each instance but the first, which places the first one's again."""
        while len(children := self._tree.children.get(key, [])) == 1:
            thing, (child, inner) = self._tree.things[key], children[0]
            is_own = thing.name or thing.id in self._project.objects
            if is_own or self._tree.no_part(child) or thing.extensions:
                break
            key, matrix = child, matrix @ inner
        return key, matrix

    def _content(self, key: Key, matrix: NDArray) -> ReadMesh:
        """An object's own mesh, or all that it is made of, placed by a matrix (4, 4)."""
        object_ = self._project.objects.get(self._tree.things[key].id)
        volumes = object_.volumes if object_ else []
        thing = self._tree.things[key]
        settings = object_.settings if object_ else slicer_project.cura_settings(thing.settings)
        if settings:
            self._notes.settings.append({"object": self._name(key), "settings": settings})
        for volume in volumes:
            if volume.beside:
                named = {"name": volume.name} if volume.name else {}
                self._notes.leave_out(volume.beside, object=self._name(key), **named)
        items = self._pieces(key, matrix, volumes)
        vertices, faces = self._tree.place(items)
        pieces = len(items)
        if key not in self._tree.children:
            faces = _without(faces, [volume for volume in volumes if volume.beside])
            pieces = sum(volume.beside is None for volume in volumes)
        if pieces > 1:
            self._notes.joined.append({"object": self._name(key), "pieces": pieces})
        faces = faces[has_three_corners(faces)]
        return ReadMesh(vertices, faces, self._tree.unit, frozenset())

    def _pieces(
        self, key: Key, matrix: NDArray, volumes: list[PartVolume]
    ) -> list[tuple[Key, NDArray]]:
        """What an object is made of, without what is no part of it."""
        if key not in self._tree.children:
            return [(key, matrix)]
        beside = {volume.part for volume in volumes if volume.beside}
        self._name_extensions(key)
        kept = []
        for child, inner in self._tree.children[key]:
            thing = self._tree.things[child]
            if what := self._tree.no_part(child):
                named = {"name": thing.name} if thing.name else {}
                self._notes.leave_out(what, object=self._name(key), **named)
            elif thing.id not in beside:
                self._name_extensions(child)
                kept.append((child, matrix @ inner))
        return kept

    def _look(self, key: Key) -> Look:
        """The colour and material that an object has as a whole: the file's, or its extruder's.

        Of pieces that differ none stands for all: they are named.
        """
        object_ = self._project.objects.get(self._tree.things[key].id)
        beside = {volume.part for volume in object_.volumes if volume.beside} if object_ else set()
        children = [child for child, _ in self._tree.children.get(key, [])]
        pieces = [
            piece
            for piece in children or [key]
            if not self._tree.no_part(piece) and self._tree.things[piece].id not in beside
        ]
        for piece in dict.fromkeys([key, *pieces]):
            if self._tree.is_misunderstood(piece):
                self._notes.leave_out("material that is not understood", object=self._name(key))
        looks = dict.fromkeys(map(self._tree.look, pieces))
        if set(looks) - {NO_LOOK}:
            named: dict[Look | int, str] = {look: _words(look) or "none" for look in looks}
            return self._only(key, named, "several colours or materials")
        if object_ is None:
            return self._tree.look(key)
        parts = [volume for volume in object_.volumes if volume.beside is None]
        used = dict.fromkeys(volume.extruder or object_.extruder for volume in parts)
        if len(used) < 2:
            return self._project.filament(next(iter(used), object_.extruder))
        filaments: dict[Look | int, str] = {}
        for extruder in dict.fromkeys(number or 1 for number in used):
            filament = self._project.filament(extruder)
            known = filament != NO_LOOK
            filaments[filament if known else extruder] = (
                _words(filament) if known else f"extruder {extruder}"
            )
        return self._only(key, filaments, "several filaments")

    def _only(self, key: Key, looks: Mapping[Look | int, str], what: str) -> Look:
        """The one that there is; several are named."""
        if len(looks) == 1:
            look = next(iter(looks))
            return NO_LOOK if isinstance(look, int) else look
        names = list(looks.values())
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        names = names[:MAX_NAMED]
        self._notes.leave_out(what, object=self._name(key), name=(", ".join(names) + more)[:255])
        return NO_LOOK

    def _name_empty(self, key: Key) -> None:
        """Name an object that gives no part."""
        if not self._name_extensions(key):
            self._notes.leave_out("object without facets", object=self._name(key))

    def _name_extensions(self, key: Key) -> bool:
        """Name what of an object is made by extensions that are not read; whether there is any."""
        extensions = self._tree.things[key].extensions
        for uri in dict.fromkeys(extensions):
            what = "object of an extension that is not understood"
            self._notes.leave_out(what, object=self._name(key), name=uri[:255])
        return bool(extensions)

    def _name(self, key: Key) -> str | None:
        """What an object is called: by the slicer, else by the file, else by its only piece."""
        thing = self._tree.things[key]
        object_ = self._project.objects.get(thing.id)
        if object_ and object_.name:
            return object_.name
        children = self._tree.children.get(key, [])
        if not thing.name and len(children) == 1:
            return self._tree.things[children[0][0]].name[:255] or None
        return thing.name[:255] or None

    def _name_what_is_not_placed(self) -> None:
        used = {item.key for item in self._tree.items}
        used |= {child for inner in self._tree.children.values() for child, _ in inner}
        for key in self._tree.things:
            if key not in used:
                self._notes.leave_out("object that is placed nowhere", object=self._name(key))


def _words(look: Look) -> str:
    return " ".join(word for word in look if word)


def _without(faces: NDArray, volumes: list[PartVolume]) -> NDArray:
    """The facets of a mesh that belong to none of these volumes."""
    kept = np.ones(len(faces), dtype=bool)
    for volume in volumes:
        kept[max(volume.first, 0) : max(volume.last + 1, 0)] = False
    return faces[kept]


def _list_entries(archive: Archive, project: Project, notes: Notes) -> None:
    """Name what else the package holds."""
    known = {slicer_project.PRUSA, slicer_project.BAMBU}
    known |= {slicer_project.PRUSA_SETTINGS, slicer_project.BAMBU_SETTINGS}
    for name in archive:
        ending = name.rpartition(".")[2].lower()
        if ending in PICTURES and name.startswith("3D/") and "thumb" not in name.lower():
            notes.leave_out("textures", file=name[:255])
        elif ending in PICTURES:
            notes.thumbnails.append(name)
        elif ending == "gcode":
            notes.gcode.append(name)
        elif name in project.unread:
            notes.leave_out("settings that could not be read", file=name[:255])
        elif name not in known and ending not in ("model", "rels") and not name.startswith("["):
            notes.leave_out("entry that is not understood", file=name[:255])
