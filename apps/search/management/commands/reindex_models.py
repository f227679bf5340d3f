"""manage.py reindex_models: recomputes descriptors of a former version."""

from typing import Any

from django.core.management.base import BaseCommand

from apps.search.domain import bulk_indexing
from apps.search.management.progress import describe
from geometry.similarity import DESCRIPTOR_VERSION


class Command(BaseCommand):
    help = (
        "Describes again, after an update that describes otherwise, what was described before it, "
        "and then deletes the old descriptors. It can be interrupted and run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if describe(bulk_indexing.OLDER, (DESCRIPTOR_VERSION,), self.stdout.write):
            self.stdout.write("The old descriptors of those that failed go as well.")
        self.stdout.write(f"{bulk_indexing.forget_older()} old descriptors deleted.")
