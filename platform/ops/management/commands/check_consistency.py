"""manage.py check_consistency: verifies invariants of events, deliveries, stock and documents."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.callbacks import interface as callbacks
from apps.erp import interface as erp


class Command(BaseCommand):
    help = "Check invariants of events, deliveries, stock and documents; exit 1 on violations."

    def handle(self, *args: Any, **options: Any) -> None:
        """Look at what is on record, and change nothing."""
        broken = [*callbacks.broken_rules(), *erp.broken_rules()]
        if broken:
            raise CommandError("\n".join(broken))
        self.stdout.write("Each change has its event, and each event its deliveries.")
        self.stdout.write("Of each lot there is as much as its movements come to.")
        self.stdout.write("No number of a document is missing in its series.")
