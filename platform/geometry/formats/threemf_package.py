"""What a 3MF package may not hold, found before lib3mf reads it and walks every copy."""

import re
from xml.parsers import expat

from geometry.formats.archive import Archive
from geometry.formats.checks import unreadable
from geometry.formats.threemf_words import Words
from refusal import Refusal

DOCTYPE = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)
WIDE = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")  # UTF-16, in which a DOCTYPE could hide
DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")
BLANKS = b"\xef\xbb\xbf \t\r\n"  # and the mark of UTF-8
MOST_DEPTH = 16
MOST_OBJECTS = 10_000

_Object = tuple[str, str]  # the part that defines it, and its id there


def check_package(archive: Archive) -> Words:
    """Refuse entities, and components that place objects in circles, too deep or too often.

    Raises Refusal: unreadable, too-large, archive-limit.
    """
    parts, words = {}, Words([], {}, [])
    for name in archive:
        part = archive[name]
        if part.startswith(WIDE):
            raise unreadable("3mf", f"the part {name[:80]!r} is not in UTF-8")
        if not part.lstrip(BLANKS).startswith(b"<"):
            continue
        if DOCTYPE.search(part):
            raise unreadable("3mf", f"the part {name[:80]!r} has a document type, as none may")
        parts[name] = part
        words.hear(name, part)
    places_others = any(b"component" in part for part in parts.values())
    if not places_others and sum(part.count(b"item") for part in parts.values()) <= MOST_OBJECTS:
        return words  # the common case: an object or some, and nothing to multiply them
    children: dict[_Object, list[_Object]] = {}
    items: list[_Object] = []
    for name, part in parts.items():
        _Scan(name, children, items).parse(part)
    placed = _Tally(children)
    if sum(placed.objects(item, 0) for item in items) > MOST_OBJECTS:
        title = f"The file places more than {MOST_OBJECTS:,} objects. Export one mesh."
        raise Refusal("too-large", title, {"limit": MOST_OBJECTS})
    return words


class _Scan:
    """Who places whom, from the elements of one part."""

    def __init__(self, name: str, children: dict[_Object, list[_Object]], items: list[_Object]):
        self._name = name
        self._children = children
        self._items = items
        self._parent: _Object = (name, "")

    def parse(self, part: bytes) -> None:
        try:
            self._feed(part)
        except expat.ExpatError as error:
            if expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT] != error.code:
                raise self._no_xml(error) from error
            # PrusaSlicer writes notes of several elements. All of them count.
            try:
                self._feed(b"<all>", DECLARATION.sub(b"", part, count=1), b"</all>")
            except expat.ExpatError as error:
                raise self._no_xml(error) from error

    def _feed(self, *pieces: bytes) -> None:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        for piece in pieces:
            parser.Parse(piece)
        parser.Parse(b"", True)  # noqa: FBT003  C

    def _no_xml(self, error: expat.ExpatError) -> Refusal:
        return unreadable("3mf", f"the part {self._name[:80]!r} is not XML: {error}")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "object":
            self._parent = (self._name, attributes.get("id", "").strip())
        elif tag in ("component", "item"):
            paths = [value for name, value in attributes.items() if name.endswith(":path")]
            part = paths[0].lstrip("/") if paths else self._name
            place = (part, attributes.get("objectid", "").strip())
            if tag == "item":
                self._items.append(place)
            else:
                self._children.setdefault(self._parent, []).append(place)


class _Tally:
    """How many objects one stands for; each is looked at once, however often it is placed."""

    def __init__(self, children: dict[_Object, list[_Object]]):
        self._children = children
        self._known: dict[_Object, int] = {}

    def objects(self, of: _Object, depth: int) -> int:
        if depth > MOST_DEPTH:
            reason = f"its components go in a circle, or more than {MOST_DEPTH} deep"
            raise unreadable("3mf", reason)
        if of not in self._known:
            inner = self._children.get(of, [])
            self._known[of] = 1 + sum(self.objects(child, depth + 1) for child in inner)
        return self._known[of]
