"""manage.py reanalyse_models: repeat outdated analyses and printability assessments."""

import time

from django.core.management.base import BaseCommand

from apps.warehouse.actors.analysis import analyse_again
from apps.warehouse.actors.printability import assess_printability
from apps.warehouse.models import Model
from geometry.analysis import ANALYSIS_VERSION
from geometry.printability import PRINTABILITY_VERSION

PAUSE = 1.0  # seconds between two looks


class Command(BaseCommand):
    help = "Enqueue models whose analysis or printability is of an older version."

    def add_arguments(self, parser):
        parser.add_argument("--watch", action="store_true", help="stay until the work is done")

    def handle(self, *, watch: bool, **options):
        files = self._files()
        for content in files.iterator():
            analyse_again.send(content)
        meshes = self._meshes()
        for canonical in meshes.iterator():
            assess_printability.send(canonical)
        self.stdout.write(f"{self._left()} files are to be analysed or assessed.")
        while watch and (left := self._left()):
            self.stdout.write(f"{left} are left.")
            time.sleep(PAUSE)

    def _files(self):
        outdated = Model.objects.outdated(ANALYSIS_VERSION).exclude(content=None)
        return outdated.values_list("content", flat=True).order_by("content").distinct()

    def _meshes(self):
        """Return meshes with a current analysis; others are assessed after their analysis."""
        judged = Model.objects.filter(analyses__version=ANALYSIS_VERSION)
        unassessed = judged.not_assessed(PRINTABILITY_VERSION).exclude(canonical=None)
        return unassessed.values_list("canonical", flat=True).order_by("canonical").distinct()

    def _left(self) -> int:
        return self._files().count() + self._meshes().count()
