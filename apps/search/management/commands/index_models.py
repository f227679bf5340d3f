"""manage.py index_models [URI ...]: describes models that were uploaded without it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.search.domain import bulk_indexing
from apps.search.management.progress import describe
from core import uris


class Command(BaseCommand):
    help = (
        "Describes for geometric search all models that are not, or those named, on every core. "
        "It can be interrupted and run again: what is described is not described again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("uri", nargs="*", help="models; all of them where none is named")

    def handle(self, *args: Any, uri: list[str], **options: Any) -> None:
        keys = []
        for name in uri:
            named = uris.keys_of(name, "model")
            if not named:
                raise CommandError(f"{name} is not the URI of a model.")
            keys += named
        found, given = (bulk_indexing.CHOSEN, (keys,)) if keys else (bulk_indexing.STORED, ())
        describe(found, given, self.stdout.write)
