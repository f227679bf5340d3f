"""One model part of a 3MF: its objects, what it builds, and what it says of them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.objects import label
from geometry.formats.reader_checks import unreadable, unsupported_feature
from geometry.formats.threemf.mesh import NUMBER, MeshRows, faces_of, triangles_of, vertices_of
from geometry.formats.threemf.namespaces import (
    KINDS,
    OBJECT_TYPES,
    PAINTED,
    SHORT,
    SKIPPED,
    UNDERSTOOD,
    UNITS,
)
from geometry.formats.threemf.xml import XmlParser
from geometry.mesh.half_edges import has_three_corners
from input_errors import InputError

MAX_DEPTH = 256
MAX_OBJECTS = 100_000  # that a part defines, and that it places
MAX_LOOKS = 1_000_000
MAX_TEXT = 1 << 16
MAX_NAMES = 1000  # of metadata, or settings of an object
MAX_LEFT_OUT = 10_000
LARGEST_PLACE = 1e15  # beyond any printer, in any unit
ROOT: tuple[str, tuple[str, ...]] = ("", ())
NOT_PRINTED = ("0", "false")
ROW_TAGS = {"vertices": "vertex", "triangles": "triangle"}
COLOR = re.compile(r"#([0-9A-Fa-f]{6})([0-9A-Fa-f]{2})?")

Look = tuple[str | None, str | None]  # colour and material


class PlacedObject(NamedTuple):
    """An object that an item of the build, or a component, places.

    path   : of another part that defines it, as written
    place  : which one it is, for errors
    """

    path: str | None
    id: str
    matrix: NDArray[np.float64]
    printed: bool
    place: str


@dataclass
class ObjectDefinition:
    """An object as its part defines it.

    property   : group and index of its material, as written
    vertices   : (n, 3), None of an object without a mesh
    settings   : of Cura, by their names without its prefix
    extensions : URI of what it is made of beside meshes and components, the first
    """

    id: str
    name: str
    type: str
    property: tuple[str, str] | None = None
    vertices: NDArray[np.float64] | None = None
    faces: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    components: list[PlacedObject] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    extensions: list[str] = field(default_factory=list)


@dataclass
class ModelPart:
    """What one part says.

    groups   : looks by group; None where two have this number, or it has no looks of its own
    lost     : materials, colours, textures, slices that it has
    left_out : {(what, name)} of what no conversion keeps, each once
    application : the program that wrote it; empty where it does not say
    """

    entry: str
    unit: str = "mm"
    application: str = ""
    objects: dict[str, ObjectDefinition] = field(default_factory=dict)
    items: list[PlacedObject] = field(default_factory=list)
    groups: dict[str, list[Look] | None] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    left_out: dict[tuple[str, str | None], None] = field(default_factory=dict)


def parse_model(entry: str, data: bytes) -> ModelPart:
    """Raises InputError: unreadable, too-large, unsupported-feature."""
    return _ModelParser(entry, data).parse()


class _ModelParser:
    def __init__(self, entry: str, data: bytes):
        self._part = ModelPart(entry)
        self._xml = XmlParser(entry, data)
        # Kinds of the elements that are open, and the prefixes that each declares.
        self._open = [ROOT]
        self._namespaces: dict[str, list[str]] = {"xml": ["http://www.w3.org/XML/1998/namespace"]}
        self._object: ObjectDefinition | None = None
        self._vertices: MeshRows | None = None
        self._triangles: MeshRows | None = None
        self._rows: MeshRows | None = None  # the ones whose elements come now
        self._tag = self._row_tag = ""  # of the element that begins now; of the rows
        self._group: list[Look] = []
        self._looks = self._placed = 0
        self._text: list[str] = []
        self._key: str | None = None  # of the metadata or setting whose text comes now
        self._metadata: list[str] = []
        self._begin: dict[str, Callable[[dict[str, str]], None]] = {
            "model": self._begin_model,
            "metadata": self._begin_text,
            "setting": self._begin_text,
            "object": self._begin_object,
            "materials": lambda attributes: self._begin_group("materials", attributes),
            "colours": lambda attributes: self._begin_group("colours", attributes),
            "mixture": lambda attributes: self._begin_group(None, attributes, looks=False),
            "texture": lambda attributes: self._begin_group("textures", attributes, looks=False),
            "slices": lambda attributes: self._part.lost.add("slices"),
            "base": self._begin_base,
            "mesh": self._begin_mesh,
            "vertices": lambda attributes: self._begin_rows(self._vertices),
            "triangles": lambda attributes: self._begin_rows(self._triangles),
            "component": self._begin_component,
            "item": self._begin_item,
            "beam": lambda attributes: self._refuse_feature("beam lattices"),
            "level set": lambda attributes: self._refuse_feature("implicit surfaces"),
        }
        self._finish: dict[str, Callable[[], None]] = {
            "metadata": self._end_metadata,
            "setting": self._end_setting,
            "vertices": self._end_rows,
            "triangles": self._end_rows,
            "mesh": self._end_mesh,
        }

    def parse(self) -> ModelPart:
        self._xml.parse(self._start, self._end, self._skip if self._xml.is_ascii_based else None)
        if self._metadata:
            names = ", ".join(dict.fromkeys(self._metadata))
            self._leave_out("metadata", names)
        return self._part

    # Elements

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1][0]
        if parent == SKIPPED or (self._rows is not None and tag == self._row_tag):
            if parent != SKIPPED and self._rows is not None:
                self._rows.add(attributes)
            self._open.append((SKIPPED, ()))
            self._check_depth()
            return
        declared = tuple(self._declare(attributes)) if _has_namespaces(attributes) else ()
        name, uri = self._resolve(tag)
        kind = KINDS.get((parent, name), SKIPPED)
        if not parent and kind != "model":
            raise self._rejection(f"its first element is {name[:200]!r}, not a model of 3MF")
        self._open.append((kind, declared))
        self._check_depth()
        if kind == SKIPPED:
            self._pass_over(parent, uri)
        self._hear_names(attributes)
        if kind in self._begin:
            self._tag = tag
            self._begin[kind](attributes)

    def _end(self, tag: str) -> None:
        kind, declared = self._open.pop()
        if kind in self._finish:
            self._finish[kind]()
        for prefix in declared:
            self._namespaces[prefix].pop()

    def _skip(self, at: int) -> int:
        if self._rows is None or self._open[-1][0] not in ROW_TAGS:
            return at
        return self._rows.skip(self._xml.data, at, b"<" + self._row_tag.encode())

    def _check_depth(self) -> None:
        if len(self._open) > MAX_DEPTH:
            raise self._rejection(f"its elements are more than {MAX_DEPTH} deep")

    def _declare(self, attributes: dict[str, str]) -> Iterable[str]:
        for name, uri in attributes.items():
            if name == "xmlns" or name.startswith("xmlns:"):
                prefix = name[6:]
                self._namespaces.setdefault(prefix, []).append(uri)
                yield prefix

    def _uri(self, prefix: str) -> str:
        """A prefix that is not declared stands for itself."""
        known = self._namespaces.get(prefix)
        return known[-1] if known else prefix

    def _resolve(self, name: str) -> tuple[str, str]:
        """An element's or attribute's name as it is written here, and the URI of its namespace."""
        prefix, _, local = name.rpartition(":")
        uri = self._uri(prefix)
        return (SHORT[uri] if uri in SHORT else f"{{{uri}}}") + local, uri

    def _pass_over(self, parent: str, uri: str) -> None:
        if uri in UNDERSTOOD:
            return
        self._leave_out("extension that is not understood", uri)
        if parent == "object" and not self._thing().extensions:
            self._thing().extensions.append(uri)

    def _hear_names(self, names: Iterable[str]) -> None:
        """Name what attributes say that is left out; those of rows all at once."""
        for name in names:
            prefix, colon, _ = name.partition(":")
            if colon and prefix != "xmlns":
                name, uri = self._resolve(name)  # noqa: PLW2901
                if uri not in UNDERSTOOD:
                    self._leave_out("extension that is not understood", uri)
            if name in PAINTED:
                self._leave_out(PAINTED[name])

    # What each is

    def _begin_model(self, attributes: dict[str, str]) -> None:
        unit = attributes.get("unit", "millimeter").strip()
        if unit not in UNITS:
            known = ", ".join(UNITS)
            raise self._rejection(f"its unit is {unit[:40]!r}, which is none of {known}")
        self._part.unit = UNITS[unit]
        for prefix in attributes.get("requiredextensions", "").replace(",", " ").split():
            uri = self._uri(prefix)
            if uri not in UNDERSTOOD:
                raise unsupported_feature(f"the extension {uri}")

    def _begin_text(self, attributes: dict[str, str]) -> None:
        self._key, self._text = attributes.get("name", ""), []
        if "value" in attributes:
            self._text.append(attributes["value"])
        self._xml.listen(self._hear_text)

    def _hear_text(self, text: str) -> None:
        if sum(map(len, self._text)) < MAX_TEXT:
            self._text.append(text)

    def _taken_text(self) -> tuple[str, str]:
        self._xml.listen(None)
        return self._key or "", "".join(self._text).strip()

    def _end_metadata(self) -> None:
        key, text = self._taken_text()
        if key == "Application":
            self._part.application = text[:100]
        if text and len(self._metadata) < MAX_NAMES:
            self._metadata.append(key)

    def _end_setting(self) -> None:
        key, text = self._taken_text()
        is_cura = self._open[-1][0] == "cura settings" or self._resolve(key)[0].startswith("cura:")
        settings = self._thing().settings
        if is_cura and len(settings) < MAX_NAMES:
            settings[key.rpartition(":")[2][:100]] = text[:255]
        elif text and len(self._metadata) < MAX_NAMES:
            self._metadata.append(key)

    def _begin_group(
        self, what: str | None, attributes: dict[str, str], *, looks: bool = True
    ) -> None:
        if what:
            self._part.lost.add(what)
        identifier = attributes.get("id", "").strip()
        known = identifier in self._part.groups
        self._group = []
        self._part.groups[identifier] = self._group if looks and not known else None

    def _begin_base(self, attributes: dict[str, str]) -> None:
        color = COLOR.fullmatch(attributes.get("displaycolor", attributes.get("color", "")).strip())
        is_opaque = color is None or color[2] in (None, "FF", "ff")
        hex_color = color and f"#{color[1]}{'' if is_opaque else color[2]}".upper()
        self._looks += 1
        if self._looks <= MAX_LOOKS:  # an index beyond is named as one that is not understood
            self._group.append((hex_color, label(attributes.get("name", ""))))

    def _begin_object(self, attributes: dict[str, str]) -> None:
        identifier = attributes.get("id", "").strip()
        if not identifier:
            raise self._rejection(f"an object has no id ({self._xml.here()})")
        if identifier in self._part.objects:
            raise self._rejection(f"two objects have the id {identifier[:40]!r}")
        if len(self._part.objects) >= MAX_OBJECTS:
            raise self._too_many("defines")
        name = label(attributes.get("name", "")) or ""
        type = attributes.get("type", "model").strip()
        if type not in OBJECT_TYPES:
            type = type[:40]
        thing = self._object = ObjectDefinition(identifier, name, type)
        if "pid" in attributes:
            thing.property = attributes["pid"].strip(), attributes.get("pindex", "0").strip()
        self._part.objects[identifier] = thing

    def _begin_mesh(self, attributes: dict[str, str]) -> None:
        place = f"object {self._thing().id[:40]} in {self._part.entry[:80]!r}"
        self._vertices, self._triangles = vertices_of(place), triangles_of(place)

    def _begin_rows(self, rows: MeshRows | None) -> None:
        self._rows = rows
        prefix, colon, _ = self._tag.rpartition(":")
        self._row_tag = prefix + colon + ROW_TAGS[self._open[-1][0]]

    def _end_rows(self) -> None:
        self._rows = None

    def _end_mesh(self) -> None:
        if self._vertices is None or self._triangles is None:
            return
        thing = self._thing()
        thing.vertices = self._vertices.table()
        thing.faces = faces_of(self._triangles, len(thing.vertices))
        self._hear_names(sorted(self._vertices.names | self._triangles.names))
        if "p1" in self._triangles.names:  # a property of a facet, and not of its object
            self._leave_out("colours or materials of single facets")
        flat = len(thing.faces) - int(has_three_corners(thing.faces).sum())
        if flat:
            self._leave_out("triangles without area", f"{flat:,} of object {thing.id[:40]}")
        self._vertices = self._triangles = None

    def _begin_component(self, attributes: dict[str, str]) -> None:
        thing = self._thing()
        place = f"component {len(thing.components) + 1:,} of object {thing.id[:40]}"
        thing.components.append(self._placement(attributes, place))

    def _begin_item(self, attributes: dict[str, str]) -> None:
        place = f"item {len(self._part.items) + 1:,} of the build"
        self._part.items.append(self._placement(attributes, place))

    def _placement(self, attributes: dict[str, str], place: str) -> PlacedObject:
        self._placed += 1
        if self._placed > MAX_OBJECTS:
            raise self._too_many("places")
        path = next((value for name, value in attributes.items() if name.endswith(":path")), None)
        place = f"{place} in {self._part.entry[:80]!r}"
        matrix = self._matrix(attributes.get("transform"), place)
        printed = attributes.get("printable", "1").strip() not in NOT_PRINTED
        return PlacedObject(path, attributes.get("objectid", "").strip(), matrix, printed, place)

    def _matrix(self, transform: str | None, place: str) -> NDArray[np.float64]:
        """(4, 4), for columns; 3MF writes its rows for row vectors."""
        matrix = np.eye(4)
        if transform is None or not transform.strip():
            return matrix
        words = transform.split(maxsplit=12)
        for word in words[:12]:
            if not NUMBER.fullmatch(word) or abs(float(word)) > LARGEST_PLACE:
                mend = "; write decimals with a point" if "," in word else ""
                shown = f"{word[:40]!r}, which is not a number or too large{mend}"
                raise unreadable("3mf", f"the transform of {place} holds {shown}")
        if len(words) != 12:
            count = f"{len(words)}" if len(words) < 12 else "more than 12"
            raise unreadable("3mf", f"the transform of {place} has {count} numbers, not 12")
        matrix[:3] = np.array([float(word) for word in words]).reshape(4, 3).T
        return matrix

    def _thing(self) -> ObjectDefinition:
        """The object whose element is open."""
        if self._object is None:
            raise self._rejection("it is damaged")
        return self._object

    def _leave_out(self, what: str, name: str | None = None) -> None:
        if len(self._part.left_out) < MAX_LEFT_OUT:
            self._part.left_out[what, name and name[:255]] = None

    def _too_many(self, what: str) -> InputError:
        title = f"The file {what} more than {MAX_OBJECTS:,} objects. Export one mesh."
        return InputError("too-large", title, {"limit": MAX_OBJECTS})

    def _refuse_feature(self, name: str) -> None:
        raise unsupported_feature(name)

    def _rejection(self, reason: str) -> InputError:
        return unreadable("3mf", f"the part {self._part.entry[:80]!r}: {reason}")


def _has_namespaces(attributes: dict[str, str]) -> bool:
    return any(name.startswith("xmlns") for name in attributes)
