"""manage.py restore: disaster recovery from a backup into an empty installation."""

import contextlib
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from core.files import storage
from core.files.storage.errors import StorageError
from core.files.storage.scrub import scrub
from core.postgres.base_backup import BackupFailed
from core.postgres.embedded import EmbeddedPostgres, PostgresFailed
from core.uris import base_url
from ops.backup import NOWHERE, Manifest, bring_database_back, bring_files_back, read

# In DATA_DIR, while the database of the backup that it names is ours already.
RESTORE_MARKER = "restoring"


class Command(BaseCommand):
    help = "Bring secrets, database and files back from a folder that `backup` made."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which one."""
        parser.add_argument("folder", type=Path, help="of one backup, as backups/2026-11-25T...")
        parser.add_argument(
            "--new-address", action="store_true", help="although URIs begin with another address"
        )

    def handle(self, *args: Any, folder: Path, new_address: bool, **options: Any) -> None:
        """Bring it back (the secrets are there already), and look whether it is whole.

        It may be killed at any moment, and begun again.
        """
        folder = folder.resolve()
        try:
            manifest = read(folder)
            if manifest.address != base_url("") and not new_address:
                raise CommandError(
                    f"The backup is of {manifest.address}, and this machine would write "
                    f"{base_url('')} "
                    "into URIs: set PARENT_HOST, HOST_SCHEME and HOST_PORT as they were; or say "
                    "--new-address."
                )
            begun = time.monotonic()
            self._bring_database(folder, manifest)
            with _server_running():
                call_command("migrate", interactive=False, verbosity=0)
                self._say(f"The database is there, after {time.monotonic() - begun:.1f} s.")
                self._bring_files(folder, manifest)
                self._say(f"All is there, after {time.monotonic() - begun:.1f} s.")
                self._look()
        except (BackupFailed, PostgresFailed, StorageError) as error:
            raise CommandError(str(error)) from None
        (settings.DATA_DIR / RESTORE_MARKER).unlink(missing_ok=True)
        self._say("Start the platform: make up.")

    def _bring_database(self, folder: Path, manifest: Manifest) -> None:
        mark = settings.DATA_DIR / RESTORE_MARKER
        if not (mark.exists() and mark.read_text() == str(folder)):
            bring_database_back(folder, manifest)
            mark.write_text(str(folder))

    def _bring_files(self, folder: Path, manifest: Manifest) -> None:
        run = bring_files_back(folder, manifest)
        if run is None:
            why = "holds none" if manifest.files == NOWHERE else "has them where the platform does"
            self._say(f"No files were copied: the backup {why}.")
        else:
            self._say(f"{run.done.copied} files copied, {run.done.there} were there.")

    def _look(self) -> None:
        """An error where files are missing, or a book is wrong."""
        found = scrub(storage.current())
        self._say(f"{found.rows} files belong to it, {len(found.damaged)} are missing or damaged.")
        call_command("check_consistency", stdout=self.stdout)
        if found.damaged:
            raise CommandError(
                "The platform can run without these files; `manage.py storage check` says whose "
                "they are: " + ", ".join(sorted(found.damaged)[:5])
            )

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()


@contextlib.contextmanager
def _server_running() -> Iterator[None]:
    """The embedded server runs, where the database is that one."""
    server = EmbeddedPostgres(settings.DATA_DIR) if settings.DATABASE_EMBEDDED else None
    if server:
        server.start(tied=True)
    try:
        yield
    finally:
        connection.close()
        if server:
            server.stop()
