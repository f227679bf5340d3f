"""manage.py login_link NAME: create a one-time login link for an administrator."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.users.models import User
from apps.users.services import login_links


class Command(BaseCommand):
    help = "Print a one-time login link for an administrator; it expires after an hour."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", default="operator", help="default: operator")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name, is_staff=True, is_active=True).first()
        if user is None:
            raise CommandError(f"No operator is called {name}.")
        self.stdout.write(login_links.make(user))
