"""manage.py migrate: Django's, beside requests that go on.

A migration that waits for a table holds up every request to it, and one that holds another table
meanwhile deadlocks with a request that wants both. So it waits for a lock less than PostgreSQL
waits before it looks for a deadlock, is rolled back, and begins again. An empty database gets the
stored schema.
"""

import time
from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db import OperationalError, connection
from psycopg import errors

from ops.pending_migrations import load_stored_schema, migration_lock

LOCK_WAIT = "900ms"  # below PostgreSQL's deadlock_timeout and the lock_timeout of requests
PAUSE = 0.5  # s between two tries
# Options with which the stored schema is not loaded.
WITHOUT_SCHEMA = ("all_migrations", "app_label", "plan", "check_unapplied", "fake", "prune")
TRIES = 600  # with the wait, minutes: longer than any job or backup holds a table


class Command(migrate.Command):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--all-migrations",
            action="store_true",
            help="Apply every migration to an empty database, in place of its stored schema.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, one process at a time; what was applied stays when the rest is tried again.

        The connection is not ended for a pause, as a request's is: on a machine that is busy with
        other things Python takes seconds between two statements.
        """
        with connection.cursor() as cursor:
            cursor.execute("SET idle_in_transaction_session_timeout = 0")
        with migration_lock():
            for left in reversed(range(TRIES)):
                with connection.cursor() as cursor:
                    cursor.execute(f"SET lock_timeout = '{LOCK_WAIT}'")
                try:
                    if not any(options[name] for name in WITHOUT_SCHEMA):
                        self._load_schema(verbosity=options["verbosity"])
                    super().handle(*args, **options)
                    break
                except OperationalError as error:
                    if not left or not _is_lock(error):
                        raise
                time.sleep(PAUSE)

    def _load_schema(self, *, verbosity: int) -> None:
        if load_stored_schema() and verbosity:
            self.stdout.write("Loaded the stored schema into the empty database.")


def _is_lock(error: OperationalError) -> bool:
    """Whether it was another's lock that stopped it."""
    return isinstance(error.__cause__, errors.LockNotAvailable | errors.DeadlockDetected)
