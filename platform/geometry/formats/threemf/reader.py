"""3MF reader: the model parts of a package, and the objects that they place.

Read by a parser of our own: what is odd but harmless is read, and what is left out is named.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.archive import MAX_OF_A_PACKAGE, Archive
from geometry.formats.objects import FLATTENED, flattens
from geometry.formats.reader_checks import (
    unreadable,
    unsupported_feature,
)
from geometry.formats.threemf.model import (
    Look,
    ModelPart,
    ObjectDefinition,
    PlacedObject,
    parse_model,
)
from geometry.formats.threemf.namespaces import OBJECT_TYPES
from geometry.formats.threemf.package import (
    MODEL_TYPE,
    Package,
    gcode_entries,
    sliced_without_models,
)
from geometry.formats.threemf.slicer_project import cura_helper
from input_errors import InputError

MAX_DEPTH = 16  # of components
MAX_PLACED = 10_000
NO_PARTS = {  # objects of these types are not printed as they are: 3MF, 4.1
    "support": "support",
    "solidsupport": "solid support",
    "other": "object that is not to be printed",
}
UNKNOWN_TYPE = "object of a type that is not known"

Key = tuple[str, str]  # the entry of the part that defines an object, and its id there
NO_LOOK: Look = (None, None)


class BuildItem(NamedTuple):
    """An object that the build places, in the file's order; matrix (4, 4)"""

    key: Key
    matrix: NDArray[np.float64]
    printed: bool


def open_package(path: Path) -> Archive:
    """Raises InputError: unreadable, archive-limit, unsafe-archive."""
    return Archive(path, MAX_OF_A_PACKAGE)


class OpenModel:
    """The objects of a package: meshes, and components that place other objects.

    unit     : of `units.MILLIMETRES`
    application : the program that wrote it, by its own name
    lost     : what else the file holds and no conversion keeps
    left_out : the same, as (what, of which object, name)
    things   : objects by their keys
    items    : those that the build places
    children : (key, matrix) of each object that an object places
    """

    def __init__(self, package: Package):
        """Raises InputError: unreadable, too-large, unsupported-feature, nothing-solid."""
        self._package = package
        self._parts: dict[str, ModelPart] = {}
        self._facets: dict[Key, int] = {}
        self.left_out: list[tuple[str, str | None, str | None]] = []
        self.things: dict[Key, ObjectDefinition] = {}
        self.children: dict[Key, list[tuple[Key, NDArray]]] = {}
        root = self._read_parts(package.root_model())
        self.unit, self.application = root.unit, root.application
        self.lost = frozenset(what for part in self._parts.values() for what in part.lost)
        for part in self._parts.values():
            for thing in part.objects.values():
                self._add(part, thing)
            self.left_out += [(what, None, name) for what, name in part.left_out]
        self.items = self._placed_items(root)
        self._check_tree()

    def refuse_empty(self) -> None:
        """Raise InputError with the reason why there is nothing to print, where there is one."""
        if gcode := gcode_entries(self._package.archive):
            raise sliced_without_models(gcode)
        for key, matrix, _ in self.items:
            if uri := self._extension_in(key):
                raise unsupported_feature(f"the extension {uri}")
            if flattens(matrix):
                name = f"object {key[1][:40]}"
                title = f"The file places {name} so that it has no volume. Export the model again."
                raise InputError("nothing-solid", title)

    def _extension_in(self, key: Key) -> str | None:
        """An extension that an object is made by, or one that it places."""
        if self.things[key].extensions:
            return self.things[key].extensions[0]
        inner = (self._extension_in(child) for child, _ in self.children.get(key, []))
        return next(filter(None, inner), None)

    def count(self, key: Key) -> int:
        """The facets of an object with all that it places; each object is looked at once."""
        if key not in self._facets:
            facets = len(self.things[key].faces)
            facets += sum(self.count(child) for child, _ in self.children.get(key, []))
            self._facets[key] = facets
        return self._facets[key]

    def place(self, items: list[tuple[Key, NDArray]]) -> tuple[NDArray, NDArray]:
        """The vertices and faces of all items, joined; in the file's unit."""
        places, faces, start = [np.empty((0, 3))], [np.empty((0, 3), dtype=np.int64)], 0
        waiting = items[::-1]
        while waiting:
            key, matrix = waiting.pop()
            children = self.children.get(key, [])
            waiting += [(child, matrix @ inner) for child, inner in children[::-1]]
            vertices, corners = self.things[key].vertices, self.things[key].faces
            if vertices is None or not len(corners):
                continue
            if np.linalg.det(matrix[:3, :3]) < 0:
                corners = corners[:, ::-1]
            places.append(vertices @ matrix[:3, :3].T + matrix[:3, 3])
            faces.append(corners + start)
            start += len(vertices)
        return np.concatenate(places), np.concatenate(faces)

    def look(self, key: Key) -> Look:
        """The colour, as #RRGGBB or #RRGGBBAA, and the material that an object has as a whole."""
        thing, part = self.things[key], self._parts[key[0]]
        if thing.property is None:
            return NO_LOOK
        group = part.groups.get(thing.property[0]) or []
        index = thing.property[1]
        if index.isdecimal() and len(index) < 10 and int(index) < len(group):
            return group[int(index)]
        return NO_LOOK

    def is_misunderstood(self, key: Key) -> bool:
        """Whether an object names a material that the file does not hold."""
        thing, groups = self.things[key], self._parts[key[0]].groups
        if thing.property is None:
            return False
        group = groups.get(thing.property[0], [])
        if group is None:  # a texture, or a mixture
            return False
        index = thing.property[1]
        return not (index.isdecimal() and len(index) < 10 and int(index) < len(group))

    def no_part(self, key: Key) -> str | None:
        """What an object is, where it is none of those that are printed."""
        thing = self.things[key]
        if thing.type not in OBJECT_TYPES:
            return UNKNOWN_TYPE
        return NO_PARTS.get(thing.type) or cura_helper(thing.settings)

    def _read_parts(self, root: str) -> ModelPart:
        """The root and all parts that it refers to."""
        named = [root]
        for relationship in self._package.relationships(root):
            if relationship.type.endswith(MODEL_TYPE) and relationship.part:
                named.append(relationship.part)
        while named:
            entry = named.pop(0)
            if entry in self._parts:
                continue
            part = parse_model(entry, self._package.archive[entry])
            self._parts[entry] = part
            places = [place for thing in part.objects.values() for place in thing.components]
            # What another part builds is not built.
            places += part.items if entry == root else []
            named += dict.fromkeys(self._entry_of(place, part) for place in places if place.path)
        return self._parts[root]

    def _entry_of(self, place: PlacedObject, part: ModelPart) -> str:
        """The part that defines what is placed."""
        if not place.path:
            return part.entry
        entry = self._package.entry(place.path)
        if entry is None:
            reason = f"{place.place} is of the part {place.path[:80]!r}, which is not in the file"
            raise unreadable("3mf", reason)
        return entry

    def _add(self, part: ModelPart, thing: ObjectDefinition) -> None:
        key = (part.entry, thing.id)
        self.things[key] = thing
        if not thing.components:
            return
        self.children[key] = []
        if thing.vertices is not None:  # the standard allows one of both; Cura wrote both
            mesh = (part.entry, f"{thing.id} mesh")
            self.things[mesh] = replace(thing, components=[], settings={})
            self.things[key] = replace(thing, vertices=None, faces=thing.faces[:0])
            self.children[key].append((mesh, np.eye(4)))
        for place in thing.components:
            child = (self._entry_of(place, part), place.id)
            if child[1] not in self._parts[child[0]].objects:
                reason = f"{place.place} is the object {place.id[:40]!r}, which is not in the file"
                raise unreadable("3mf", reason)
            if flattens(place.matrix):
                self.left_out.append((FLATTENED, thing.name or None, place.place))
            else:
                self.children[key].append((child, place.matrix))

    def _placed_items(self, root: ModelPart) -> list[BuildItem]:
        items = []
        for place in root.items:
            key = (self._entry_of(place, root), place.id)
            if key in self.things:
                items.append(BuildItem(key, place.matrix, place.printed))
                continue
            if len(root.items) == 1:
                reason = f"{place.place} is the object {place.id[:40]!r}, which is not in the file"
                raise unreadable("3mf", reason)
            self.left_out.append(("item whose object is not in the file", None, place.place))
        return items

    def _check_tree(self) -> None:
        """Refuse components that go in circles, too deep, or that place too many objects."""
        known: dict[Key, int] = {}
        if sum(self._placed(item.key, 0, known) for item in self.items) > MAX_PLACED:
            title = f"The file places more than {MAX_PLACED:,} objects. Export one mesh."
            raise InputError("too-large", title, {"limit": MAX_PLACED})

    def _placed(self, key: Key, depth: int, known: dict[Key, int]) -> int:
        """How many objects one stands for; each is looked at once, however often it is placed."""
        if depth > MAX_DEPTH:
            reason = f"its components go in a circle, or more than {MAX_DEPTH} deep"
            raise unreadable("3mf", reason)
        if key not in known:
            children = self.children.get(key, [])
            known[key] = 1 + sum(self._placed(child, depth + 1, known) for child, _ in children)
        return known[key]
