"""manage.py presets: list the presets of the installed PrusaSlicer, or slice with them."""

import json
import random
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.slicing.configs.bundles import KINDS, InvalidBundle
from apps.slicing.configs.orca.bundle import TranslatedBundle
from apps.slicing.domain import preset_check
from apps.slicing.domain.catalogue import Catalogue, Preset, catalogue, read_profile_file
from apps.slicing.domain.printer_models import printer_models

SEED = 2025


class Command(BaseCommand):
    help = (
        "Lists the printers that there are presets for, and why some cannot be used. With --check "
        "slices a cube of 20 mm for each printer, with its default print and filament; with "
        "--random N for N triples of presets. With --models lists the printer models as JSON. With "
        "--file lists what is used of a profile that OrcaSlicer or Bambu Studio has exported."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--vendor", help="only this vendor's")
        parser.add_argument("--limit", type=int, help="printers of each vendor")
        task = parser.add_mutually_exclusive_group()
        task.add_argument("--check", action="store_true", help="slice a cube for each printer")
        task.add_argument(
            "--random",
            type=int,
            metavar="N",
            help="slice a cube with N triples of printer, print and filament, the same each time",
        )
        task.add_argument("--models", action="store_true", help="list the models, as JSON")
        task.add_argument("--file", type=Path, help="a .json, .orca_printer, .bbscfg, .zip or .3mf")

    def handle(self, *args: Any, vendor: str | None, limit: int | None, **options: Any) -> None:
        if options["file"]:
            self._list_profiles(options["file"])
            return
        read = catalogue()
        printers = [row for row in read if row.kind == "printer" and vendor in (None, row.vendor)]
        if not printers:
            known = ", ".join(sorted({row.vendor for row in read}))
            raise CommandError(f"There are no printers of {vendor}; there are of: {known}.")
        if options["models"]:
            self._list_models(read, vendor)
        elif options["random"]:
            self._try_triples(read, printers, options["random"])
        else:
            for name, rejection in read.refused.items():
                self.stdout.write(f"{name}: left out. {rejection.title}")
            self._list_printers(read, printers, limit, check=options["check"])

    def _list_profiles(self, path: Path) -> None:
        """List the presets of a file, each with what is dropped of it, or why it cannot be read."""
        try:
            bundle = read_profile_file(path)
        except InvalidBundle as rejection:
            raise CommandError(f"{path.name}: {rejection.title}") from rejection
        for kind in KINDS:
            for name in bundle.names(kind):
                self.stdout.write(f"{kind}: {name}: {_outcome(bundle, kind, name)}")

    def _list_models(self, read: Catalogue, vendor: str | None) -> None:
        rows = [asdict(row) for row in printer_models(read) if vendor in (None, row.vendor)]
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        self.stdout.write(f'{{"prusaslicer": "{read.engine.version()}", "models": [\n{lines}\n]}}')

    def _list_printers(
        self, read: Catalogue, printers: list[Preset], limit: int | None, *, check: bool
    ) -> None:
        failed = 0
        for name in sorted({row.vendor for row in printers}):
            of_vendor = (row for row in printers if row.vendor == name)
            chosen = sorted(of_vendor, key=lambda row: not row.usable)
            for printer in islice(chosen, limit):
                words = "; ".join(printer.reasons)
                if check and printer.usable:
                    words = self._tried(read, printer)
                    failed += bool(words)
                self.stdout.write(f"{name}: {printer.name}: {words or 'usable'}")
                self.stdout.flush()
        if failed:
            raise CommandError(f"{failed} of {len(printers)} printers could not be sliced for.")

    def _try_triples(self, read: Catalogue, printers: list[Preset], count: int) -> None:
        failed = 0
        for printer, print_, filament, extruder in islice(_triples(read, printers), count):
            words = preset_check.slice_cube(read, printer, print_, filament, extruder)
            failed += bool(words)
            names = f"{printer.name}, {print_.name}, {filament.name}, extruder {extruder}"
            self.stdout.write(f"{names}: {words or 'sliced'}")
            self.stdout.flush()
        if failed:
            raise CommandError(f"{failed} of {count} triples could not be sliced with.")

    def _tried(self, read: Catalogue, printer: Preset) -> str:
        """Return why a cube cannot be sliced with a printer's defaults; empty where it can."""
        print_, filament = read.defaults_of(printer)
        if print_ is None or filament is None:
            return "no print or no filament fits it"
        return preset_check.slice_cube(read, printer, print_, filament)


def _outcome(bundle: TranslatedBundle, kind: str, name: str) -> str:
    try:
        count = len(bundle.flat(kind, name))
    except InvalidBundle as rejection:
        return rejection.title
    dropped = ", ".join(bundle.dropped(kind, name)) or "nothing"
    return " ".join([f"{count} settings; dropped: {dropped}.", *bundle.remarks(kind, name)])


def _triples(
    read: Catalogue, printers: list[Preset]
) -> Iterator[tuple[Preset, Preset, Preset, int]]:
    """Draw printers, and of each an extruder, a print and a filament that fit; without end."""
    draw = random.Random(SEED)  # noqa: S311  a sample, no secret
    usable = sorted((row for row in printers if row.usable), key=lambda row: row.uuid)
    while usable:
        printer = draw.choice(usable)
        extruder = draw.randint(1, len(printer.nozzles))
        pairs = [
            (print_, filament)
            for print_ in _some(draw, read.fitting("print", printer))
            for filament in _some(draw, read.fitting("filament", printer, print_, extruder))
        ]
        if pairs:
            yield printer, *pairs[0], extruder
        else:
            usable.remove(printer)


def _some(draw: random.Random, rows: Iterable[Preset]) -> list[Preset]:
    """Return one of the usable presets, or none where there is none."""
    usable = [row for row in rows if row.usable]
    return [draw.choice(usable)] if usable else []
