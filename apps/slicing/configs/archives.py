"""ZIP archives of settings: their members, read within limits."""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from apps.slicing.configs.bundles import InvalidBundle

MAX_MEMBERS = 5_000
MAX_MEMBER_BYTES = 4_000_000
MAX_UNPACKED_BYTES = 32_000_000
ZIP_SIGNATURE = b"PK\x03\x04"


class SettingsArchive:
    """The files in an archive; a later one replaces an earlier one of its name."""

    def __init__(self, archive: zipfile.ZipFile):
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            title = f"The archive has more than {MAX_MEMBERS:,} files."
            raise InvalidBundle("limit-exceeded", title)
        self._archive = archive
        self._members = {one.filename: one for one in members if not one.is_dir()}
        self._room = MAX_UNPACKED_BYTES

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def find(self, name: str) -> str | None:
        """Return the name of a member, whose case may be another."""
        return next((one for one in self._members if one.casefold() == name.casefold()), None)

    def read(self, name: str) -> bytes:
        """Return a member, whatever size its header names. Raises InvalidBundle."""
        limit = min(self._room, MAX_MEMBER_BYTES)
        with self._archive.open(self._members[name]) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            title = f"{name[:100]} or the archive is too large unpacked."
            raise InvalidBundle("limit-exceeded", title)
        self._room -= len(data)
        return data

    def start(self, name: str, size: int) -> bytes:
        """Return the first bytes of a member."""
        with self._archive.open(self._members[name]) as file:
            return file.read(size)


@contextmanager
def opened(file: IO[bytes]) -> Iterator[SettingsArchive]:
    """Yield an archive. Raises InvalidBundle where it, or a member, cannot be read."""
    try:
        with zipfile.ZipFile(file) as archive:
            yield SettingsArchive(archive)
    except (
        zipfile.BadZipFile,
        RuntimeError,
        NotImplementedError,
        EOFError,
        OSError,
        ValueError,
        zlib.error,
    ) as error:
        title = f"The archive cannot be read: {str(error)[:200]}."
        raise InvalidBundle("invalid-bundle", title) from error
