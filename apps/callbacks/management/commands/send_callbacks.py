"""manage.py send_callbacks: the process that requests callbacks."""

import os
import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.callbacks.domain import sender
from core import installation


class Command(BaseCommand):
    help = "Request the callbacks that are due, as long as this process lives."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="send what is due now, and end")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the sender; ends with status 1 when it fails."""
        try:
            installation.require_same_installation()
        except installation.WrongInstallation as error:
            raise CommandError(str(error)) from None
        if options["once"]:
            self.stdout.write(f"{sender.run_once()} attempts")
            return
        # There is nothing to tidy up that the next start would not: signals end it at once.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            sender.run()
        except Exception:
            sender.logger.exception("The sender failed; it has to be started again")
            # Not sys.exit: that waits for threads which may hang in a look-up of a dead name.
            os._exit(1)
