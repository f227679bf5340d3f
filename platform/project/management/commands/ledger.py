"""manage.py ledger: whether each change of state was told, as the books have it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.callbacks import interface as callbacks


class Command(BaseCommand):
    help = "Check that events and deliveries are complete and in order; status 1 where not."

    def handle(self, *args: Any, **options: Any) -> None:
        """Look at what is on record, and change nothing."""
        broken = callbacks.broken_rules()
        if broken:
            raise CommandError("\n".join(broken))
        self.stdout.write("Each change has its event, and each event its deliveries.")
