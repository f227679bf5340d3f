"""manage.py migrate: Django's, without idle_in_transaction_session_timeout."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connection


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate on a connection that is not ended for a pause, as a request's is.

        On a machine that is busy with other things Python takes seconds between two statements.
        """
        with connection.cursor() as cursor:
            cursor.execute("SET idle_in_transaction_session_timeout = 0")
        super().handle(*args, **options)
