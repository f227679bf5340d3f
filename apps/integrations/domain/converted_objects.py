"""Objects and picture of a file-conversion result, read as untrusted.

The child that made them has read a stranger's file.
"""

import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from geometry.formats.thumbnails import SIZE, Picture

PARTS = "parts.json"  # as geometry.formats.split writes it
LARGEST_LIST = 32 * 1024**2
PICTURE = "picture.ppm"  # the same
MAX_PARTS = 500
PPM = re.compile(rb"P6 (\d{1,4}) (\d{1,4}) 255\n")
LARGEST_PICTURE = SIZE[0] * SIZE[1] * 3 + 32  # its pixels, and their number
TEXTS = ("file", "object", "name", "unit", "color", "material")


class TakenPart(NamedTuple):
    """An object of a file: the name of its model, if the file has one, and its metadata."""

    name: str
    source: Mapping[str, object]


def unpacked(path: Path, folder: Path) -> Iterator[tuple[TakenPart, Path]]:
    """Yield the objects in the zip at `path`, each with its STL, which exists until the next one.

    Raises ValueError, KeyError or BadZipFile for content that the built-in provider does not write.
    """
    with zipfile.ZipFile(path) as archive:
        if archive.getinfo(PARTS).file_size > LARGEST_LIST:
            raise ValueError("The list of parts is too long.")
        parts = orjson.loads(archive.read(PARTS))
        if not 0 < len(parts) <= MAX_PARTS:
            raise ValueError("There are no parts, or too many.")
        for part in parts:
            info = archive.getinfo(str(part["entry"]))
            if info.compress_type != zipfile.ZIP_STORED:
                raise ValueError("A part is packed: it could be of any size.")
            file = folder / "part.stl"
            with archive.open(info) as packed, file.open("wb") as plain:
                shutil.copyfileobj(packed, plain)
            yield _part(part), file


def picture_in(path: Path) -> Picture | None:
    """The file's own picture in the zip at `path`: plain pixels, of which none is decoded here.

    Raises ValueError or BadZipFile for what our provider does not write.
    """
    with zipfile.ZipFile(path) as archive:
        if PICTURE not in archive.namelist():
            return None
        info = archive.getinfo(PICTURE)
        if info.compress_type != zipfile.ZIP_STORED or info.file_size > LARGEST_PICTURE:
            raise ValueError("The picture is packed, or too large.")
        content = archive.read(info)
    header = PPM.match(content)
    if header is None:
        raise ValueError("The picture is not as our provider writes it.")
    width, height = (int(number) for number in header.groups())
    pixels = content[header.end() :]
    if not 0 < width <= SIZE[0] or not 0 < height <= SIZE[1] or len(pixels) != width * height * 3:
        raise ValueError("The picture has other pixels than it says.")
    return Picture(PICTURE, width, height, pixels)


def _part(entry: dict[str, Any]) -> TakenPart:
    texts = {name: _text(entry[name]) for name in TEXTS}
    instances = [
        {
            "plate": None if instance["plate"] is None else int(instance["plate"]),
            "transform": [[float(value) for value in row] for row in instance["transform"]],
        }
        for instance in entry["instances"]
    ]
    return TakenPart(texts["name"] or "", {**texts, "instances": instances})


def _text(value: Any) -> str | None:
    """Without what the database cannot keep."""
    return str(value).replace("\0", "")[:255] if value else None
