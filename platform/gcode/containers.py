"""Plain G-code inside other files: binary G-code (.bgcode) and sliced plates (.gcode.3mf).

Binary G-code is that of libbgcode: blocks of G-code and metadata, with CRC32. The settings of the
slicer are written behind the G-code as comments, where text files have them. A sliced plate of
Bambu Studio or OrcaSlicer is a ZIP archive with `Metadata/plate_1.gcode` and further plates; the
names of a plate's objects, in `Metadata/slice_info.config`, become comments as well.

All sizes that a file states are untrusted: what is written is bounded by the size of the file.
"""

import html
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

import numpy as np

from gcode.errors import InvalidGcode

Container = Literal["bgcode", "gcode.3mf"]

MAX_GROWTH = 20  # bytes of text for each of the file; G-code shrinks to a quarter or an eighth
MIN_ALLOWED_BYTES = 1 << 20  # bytes, whatever the size of the file
MAX_TEXT_BYTES = 1 << 30
MAX_BLOCK_BYTES = 1 << 24  # libbgcode writes 64 KiB of G-code a block
PIECE = 1 << 20
BINARY, ZIP = b"GCDE", b"PK\x03\x04"
GCODE, THUMBNAIL = 1, 5  # types of blocks
METADATA = (0, 2, 3, 4)  # of the file, the slicer, the printer and the print
PARAMETER_BYTES = {THUMBNAIL: 6}  # of the others 2: the encoding
WINDOWS = {2: (11, 4), 3: (12, 4)}  # heatshrink: bits of the window and of a length
PLATE = re.compile(r"Metadata/plate_(\d{1,3})\.gcode")
MAX_PLATES = 36  # that Bambu Studio has
SLICE_INFO, MAX_INFO_BYTES = "Metadata/slice_info.config", 1 << 20
PLATE_INFO = re.compile(r"<plate>(.*?)</plate>", re.DOTALL)
PLATE_NUMBER = re.compile(r'key="index"\s+value="(\d{1,3})"')
PLATE_OBJECT = re.compile(r'<object\s+identify_id="(\d{1,9})"\s+name="([^"]{1,500})"')
DAMAGED = "Upload the file again, or export plain text G-code."


class Unpacked(NamedTuple):
    """What a container was.

    plates : the numbers of the plates of which it holds G-code; empty for binary G-code
    """

    container: Container
    plates: list[int]


def unpack(path: Path, out: Path, *, plate: int | None = None) -> Unpacked | None:
    """Write the plain G-code that a file holds to `out`; None for a file that is no container.

    plate : the plate of a sliced 3MF; None for the first that has G-code

    Raises InvalidGcode.
    """
    size = path.stat().st_size
    allowed = min(MAX_TEXT_BYTES, max(MIN_ALLOWED_BYTES, MAX_GROWTH * size))
    with path.open("rb") as file:
        start = file.read(4)
        if start == BINARY:
            _write(out, _binary(file, size), allowed)
            return Unpacked("bgcode", [])
        if start == ZIP and (opened := _plate(file, plate)):
            plates, pieces = opened
            _write(out, pieces, allowed)
            return Unpacked("gcode.3mf", plates)
    return None


def _write(out: Path, pieces: Iterator[bytes], allowed: int) -> None:
    written = 0
    with out.open("wb") as file:
        for piece in pieces:
            written += len(piece)
            if written > allowed:
                title = (
                    f"The G-code inside the file is larger than {allowed:,} bytes, more than is "
                    "unpacked of a file of this size. Export plain text G-code."
                )
                raise InvalidGcode("too-large", title)
            file.write(piece)


def _plate(file: BinaryIO, plate: int | None) -> tuple[list[int], Iterator[bytes]] | None:
    """The plates of a 3MF, and the G-code of one; None for an archive without any."""
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OSError):
        return None
    plates = {int(match[1]): one for one in archive.namelist() if (match := PLATE.fullmatch(one))}
    if not plates:
        return None
    numbers = sorted(plates)
    if len(plates) > MAX_PLATES:
        title = f"The file holds G-code of {len(plates)} plates; at most {MAX_PLATES} are read."
        raise InvalidGcode("several-plates", f"{title} Export them in several files.")
    number = numbers[0] if plate is None else plate
    if number not in plates:
        title = f"The file holds no G-code of the plate {number}, but of {numbers}."
        raise InvalidGcode("damaged", f"{title} {DAMAGED}")
    return numbers, _with_objects(archive, plates[number], number)


def _with_objects(archive: zipfile.ZipFile, name: str, number: int) -> Iterator[bytes]:
    """The G-code of a plate, and behind it the names of its objects as comments."""
    yield from _member(archive, name)
    for key, text in _objects_of(archive, number):
        name = " ".join(html.unescape(text).split())
        yield f"\n; plate_object = {key} {name}".encode()
    yield b"\n"


def _objects_of(archive: zipfile.ZipFile, number: int) -> list[tuple[str, str]]:
    """Key and name of each object of a plate; none where the archive does not say."""
    try:
        with archive.open(SLICE_INFO) as member:
            text = member.read(MAX_INFO_BYTES).decode(errors="replace")
    except (KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error, OSError):
        return []
    for plate in PLATE_INFO.findall(text):
        index = PLATE_NUMBER.search(plate)
        if index and int(index[1]) == number:
            return PLATE_OBJECT.findall(plate)
    return []


def _member(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    try:
        with archive.open(name) as member:
            while piece := member.read(PIECE):
                yield piece
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise InvalidGcode("damaged", f"{name} in the file is damaged. {DAMAGED}") from error
    except (NotImplementedError, RuntimeError) as error:  # a compression, or a password
        title = f"{name} in the file is encrypted or compressed in an unknown way. {DAMAGED}"
        raise InvalidGcode("unknown-compression", title) from error


def _binary(file: BinaryIO, size: int) -> Iterator[bytes]:
    version, checksum = struct.unpack("<IH", _exactly(file, 6))
    if version != 1 or checksum > 1:
        title = (
            f"Binary G-code of version {version} with checksums of type {checksum} is not known. "
            "Export plain text G-code."
        )
        raise InvalidGcode("unknown-version", title)
    settings: list[bytes] = []
    while file.tell() < size:
        kind, encoding, data = _block(file, has_checksum=checksum == 1)
        if kind == GCODE:
            yield _decoded(data, encoding)
        elif kind in METADATA:
            settings.append(data)
    for data in settings:
        for line in data.splitlines():
            yield b"\n; " + line.replace(b"=", b" = ", 1)
    yield b"\n"


def _block(file: BinaryIO, *, has_checksum: bool) -> tuple[int, int, bytes]:
    """Type, encoding and content of the next block; no content of those that are not read."""
    at = file.tell()
    head = _exactly(file, 8)
    kind, compression, size = struct.unpack("<HHI", head)
    packed = size
    if compression:
        head += _exactly(file, 4)
        (packed,) = struct.unpack("<I", head[8:])
    if max(size, packed) > MAX_BLOCK_BYTES:
        title = f"The block at byte {at} of the file is of {max(size, packed):,} bytes. {DAMAGED}"
        raise InvalidGcode("damaged", title)
    parameters = _exactly(file, PARAMETER_BYTES.get(kind, 2))
    data = _exactly(file, packed)
    if has_checksum:
        (stated,) = struct.unpack("<I", _exactly(file, 4))
        if zlib.crc32(head + parameters + data) != stated:
            raise InvalidGcode(
                "damaged", f"The checksum of the block at byte {at} is wrong. {DAMAGED}"
            )
    if kind not in (GCODE, *METADATA):
        return kind, 0, b""
    (encoding,) = struct.unpack("<H", parameters)
    return kind, encoding, _inflated(data, compression, size, at)


def _inflated(data: bytes, compression: int, size: int, at: int) -> bytes:
    """The `size` bytes of a block, whose content is `data`."""
    content = data
    if compression == 1:
        try:
            content = zlib.decompressobj().decompress(data, size) if size else b""
        except zlib.error as error:
            title = f"The block at byte {at} cannot be inflated. {DAMAGED}"
            raise InvalidGcode("damaged", title) from error
    elif compression in WINDOWS:
        from gcode.container_kernels import expand_heatshrink  # see gcode.reader

        out = np.empty(size, np.uint8)
        count = expand_heatshrink(np.frombuffer(data, np.uint8), out, *WINDOWS[compression])
        content = out[:count].tobytes()
    elif compression:
        title = (
            f"The block at byte {at} is compressed in the way {compression}, which is not known. "
            "Export plain text G-code."
        )
        raise InvalidGcode("unknown-compression", title)
    if len(content) != size:
        title = f"The block at byte {at} has {len(content):,} bytes, not {size:,}. {DAMAGED}"
        raise InvalidGcode("damaged", title)
    return content


def _decoded(data: bytes, encoding: int) -> bytes:
    if encoding == 0:
        return data
    if encoding not in (1, 2):
        title = (
            f"The G-code is encoded in the way {encoding}, which is not known. Export plain text "
            "G-code."
        )
        raise InvalidGcode("unknown-encoding", title)
    from gcode.container_kernels import (  # see gcode.reader
        LOOKUP,
        expand_meatpack,
        separate_arguments,
    )

    text = np.empty(2 * len(data), np.uint8)
    text = text[: expand_meatpack(np.frombuffer(data, np.uint8), text, LOOKUP)]
    out = np.empty(2 * len(text), np.uint8)
    text.flags.writeable = False
    return out[: separate_arguments(text, out)].tobytes()


def _exactly(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise InvalidGcode("damaged", f"The file ends within a block. {DAMAGED}")
    return data
