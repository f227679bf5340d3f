"""Zip archives from strangers: judged by their directory before anything is unpacked."""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from refusal import Refusal

MOST_ENTRIES = 200
MOST_OF_A_PACKAGE = 2_000  # a slicer writes five pictures for a plate, and a part for an object
MOST_BYTES_EACH, MOST_BYTES = 200 * 1024**2, 400 * 1024**2
MOST_RATIO, RATIO_FROM = 100, 1024**2  # small entries of blanks do no harm
LOCAL_HEADER = 30
NESTED = {".zip", ".7z", ".rar", ".gz", ".tgz", ".bz2", ".xz", ".tar", ".zst"}
CHUNK = 1 << 20


class Archive(Mapping[str, bytes]):
    """The entries of a zip by their names, which are keys only and never paths.

    Raises Refusal: unreadable, archive-limit, unsafe-archive. What an entry really unpacks to
    is counted again as it is read.
    """

    def __init__(self, path: Path, most: int = MOST_ENTRIES):
        """most : entries"""
        self._left = MOST_BYTES
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, UnicodeDecodeError) as error:
            raise _damaged() from error
        infos = self._zip.infolist()
        _check_sizes(infos, most)
        _check_names(infos)
        _check_places(infos)
        self._infos = {info.filename: info for info in infos if not info.is_dir()}

    def __getitem__(self, name: str) -> bytes:
        info = self._infos[name]
        unpacked = io.BytesIO()
        try:
            with self._zip.open(info) as entry:
                while chunk := entry.read(CHUNK):
                    self._left -= len(chunk)
                    if self._left < 0 or unpacked.tell() + len(chunk) > MOST_BYTES_EACH:
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
        raise Refusal("archive-limit", title)
    if sum(info.file_size for info in infos) > MOST_BYTES:
        raise _too_large()
    for info in infos:
        ratio = info.file_size / max(info.compress_size, 1)
        if info.file_size > MOST_BYTES_EACH or (info.file_size > RATIO_FROM and ratio > MOST_RATIO):
            raise _too_large()


def _check_names(infos: list[zipfile.ZipInfo]) -> None:
    """Plain relative names of plain files, no two alike."""
    seen: set[str] = set()
    for info in infos:
        name = info.orig_filename  # Python cuts `filename` at a NUL
        path = PurePosixPath(name)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if (
            path.is_absolute()
            or ".." in path.parts
            or any(character in name for character in "\\:\0")
            or kind not in (0, stat.S_IFREG, stat.S_IFDIR)
            or info.flag_bits & 0x1  # encrypted
            or path.suffix.lower() in NESTED
            or name.casefold() in seen
        ):
            title = f"The archive holds the entry {name[:80]!r}, which is not allowed."
            raise Refusal("unsafe-archive", title)
        seen.add(name.casefold())


def _check_places(infos: list[zipfile.ZipInfo]) -> None:
    """No two entries share bytes, as those of some bombs do."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            title = f"The archive's entry {info.filename[:80]!r} lies over another one."
            raise Refusal("unsafe-archive", title)
        end = info.header_offset + LOCAL_HEADER + info.compress_size


def _too_large() -> Refusal:
    megabytes = MOST_BYTES // 1024**2
    title = f"The archive unpacks to more than {megabytes} MB, or to a hundredfold of its size."
    return Refusal("archive-limit", title)


def _damaged() -> Refusal:
    title = "The file could not be read as a zip archive: it is damaged. Pack it again."
    return Refusal("unreadable", title)
