"""Failed prints and rejected pieces of a bureau, by printer, material and profile."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, F, Q
from django.utils import timezone

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Place, Run
from machines.states import AttemptState

PERIOD = timedelta(days=90)
MAX_ROWS = 100  # of each grouping, those with the largest counts first

_ENDS = (AttemptState.DONE.value, AttemptState.STOPPED.value, AttemptState.FAILED.value)


class Counts(NamedTuple):
    """Prints that ended, and pieces of printed runs that ended."""

    prints: int = 0
    failed: int = 0
    stopped: int = 0
    pieces: int = 0
    rejected: int = 0


class FailureRates(NamedTuple):
    """Counts since a time, by printer, material and URI of the config of the slice.

    None as a key: without a printer, a base material or a slice
    """

    since: datetime
    total: Counts
    printers: list[tuple[Printer | None, Counts]]
    materials: list[tuple[Material | None, Counts]]
    profiles: list[tuple[str | None, Counts]]


def failure_rates(bureau: Bureau) -> FailureRates:
    """Return the failed prints and rejected pieces of a bureau in the last 90 days."""
    since = timezone.now() - PERIOD
    printers = _grouped(bureau, since, "printer", "run__printer")
    materials = _grouped(
        bureau,
        since,
        "run__places__piece__line_item__base_material",
        "piece__line_item__base_material",
    )
    profiles = _grouped(bureau, since, "run__config_uri", "run__config_uri")
    total = dict(_grouped(bureau, since, "bureau", "run__bureau"))
    printer_rows = Printer.objects.in_bulk([key for key, _ in printers if key])
    material_rows = Material.objects.in_bulk([key for key, _ in materials if key])
    return FailureRates(
        since,
        total.get(bureau.pk, Counts()),
        [(printer_rows.get(key), counts) for key, counts in printers],
        [(material_rows.get(key), counts) for key, counts in materials],
        [(key or None, counts) for key, counts in profiles],
    )


def _grouped(
    bureau: Bureau, since: datetime, of_attempt: str, of_place: str
) -> list[tuple[Any, Counts]]:
    """Return counts by a column of attempts, and the same one of places in runs."""
    attempts = Attempt.objects.filter(bureau=bureau, ended__gte=since, status__in=_ENDS)
    prints = (
        attempts.order_by()
        .values_list(of_attempt)
        .annotate(
            prints=Count("pk", distinct=True),
            failed=Count("pk", filter=Q(status=AttemptState.FAILED.value), distinct=True),
            stopped=Count("pk", filter=Q(status=AttemptState.STOPPED.value), distinct=True),
        )
    )
    places = Place.objects.filter(
        run__bureau=bureau,
        run__operation=Run.Operation.PRINTING,
        run__status__in=Run.ENDED,
        run__started__isnull=False,
        run__finished__gte=since,
    )
    # A piece that was rejected later lies in a later run.
    rejected = Q(piece__status=Piece.Status.ERROR, piece__place=F("pk"))
    pieces = (
        places.order_by()
        .values_list(of_place)
        .annotate(pieces=Count("pk"), rejected=Count("pk", filter=rejected))
    )
    counts = {key: Counts(*row) for key, *row in prints}
    for key, count, bad in pieces:
        counts[key] = counts.get(key, Counts())._replace(pieces=count, rejected=bad)
    rows = sorted(counts.items(), key=lambda row: (-row[1].prints, -row[1].pieces, str(row[0])))
    return rows[:MAX_ROWS]
