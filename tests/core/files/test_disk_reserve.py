"""The disk's reserve, on a small disk: kept while bytes arrive, whoever brings them."""

import errno
import os
import subprocess
import threading

import pytest
from django.db import OperationalError

from core.files import blobs, disk_space
from core.files.disk_space import DiskSpaceGate, PreallocatedFile, StorageFull
from tests.files_host import OCTETS, PIECE, ask, incoming

MIB = 1024**2
DISK, RESERVE = 96 * MIB, 32 * MIB


@pytest.fixture
def small_disk(tmp_path, settings, monkeypatch):
    """Files arrive on a disk of their own."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this takes the right to mount a disk")
    (tmp_path / "incoming").mkdir()
    monkeypatch.setattr(blobs, "incoming_folder", lambda: tmp_path / "incoming")
    settings.DISK_RESERVE = RESERVE
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


def fill(announced: int | None, lowest: list[int]) -> bool:
    """Write three quarters of the disk, or until there is no room; whether all of it went."""
    with blobs.incoming_file() as (file, _):
        try:
            written = PreallocatedFile(file, announced)
            for _ in range(72):
                written.write(bytes(MIB))
                lowest.append(disk_space.free())
            written.end()
        except StorageFull:
            return False
    return True


@pytest.mark.parametrize("announced", [None, 72 * MIB])
def test_concurrent_writers_never_use_the_disk_reserve(small_disk, announced):
    lowest: list[int] = []
    writers = [threading.Thread(target=fill, args=(announced, lowest)) for _ in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert min(lowest, default=RESERVE) >= RESERVE
    assert os.listdir(small_disk / "incoming") == []
    assert disk_space.free() == DISK  # and it heals
    with blobs.incoming_file() as (file, path):
        PreallocatedFile(file, 48 * MIB).write(b"abc")


def test_preallocated_file_releases_unused_space(small_disk):
    with blobs.incoming_file() as (file, path):
        written = PreallocatedFile(file)
        written.write(bytes(5))
        assert disk_space.free() <= DISK - disk_space.PIECE
        written.end()

        assert (path.stat().st_size, path.stat().st_blocks * 512) == (5, 4096)


def test_upload_is_rejected_without_leftovers_when_disk_is_full(small_disk, location):
    with blobs.incoming_file() as (file, _):
        PreallocatedFile(file, DISK - RESERVE)
        before = incoming()

        assert ask("PUT", location, OCTETS, bytes(10)).rejection == (507, "storage-full")
        pieces = ask("PATCH", location, {**PIECE, "Upload-Offset": 0}, bytes(10))
        assert pieces.rejection == (507, "storage-full")
        (begun,) = {*incoming()} - {*before}
        assert (small_disk / "incoming" / begun / "content").stat().st_size == 0
    assert ask("PATCH", location, {**PIECE, "Upload-Offset": 0}, bytes(10)).status == 204


def test_job_waits_until_disk_space_is_available(small_disk, broker_message):
    begun = threading.Event()
    filler = small_disk / "filler"
    filler.write_bytes(bytes(DISK - RESERVE // 2 + MIB))

    def work():
        DiskSpaceGate().before_process_message(None, broker_message("meshes"))
        begun.set()

    worker = threading.Thread(target=work)
    worker.start()
    DiskSpaceGate().before_process_message(None, broker_message("default"))
    assert not begun.is_set()
    filler.unlink()
    assert begun.wait(60)
    worker.join()


@pytest.fixture
def broker_message():
    class Message:
        def __init__(self, queue_name: str):
            self.queue_name = queue_name

    return Message


class DiskFull(Exception):
    sqlstate = "53100"


def test_disk_full_is_distinguished_from_other_errors():
    lost, full = OperationalError(), OperationalError()
    full.__cause__ = DiskFull()

    assert disk_space.is_disk_full(full) and disk_space.is_disk_full(OSError(errno.ENOSPC, ""))
    assert not disk_space.is_disk_full(lost) and not disk_space.is_disk_full(
        OSError(errno.EACCES, "")
    )
