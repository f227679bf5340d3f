"""G-code that a slicer has written: read without following what the slicer put in its place."""

import os
import stat
import struct
import subprocess
import zipfile
import zlib
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from agent.engine_kinds import EngineKind
from machines.drivers import Rejected

MAX_DIRECTORY_BYTES = 4 << 20  # of the list of files at the end of a package
END_RECORD, END_RECORD_BYTES, LOCATOR_64 = b"PK\x05\x06", 22, b"PK\x06\x07"
CHUNK = 1 << 20


class TooLarge(Rejected):
    """The G-code is larger than the job allows."""


def open_result(folder: Path, kind: EngineKind, max_bytes: int) -> BinaryIO:
    """Return the G-code of a job, open for reading. Raises Rejected and TooLarge.

    max_bytes : bytes that it may have
    """
    for name in kind.results:
        file = open_inside(folder, name)
        if file is None:
            continue
        if not kind.package:
            return _checked(file, max_bytes)
        with file:
            return extract(file, kind.package, folder.parent, max_bytes)
    raise Rejected("The slicer has written no G-code.")


def open_inside(folder: Path, name: str) -> BinaryIO | None:
    """Return a file of a folder without following links, None: there is none. Raises Rejected."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *parents, last = name.split("/")
        for part in parents:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
            below = os.open(part, flags, dir_fd=handle)
            os.close(handle)
            handle = below
        # A pipe in its place must not block.
        opened = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Rejected(f"{name} of the slicer cannot be read: {error.strerror}.") from error
    finally:
        os.close(handle)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise Rejected(f"{name} of the slicer is no file.")
    return os.fdopen(opened, "rb")


def extract(package: BinaryIO, member: str, beside: Path, max_bytes: int) -> BinaryIO:
    """Return a member of a ZIP package as a file without a name. Raises Rejected and TooLarge.

    beside : folder on the disk that holds the file
    """
    _check_directory(package)
    target = cast(BinaryIO, TemporaryFile(dir=beside))  # noqa: SIM115  the caller closes it
    try:
        with zipfile.ZipFile(package) as archive:
            entry = archive.getinfo(member)
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Rejected(f"{member} is compressed by an unknown method.")
            with archive.open(entry) as source:
                while chunk := source.read(CHUNK):
                    target.write(chunk)
                    if target.tell() > max_bytes:
                        raise TooLarge(f"The G-code has more than {max_bytes} bytes.")
    except KeyError as error:
        raise Rejected(f"The package of the slicer has no {member}.") from error
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, ValueError) as error:
        raise Rejected(f"The package of the slicer cannot be read: {error}.") from error
    return _checked(target, max_bytes)


def _check_directory(package: BinaryIO) -> None:
    """Raise Rejected for a package whose list of files would not fit into memory."""
    size = package.seek(0, os.SEEK_END)
    package.seek(max(0, size - END_RECORD_BYTES - 0xFFFF))
    tail = package.read()
    start = tail.rfind(END_RECORD)
    package.seek(0)
    if start < 0 or len(tail) - start < END_RECORD_BYTES:
        raise Rejected("The package of the slicer is no ZIP file.")
    (length,) = struct.unpack_from("<L", tail, start + 12)
    if length > MAX_DIRECTORY_BYTES or LOCATOR_64 in tail:
        raise Rejected("The package of the slicer lists too many files.")


def _checked(file: BinaryIO, max_bytes: int) -> BinaryIO:
    """Return the file at its beginning. Raises Rejected and TooLarge."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if 0 < size <= max_bytes:
        return file
    file.close()
    if size:
        raise TooLarge(f"The G-code has more than {max_bytes} bytes.")
    raise Rejected("The G-code of the slicer is empty.")


def remove(folder: Path) -> None:
    """Delete the folder of a job, however deep or unreadable the slicer has made it."""
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run([*command, "--", str(folder)], check=False, stderr=subprocess.DEVNULL)  # noqa: S603
