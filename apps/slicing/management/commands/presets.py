"""manage.py presets: lists the presets of the installed PrusaSlicer, or slices with each."""

from argparse import ArgumentParser
from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.slicing.domain import trial
from apps.slicing.domain.catalogue import Catalogue, Preset, catalogue


class Command(BaseCommand):
    help = (
        "Lists the printers that there are presets for, what cannot be used and why; with --check "
        "slices a cube of 20 mm for each printer, with its own print and filament."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--vendor", help="only this vendor's")
        parser.add_argument("--check", action="store_true", help="slice a cube with each")
        parser.add_argument("--most", type=int, help="so many of each vendor")

    def handle(
        self, *args: Any, vendor: str | None, check: bool, most: int | None, **options: Any
    ) -> None:
        read = catalogue()
        for name, refusal in read.refused.items():
            self.stdout.write(f"{name}: left out. {refusal.title}")
        printers = [row for row in read if row.kind == "printer" and vendor in (None, row.vendor)]
        if not printers:
            known = ", ".join(sorted({row.vendor for row in read}))
            raise CommandError(f"There are no printers of {vendor}; there are of: {known}.")
        failed = 0
        for name in sorted({row.vendor for row in printers}):
            of_vendor = (row for row in printers if row.vendor == name)
            chosen = sorted(of_vendor, key=lambda row: not row.usable)
            for printer in islice(chosen, most):
                words = "; ".join(printer.reasons)
                if check and printer.usable:
                    words = self._tried(read, printer)
                    failed += bool(words)
                self.stdout.write(f"{name}: {printer.name}: {words or 'usable'}")
        if failed:
            raise CommandError(f"{failed} of {len(printers)} printers could not be sliced for.")

    def _tried(self, read: Catalogue, printer: Preset) -> str:
        """Why a cube cannot be sliced with a printer's default triple; empty where it can."""
        print_, filament = read.defaults_of(printer)
        if print_ is None or filament is None:
            return "no print or no filament fits it"
        return trial.slice_cube(read, printer, print_, filament)
