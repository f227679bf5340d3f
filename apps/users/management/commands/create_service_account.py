"""manage.py create_service_account NAME: a platform service, and a token for it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.users.models.credential import METRICS
from apps.users.services import accounts, tokens


class Command(BaseCommand):
    help = "Create a platform service unless it exists; print a new API token for it once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the service's user name")
        parser.add_argument(
            "--metrics", action="store_true", help="make the token for the metrics, and only them"
        )

    def handle(self, *args: Any, name: str, metrics: bool, **options: Any) -> None:
        """Print `uuid:secret`, as HTTP Basic credentials are written."""
        try:
            user = accounts.create_service_account(username=name)
        except accounts.NameTaken as error:
            raise CommandError(error.title) from None
        token = tokens.make_token(
            user=user,
            actor=user,
            name="create_service_account",
            namespaces=[METRICS] if metrics else None,
        )
        self.stderr.write(f"A token of {user.uri}, shown only now:")
        self.stdout.write(f"{token.uuid}:{token.secret}")
