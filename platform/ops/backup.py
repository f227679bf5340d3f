"""Backup and restore of the whole installation: database, files, secrets.

    FOLDER/files/blobs/                 each file once, for all backups in the folder
    FOLDER/2026-11-25T02-40-00Z/        one backup
        base.tar.gz, pg_wal.tar.gz, backup_manifest     or database.dump
        secrets.json                    whoever has it is the platform: keep it as such
        files.txt                       hash and bytes of each file that belongs to it
        backup.json                     written last: without it a backup is none

Files are never changed and a removed one is nobody's since a day, so those that are copied before
the database, and those after it once more, are all that the database names.
"""

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from os import environ
from pathlib import Path

from django.conf import settings

from core import VERSION
from core.files import blobs, storage
from core.files.storage.local import LocalBackend
from core.files.storage.transfer import Transfer
from core.files.storage_url import read_address
from core.models import Blob
from core.postgres import base_backup
from core.postgres.base_backup import BackupFailed
from core.postgres.embedded import EmbeddedPostgres
from core.postgres.server_config import ADMIN
from core.uris import base_url

HERE, NOWHERE = "here", "none"  # where copies of the files lie: beside the backups, or in no place
MANIFEST, LISTED, SECRETS = "backup.json", "files.txt", "secrets.json"

Say = Callable[[str], None]


@dataclass
class Manifest:
    """What a backup says of itself.

    kind    : `base`, of PostgreSQL's own files, or `dump`
    files   : where copies of the files lie: HERE, NOWHERE, or the URL of a bucket
    seconds : that each part took
    lacking : of files that could not be copied, why, by hash
    """

    kind: str
    files: str
    address: str = field(default_factory=lambda: base_url(""))
    version: str = VERSION
    begun: str = ""
    ended: str = ""
    count: int = 0
    size: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)


def back_up(
    folder: Path, *, url: str, files: str, dump: bool, rate: float, say: Say
) -> tuple[Path, Manifest]:
    """Back up into a new folder below `folder`, while the platform runs.

    url   : of a role that may copy the database; empty for the platform's own
    files : HERE, NOWHERE, or the URL of a bucket that copies go to
    rate  : bytes a second at most, of files and of the database; 0 for any

    Raises BackupFailed, StorageError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    manifest = Manifest("dump" if dump else "base", files, begun=_now())
    name = manifest.begun.replace(":", "-")
    part = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder))
    try:
        copies = _copies(folder, files)
        with _timed(manifest, "files", say):
            _copy(copies, rate, manifest)
        with _timed(manifest, "database", say):
            _take_database(part, url, dump=dump, rate=rate)
        with _timed(manifest, "files since", say):
            _copy(copies, rate, manifest)
            _list(part / LISTED, manifest)
        shutil.copyfile(settings.SECRETS_FILE, part / SECRETS)
        (part / SECRETS).chmod(0o600)
        manifest.ended = _now()
        (part / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1))
        return part.rename(folder / name), manifest
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def read(folder: Path) -> Manifest:
    """What the backup in `folder` says of itself. Raises BackupFailed where it is none."""
    try:
        return Manifest(**json.loads((folder / MANIFEST).read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise BackupFailed(f"{folder} is no whole backup: {error}") from None


def bring_database_back(folder: Path, manifest: Manifest) -> None:
    """Have the database of a backup be ours, where that is ours to do.

    Raises BackupFailed, PostgresFailed.
    """
    url = settings.DATABASE_DIRECT_URL
    if settings.DATABASE_EMBEDDED:
        server = EmbeddedPostgres(settings.DATA_DIR)
        if manifest.kind == "base":
            server.adopt(lambda cluster: base_backup.unpack(folder, cluster))
            return
        server.start(tied=True)
        server.create_database()
        url = server.url()
    if manifest.kind == "base":
        if base_backup.is_empty(url):
            raise BackupFailed(
                "The files of an external server are put back where it runs, before this: stop it, "
                f"empty its data folder, unpack {folder / base_backup.FILES} there and "
                f"{folder / base_backup.LOG} into its pg_wal, and start it: docs/disaster.md."
            )
    elif base_backup.is_empty(url):
        base_backup.load(folder, url)
    else:
        raise BackupFailed("There are tables in the database: make an empty one in its place.")


def bring_files_back(folder: Path, manifest: Manifest) -> Transfer | None:
    """Copy the files that are missing to where the platform looks for them.

    None where the backup has no copies, but the bucket itself. Raises StorageError.
    """
    copies = _copies(folder.parent, manifest.files)
    target = storage.opened(settings.FILES_AT)
    if copies is None or str(copies) == str(target):
        return None
    run = Transfer(copies, target, scratch=blobs.scratch_dir)
    for _ in run.run():
        pass
    return run


def _take_database(part: Path, url: str, *, dump: bool, rate: float) -> None:
    embedded = EmbeddedPostgres(settings.DATA_DIR) if settings.DATABASE_EMBEDDED else None
    if dump:
        own = embedded.url() if embedded else settings.DATABASE_DIRECT_URL
        base_backup.dump(url or own, part)
    else:
        own = embedded.url(role=ADMIN) if embedded else settings.DATABASE_DIRECT_URL
        base_backup.take(url or own, part, rate=rate)


def _copies(folder: Path, files: str) -> storage.StorageBackend | None:
    if files == NOWHERE:
        return None
    if files == HERE:
        return LocalBackend(folder / "files")
    return storage.opened(read_address(files, environ))


def _copy(copies: storage.StorageBackend | None, rate: float, manifest: Manifest) -> None:
    if copies is None:
        return
    run = Transfer(storage.current(), copies, scratch=_scratch_for(copies), rate=rate)
    for _ in run.run():
        pass
    manifest.lacking = run.done.failed


def _scratch_for(
    copies: storage.StorageBackend,
) -> Callable[[], contextlib.AbstractContextManager[Path]]:
    """Where a file lies while it comes: on the disk of the copies, so that a rename moves it."""
    if not isinstance(copies, LocalBackend):
        return blobs.scratch_dir
    root = copies.path("00").parents[2]
    root.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextlib.contextmanager
    def scratch() -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix=".coming-", dir=root) as name:
            yield Path(name)

    return scratch


def _list(path: Path, manifest: Manifest) -> None:
    with path.open("w") as file:
        for blob in Blob.objects.order_by("pk").iterator():
            file.write(f"{blob.sha256}  {blob.size}\n")
            manifest.count += 1
            manifest.size += blob.size


@contextlib.contextmanager
def _timed(manifest: Manifest, name: str, say: Say) -> Iterator[None]:
    begun = time.monotonic()
    yield
    manifest.seconds[name] = round(time.monotonic() - begun, 1)
    say(f"{name}: {manifest.seconds[name]} s")


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
