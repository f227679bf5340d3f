"""Runs the embedded PostgreSQL in the foreground (for the supervisor)."""

import sys

from django.conf import settings
from django.core.management.base import BaseCommand

from core.postgres.embedded import EmbeddedPostgres


class Command(BaseCommand):
    help = "Runs the embedded PostgreSQL in the foreground until it is told to end."
    requires_system_checks = ()

    def handle(self, **options):
        sys.exit(EmbeddedPostgres(settings.DATA_DIR).run())
