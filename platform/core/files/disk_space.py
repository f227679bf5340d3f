"""Disk-space admission: what uploads and jobs may use before the database's reserve.

Uploads end where they would use `DISK_RESERVE`, jobs at half of it: accepted files can still be
analysed, and the database never runs out of disk. Files are preallocated piece by piece, so that
the file system itself counts the space for all processes.
"""

import ctypes
import errno
import fcntl
import logging
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, BinaryIO

from django.conf import settings
from django.db import OperationalError
from dramatiq import Middleware

from core.errors import ServiceError
from core.files import blobs

PIECE = 16 * 1024**2  # bytes that a file of unknown length is given ahead
PAUSE = 1.0  # seconds until a job looks again whether there is room
FALLOC_FL_KEEP_SIZE = 1  # linux/falloc.h
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
TIDYING = ("default",)  # the queues whose work makes room

logger = logging.getLogger(__name__)
_libc = ctypes.CDLL(None, use_errno=True)
_libc.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)


class StorageFull(ServiceError):
    """The disk's reserve would be touched; nothing of the request stays."""

    status = HTTPStatus.INSUFFICIENT_STORAGE
    code = "storage-full"

    def __init__(self) -> None:
        super().__init__("The server's disk is full: tell its operator.")


def free() -> int:
    """Bytes that are free where files arrive."""
    return shutil.disk_usage(blobs.incoming_folder()).free


def require(size: int = 0) -> None:
    """Raise StorageFull where an upload of `size` bytes would touch the reserve."""
    if free() < settings.DISK_RESERVE + size:
        raise StorageFull


def has_space_for_jobs() -> bool:
    """Return whether there is space for the output of jobs."""
    return free() >= settings.DISK_RESERVE // 2


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error, of Python or of the database, means that a disk is full."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    cause: Any = error.__cause__
    return isinstance(error, OperationalError) and getattr(cause, "sqlstate", None) == "53100"


class PreallocatedFile:
    """Writes a file with preallocated space, or raises StorageFull.

    announced : expected bytes, which are allocated at once; None where unknown
    """

    def __init__(self, file: BinaryIO, announced: int | None = None):
        self._file = file
        self._end = self._kept = os.fstat(file.fileno()).st_size
        if announced:
            self._keep(announced)

    def write(self, data: bytes) -> None:
        """Write at the end of the file."""
        self._end += len(data)
        if self._end > self._kept:
            self._keep(max(PIECE, self._end - self._kept))
        with _storage_full():
            self._file.write(data)

    def end(self) -> None:
        """Return once the file is on the disk, with no more room than it needs."""
        with _storage_full():
            self._file.flush()
            os.ftruncate(self._file.fileno(), os.fstat(self._file.fileno()).st_size)
            os.fsync(self._file.fileno())

    def _keep(self, size: int) -> None:
        # One at a time in all processes: between look and reservation nobody else takes it.
        with _turn(), _storage_full():
            require(size)
            if _libc.fallocate(self._file.fileno(), FALLOC_FL_KEEP_SIZE, self._kept, size):
                number = ctypes.get_errno()
                if number in NO_ROOM:
                    raise OSError(number, os.strerror(number))
                size = 0  # this file system keeps none: it is looked at each time
        self._kept += size


class DiskSpaceGate(Middleware):
    """Starts a job only where there is space for its output; a job that waits has not failed."""

    def before_process_message(self, broker: Any, message: Any) -> None:
        """Wait, but for what makes room."""
        if message.queue_name.partition(".")[0] in TIDYING:
            return
        waited = False
        while not has_space_for_jobs():
            if not waited:
                logger.error("%s: waiting for disk space.", message)
            waited = True
            time.sleep(PAUSE)


@contextmanager
def _storage_full() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise StorageFull from error
        raise


@contextmanager
def _turn() -> Iterator[None]:
    handle = os.open(blobs.incoming_folder().parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
