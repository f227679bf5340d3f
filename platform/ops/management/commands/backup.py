"""manage.py backup: online backup of database, files and secrets."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.files.storage.errors import StorageError
from core.postgres.base_backup import BackupFailed
from ops.backup import HERE, NOWHERE, back_up
from ops.management.commands.storage import rate_of


class Command(BaseCommand):
    help = "Back up the platform while it runs: docs/disaster.md says how to come back from it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to, and what else than the usual."""
        parser.add_argument("folder", type=Path, help="where backups are kept, on another disk")
        parser.add_argument(
            "--files",
            default=HERE,
            metavar=f"{HERE}|{NOWHERE}|URL",
            help="where copies of the files go: beside the backup, in no place, in a bucket",
        )
        parser.add_argument(
            "--database", default="", metavar="URL", help="as a role that may copy the database"
        )
        parser.add_argument(
            "--dump", action="store_true", help="by pg_dump, which holds a snapshot meanwhile"
        )
        parser.add_argument("--rate", type=rate_of, default=0.0, help="bytes a second, as 50M")

    def handle(self, *args: Any, folder: Path, database: str, **options: Any) -> None:
        """Take it; an error where it is not whole."""
        given = {name: options[name] for name in ("files", "dump", "rate")}
        try:
            made, manifest = back_up(folder.resolve(), url=database, say=self._say, **given)
        except (BackupFailed, StorageError) as error:
            raise CommandError(str(error)) from None
        self._say(f"{manifest.count} files of {manifest.size} bytes belong to it.")
        self._say(f"Backed up into {made}.")
        if manifest.lacking:
            lines = [f"  {sha256}: {why}" for sha256, why in sorted(manifest.lacking.items())]
            first = f"{len(lines)} files could not be copied; `manage.py storage check` says whose:"
            raise CommandError("\n".join([first, *lines]))

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()
