"""ZIP reader for untrusted archives: limits checked from the central directory first."""

import io
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from input_errors import InputError

MAX_ENTRIES = 200
MAX_OF_A_PACKAGE = 2_000  # a slicer writes five pictures for a plate, and a part for an object
MAX_BYTES_EACH, MAX_BYTES = 200 * 1024**2, 400 * 1024**2
MAX_RATIO, RATIO_FROM = 100, 1024**2  # small entries of blanks do no harm
LOCAL_HEADER = 30
IN_UTF_8 = 0x800  # a flag of an entry
UNICODE_PATH = 0x7075  # Info-ZIP's extra field: the name in UTF-8, beside one in another encoding
NESTED = {".zip", ".7z", ".rar", ".gz", ".tgz", ".bz2", ".xz", ".tar", ".zst"}
CHUNK = 1 << 20


class Archive(Mapping[str, bytes]):
    """The entries of a zip by their names, which are keys only and never paths.

    Raises InputError: unreadable, archive-limit, unsafe-archive. What an entry really unpacks to
    is counted again as it is read.
    """

    def __init__(self, path: Path, most: int = MAX_ENTRIES):
        """most : entries"""
        self._left = MAX_BYTES
        content = path.read_bytes()
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, UnicodeDecodeError) as error:
            raise _damaged(content) from error
        infos = self._zip.infolist()
        _check_sizes(infos, most)
        names = [_name(info) for info in infos]
        _check_names(infos, names)
        _check_places(infos)
        named = zip(names, infos, strict=True)
        self._infos = {name: info for name, info in named if not name.endswith("/")}

    def __getitem__(self, name: str) -> bytes:
        info = self._infos[unicodedata.normalize("NFC", name)]
        unpacked = io.BytesIO()
        try:
            with self._zip.open(info) as entry:
                while chunk := entry.read(CHUNK):
                    self._left -= len(chunk)
                    if self._left < 0 or unpacked.tell() + len(chunk) > MAX_BYTES_EACH:
                        raise _too_large()
                    unpacked.write(chunk)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            raise _damaged() from error
        return unpacked.getvalue()

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)


def _check_sizes(infos: list[zipfile.ZipInfo], most: int) -> None:
    """What the directory promises is within bounds."""
    if len(infos) > most:
        title = f"The archive holds {len(infos):,} entries; the limit is {most:,}."
        raise InputError("archive-limit", title)
    if sum(info.file_size for info in infos) > MAX_BYTES:
        raise _too_large()
    for info in infos:
        ratio = info.file_size / max(info.compress_size, 1)
        if info.file_size > MAX_BYTES_EACH or (info.file_size > RATIO_FROM and ratio > MAX_RATIO):
            raise _too_large()


def _name(info: zipfile.ZipInfo) -> str:
    """The name of an entry, composed (NFC), in the encoding that its program most likely used.

    Names that are not marked as UTF-8 are in the code page 437 by the specification; the archivers
    of macOS and many others write UTF-8 without the mark.
    """
    name = info.orig_filename  # Python cuts `filename` at a NUL
    if not info.flag_bits & IN_UTF_8 and not name.isascii():
        try:
            raw = name.encode("cp437")
            name = _unicode_path(info.extra, raw) or raw.decode("utf-8")
        except UnicodeError:
            pass
    return unicodedata.normalize("NFC", name)


def _unicode_path(extra: bytes, raw: bytes) -> str | None:
    """The name of the extra field, where it belongs to this one."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        field, at = extra[at + 4 : at + 4 + size], at + 4 + size
        if kind == UNICODE_PATH and field[:5] == struct.pack("<BI", 1, zlib.crc32(raw)):
            return field[5:].decode("utf-8")
    return None


def _check_names(infos: list[zipfile.ZipInfo], names: list[str]) -> None:
    """Plain relative names of plain files, no two alike."""
    seen: set[str] = set()
    for info, name in zip(infos, names, strict=True):
        reason = _fault(info, name)
        if reason is None and name.casefold() in seen:
            reason = "there is another one of this name"
        if reason:
            title = f"The archive holds the entry {name[:80]!r}, which is not allowed: {reason}."
            raise InputError("unsafe-archive", title)
        seen.add(name.casefold())


def _fault(info: zipfile.ZipInfo, name: str) -> str | None:
    """Why an entry is not allowed."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return "its name begins with '/' or leads out of the archive"
    if any(character in name for character in "\\:\0"):
        return "its name has a backslash, a colon or a NUL; separate folders by '/'"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "it is a link or a device"
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if path.suffix.lower() in NESTED:
        return "it is an archive itself; unpack it"
    return None


def _check_places(infos: list[zipfile.ZipInfo]) -> None:
    """No two entries share bytes, as those of some bombs do."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            title = f"The archive's entry {info.filename[:80]!r} lies over another one."
            raise InputError("unsafe-archive", title)
        end = info.header_offset + LOCAL_HEADER + info.compress_size


def _too_large() -> InputError:
    megabytes = MAX_BYTES // 1024**2
    title = f"The archive unpacks to more than {megabytes} MB, or to a hundredfold of its size."
    return InputError("archive-limit", title)


def _damaged(content: bytes = b"PK") -> InputError:
    title = "The file could not be read as a zip archive: it is damaged. Pack it again."
    if not content.startswith(b"PK"):
        title = (
            "The file is not a zip archive, as a 3MF is one, too. Upload it as what it is, or "
            "export it again."
        )
    return InputError("unreadable", title)
