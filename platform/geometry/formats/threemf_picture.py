"""The picture that a 3MF has of itself."""

import posixpath
from collections.abc import Iterator
from xml.parsers import expat

from geometry.formats import pictures
from geometry.formats.archive import Archive
from geometry.formats.parts import Notes
from geometry.formats.pictures import Picture

RELATIONS = "_rels/.rels"
# OPC, and where slicers put theirs, the largest first.
THUMBNAIL = "/metadata/thumbnail"
USUAL = (
    "Auxiliaries/.thumbnails/thumbnail_middle.png",
    "Auxiliaries/.thumbnails/thumbnail_3mf.png",
    "Metadata/plate_1.png",
    "Metadata/thumbnail.png",
    "Auxiliaries/.thumbnails/thumbnail_small.png",
)


def read(archive: Archive, notes: Notes) -> Picture | None:
    """The first that can be read of those that the package names, or that slicers write."""
    for name in dict.fromkeys([*_named(archive), *USUAL]):
        if name not in archive:
            continue
        picture = pictures.redrawn(name, archive[name])
        if picture:
            return picture
        notes.leave_out("picture that cannot be read", file=name[:255])
    return None


def _named(archive: Archive) -> Iterator[str]:
    """The thumbnail of the package, by its relationships; one that lib3mf has read is XML."""
    found: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if attributes.get("Type", "").endswith(THUMBNAIL):
            found.append(posixpath.normpath(attributes.get("Target", "")).lstrip("/"))

    if RELATIONS in archive:
        parser = expat.ParserCreate()
        parser.StartElementHandler = start
        try:
            parser.Parse(archive[RELATIONS], True)  # noqa: FBT003  C
        except expat.ExpatError:
            found.clear()
    yield from found[:1]
