"""The objects of a 3MF: those that its build places, each once, with where it is placed."""

from pathlib import Path

import numpy as np
from lib3mf import Lib3MF
from numpy.typing import NDArray

from geometry.formats import slicer_project, threemf_picture
from geometry.formats.archive import Archive
from geometry.formats.checks import Beside, Content, check_facets, unreadable
from geometry.formats.parts import Notes, Part, Places, Taken
from geometry.formats.slicer_project import PartVolume, Project
from geometry.formats.threemf import OpenModel, opened, opened_package
from geometry.formats.threemf_words import Words

PICTURES = ("png", "jpg", "jpeg", "webp")
# Objects of these types are no parts: 3MF, 4.1.
NO_PARTS = {
    int(Lib3MF.ObjectType.Support): "support",
    int(Lib3MF.ObjectType.SolidSupport): "solid support",
    int(Lib3MF.ObjectType.Other): "object that is not to be printed",
}


def read(path: Path, beside: Beside) -> Taken:
    """The parts of a file, in the order in which its build first places them.

    Places that only turn and move an object are instances of one part; one that scales or mirrors
    it makes another. An object that others make up is one part.

    Raises Refusal: unreadable, too-large, archive-limit, unsafe-archive, unsupported-feature.
    """
    archive = opened_package(path)
    with opened(path, archive) as (tree, words):
        taken = _Reading(tree, words, archive).taken()
    return taken._replace(picture=threemf_picture.read(archive, taken.notes))


class _Reading:
    def __init__(self, tree: OpenModel, words: Words, archive: Archive):
        self._tree = tree
        self._words = words
        self._project = slicer_project.read(archive)
        self._notes = Notes.empty()
        # A file that has others than lib3mf finds says nothing of them.
        known = len(words.items) == len(tree.items)
        self._printed = words.items if known else [True] * len(tree.items)
        _list_entries(archive, self._project, self._notes)

    def taken(self) -> Taken:
        self._notes.plates.extend(plate._asdict() for plate in self._project.plates)
        places = list(self._places().parts())
        self._name_what_is_not_placed()
        # Counted before a copy is made.
        check_facets(sum(self._tree.count(key) for key, *_ in places))
        parts = []
        for key, stretch, instances in places:
            content = self._content(key, stretch)
            if not len(content.faces):
                self._notes.leave_out("object without facets", object=self._name(key))
                continue
            color, material = self._look(key)
            name = self._name(key)
            parts.append(Part(self._tree.things[key].id, name, content, instances, color, material))
        kept = {"colours": [p.color for p in parts], "materials": [p.material for p in parts]}
        for what in sorted(self._tree.lost):
            told = {line["what"] for line in self._notes.left_out}
            if what not in told and not all(kept.get(what, [None])):
                self._notes.leave_out(what)
        for what, name in self._words.left_out:
            self._notes.leave_out(what, **({"name": name} if name else {}))
        return Taken(parts, self._notes)

    def _places(self) -> Places:
        """Those of the build that are to be printed."""
        found = Places()
        seen: dict[int, int] = {}
        for (key, matrix), printed in zip(self._tree.items, self._printed, strict=True):
            thing = self._tree.things[key]
            number = seen[key] = seen.get(key, -1) + 1
            if thing.type in NO_PARTS:
                self._notes.leave_out(NO_PARTS[thing.type], object=self._name(key))
                continue
            if not printed:
                self._notes.leave_out("instance that is not to be printed", object=self._name(key))
                continue
            if not np.isfinite(matrix).all():
                raise unreadable("3mf", "a place of an object is not a number")
            plate = self._project.on_plate.get((thing.id, number))
            found.add(*self._meant(key, matrix), plate)
        return found

    def _meant(self, key: int, matrix: NDArray) -> tuple[int, NDArray]:
        """The object that one stands for, and where it is: PrusaSlicer writes a nameless object
        for each instance but the first, which places the first one's again."""
        while len(children := self._tree.children.get(key, [])) == 1:
            thing, (child, inner) = self._tree.things[key], children[0]
            is_own = thing.name or thing.id in self._project.objects
            if is_own or self._tree.things[child].type in NO_PARTS:
                break
            key, matrix = child, matrix @ inner
        return key, matrix

    def _content(self, key: int, stretch: NDArray) -> Content:
        """An object's own mesh, or all that it is made of."""
        matrix = np.eye(4)
        matrix[:3, :3] = stretch
        told = self._project.objects.get(self._tree.things[key].id)
        volumes = told.volumes if told else []
        if told and told.settings:
            self._notes.settings.append({"object": self._name(key), "settings": told.settings})
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
        return Content(vertices, faces, self._tree.unit, frozenset())

    def _pieces(
        self, key: int, matrix: NDArray, volumes: list[PartVolume]
    ) -> list[tuple[int, NDArray]]:
        """What an object is made of, without what is no part of it."""
        if key not in self._tree.children:
            return [(key, matrix)]
        beside = {volume.part for volume in volumes if volume.beside}
        kept = []
        for child, inner in self._tree.children[key]:
            thing = self._tree.things[child]
            if thing.type in NO_PARTS:
                self._notes.leave_out(NO_PARTS[thing.type], object=self._name(key))
            elif thing.id not in beside:
                kept.append((child, matrix @ inner))
        return kept

    def _look(self, key: int) -> tuple[str | None, str | None]:
        """The colour and material that an object has as a whole: the file's, or its extruder's."""
        pieces = [child for child, _ in self._tree.children.get(key, [])] or [key]
        looks = {self._tree.things[piece][3:] for piece in pieces}
        if len(looks) == 1 and looks != {(None, None)}:
            return looks.pop()
        told = self._project.objects.get(self._tree.things[key].id)
        if told is None:
            return None, None
        used = {
            volume.extruder or told.extruder for volume in told.volumes if volume.beside is None
        }
        return self._project.filament(used.pop() if len(used) == 1 else told.extruder)

    def _name(self, key: int) -> str | None:
        """What an object is called: by the slicer, else by the file, else by its only piece."""
        thing = self._tree.things[key]
        told = self._project.objects.get(thing.id)
        if told and told.name:
            return told.name
        children = self._tree.children.get(key, [])
        if not thing.name and len(children) == 1:
            return self._tree.things[children[0][0]].name[:255] or None
        return thing.name[:255] or None

    def _name_what_is_not_placed(self) -> None:
        used = {key for key, _ in self._tree.items}
        used |= {child for inner in self._tree.children.values() for child, _ in inner}
        for key in self._tree.things.keys() - used:
            self._notes.leave_out("object that is placed nowhere", object=self._name(key))


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
