"""Thumbnail of a 3MF package."""

from geometry.formats import thumbnails
from geometry.formats.objects import Notes
from geometry.formats.threemf.package import THUMBNAIL_TYPE, Package
from geometry.formats.thumbnails import Picture

# Where slicers put theirs, the largest first.
USUAL = (
    "Auxiliaries/.thumbnails/thumbnail_middle.png",
    "Auxiliaries/.thumbnails/thumbnail_3mf.png",
    "Metadata/plate_1.png",
    "Metadata/thumbnail.png",
    "Auxiliaries/.thumbnails/thumbnail_small.png",
)


def read(package: Package, notes: Notes) -> Picture | None:
    """The first that can be read of those that the package names, or that slicers write."""
    named = [each.part for each in package.relationships() if each.type.endswith(THUMBNAIL_TYPE)]
    for name in dict.fromkeys([*named[:1], *map(package.entry, USUAL)]):
        if name is None:
            continue
        picture = thumbnails.redrawn(name, package.archive[name])
        if picture:
            return picture
        notes.leave_out("picture that cannot be read", file=name[:255])
    return None
