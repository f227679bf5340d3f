"""3MF package: its parts and relationships."""

import posixpath
import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from geometry.formats.reader_checks import unreadable
from geometry.formats.threemf.xml import parse_elements
from input_errors import InputError

USUAL_MODEL = "3D/3dmodel.model"
MODEL_TYPE = "/3dmodel"
THUMBNAIL_TYPE = "/metadata/thumbnail"
MAX_RELATIONSHIPS = 10_000
# What lies at the top of a package, by which one in a folder is recognised.
MARKS = ("/_rels/.rels", "/[content_types].xml", "/3d/3dmodel.model")
PLATE_NUMBER = re.compile(r"plate_(\d{1,4})\.gcode$", re.IGNORECASE)


class Relationship(NamedTuple):
    """type: a URI; part: the entry that it names, None where there is none; target: as written"""

    type: str
    part: str | None
    target: str


class Package:
    """The parts of an archive.

    Names of parts are alike in any case, with or without percent-encoding, and in both normal
    forms of Unicode: programs write relationships and entries in different ones.
    """

    def __init__(self, archive: Mapping[str, bytes]):
        self.archive = archive
        self._entries = {_key(name): name for name in archive}

    def entry(self, name: str) -> str | None:
        """The entry of a part by a name from the root of the package."""
        plain = name.lstrip("/")
        return plain if plain in self.archive else self._entries.get(_key(name))

    def relationships(self, part: str = "") -> list[Relationship]:
        """Those of a part, or of the package itself. Raises InputError: unreadable."""
        folder, name = posixpath.split(part)
        entry = self.entry(posixpath.join(folder, "_rels", f"{name}.rels"))
        if entry is None:
            return []
        relationships: list[Relationship] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if not tag.endswith("Relationship") or attributes.get("TargetMode") == "External":
                return
            if len(relationships) >= MAX_RELATIONSHIPS:
                title = f"The part {entry[:80]!r} has more than {MAX_RELATIONSHIPS:,} relations."
                raise InputError("too-large", title, {"limit": MAX_RELATIONSHIPS})
            target = attributes.get("Target", "")
            path = posixpath.normpath(posixpath.join("/", folder, target))
            relationships.append(Relationship(attributes.get("Type", ""), self.entry(path), target))

        parse_elements(entry, self.archive[entry], start)
        return relationships

    def root_model(self) -> str:
        """The entry of the model that the package is opened with. Raises InputError."""
        named = [each for each in self.relationships() if each.type.endswith(MODEL_TYPE)]
        model = next((each.part for each in named if each.part), None) or self.entry(USUAL_MODEL)
        if model:
            return model
        if gcode := gcode_entries(self.archive):
            raise sliced_without_models(gcode)
        if folder := self._folder():
            reason = f"the package lies in the folder {folder[:80]!r} of the zip"
            raise unreadable("3mf", f"{reason}; pack what is in that folder, not the folder")
        if named:
            reason = f"its relationships name the model {named[0].target[:80]!r}, which is absent"
            raise unreadable("3mf", f"{reason}; export it again")
        reason = f"the zip holds no part {USUAL_MODEL!r}; upload a zip of other models as 'zip'"
        raise unreadable("3mf", reason)

    def _folder(self) -> str | None:
        """The folder of the zip that a package lies in."""
        for mark in MARKS:
            for name in self.archive:
                if name.lower().endswith(mark):
                    return name[: len(name) - len(mark) + 1]
        return None


def gcode_entries(archive: Mapping[str, bytes]) -> list[str]:
    """Names of sliced plates."""
    return [name for name in archive if name.lower().endswith(".gcode")]


def sliced_without_models(gcode: list[str]) -> InputError:
    """A slicer exports plates as a 3MF whose models are left out."""
    numbers = sorted({int(m[1]) for m in map(PLATE_NUMBER.search, gcode) if m})
    if numbers:
        plates = f"plate{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:20]))}"
        plates += f" and {len(numbers) - 20} more" if len(numbers) > 20 else ""
    else:
        plates = gcode[0][:80]
    title = (
        f"The file is a sliced file: it holds the gcode of {plates} and no models. Upload the "
        f"gcode ({gcode[0][:80]}) as gcode, or export the project with its models."
    )
    return InputError("nothing-solid", title, {"gcode": gcode[:20]})


def _key(name: str) -> str:
    """What is alike of all names of a part."""
    plain = unicodedata.normalize("NFC", unquote(name)).casefold()
    return posixpath.normpath("/" + plain).lstrip("/")
