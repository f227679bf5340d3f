"""manage.py embedded_postgres: run the embedded PostgreSQL in the foreground (used by `up`)."""

import sys

from django.conf import settings
from django.core.management.base import BaseCommand

from core.postgres.embedded import EmbeddedPostgres


class Command(BaseCommand):
    help = "Run the embedded PostgreSQL in the foreground (used by `up`)."
    requires_system_checks = ()

    def handle(self, **options):
        sys.exit(EmbeddedPostgres(settings.DATA_DIR).run())
