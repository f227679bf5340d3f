"""Failed prints and rejected pieces, as JSON."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.erp.printing.domain.failure_rates import Counts, FailureRates
from core.api.openapi.response_types import Uri


class FailureCountsAnswer(TypedDict):
    """Prints that ended, and pieces of printed runs that ended."""

    prints: Annotated[int, "Number of prints that ended: done, stopped or failed."]
    failed: Annotated[int, "Number of those that failed."]
    stopped: Annotated[int, "Number of those that were stopped."]
    pieces: Annotated[int, "Number of pieces of printed runs that ended."]
    rejected: Annotated[int, "Number of those that were rejected."]


class PrinterFailuresAnswer(FailureCountsAnswer):
    """Counts of a printer."""

    printer: Uri | None
    name: str | None


class MaterialFailuresAnswer(FailureCountsAnswer):
    """Counts of a material."""

    material: Uri | None
    name: str | None


class ProfileFailuresAnswer(FailureCountsAnswer):
    """Counts of a config."""

    config: Annotated[Uri | None, "Config of the slices; null: G-code of another origin."]


class FailureRatesAnswer(TypedDict):
    """Failed prints and rejected pieces of a bureau."""

    since: Annotated[datetime, "Start of the period: 90 days ago."]
    total: FailureCountsAnswer
    printers: Annotated[list[PrinterFailuresAnswer], "By printer, at most 100, most prints first."]
    materials: Annotated[list[MaterialFailuresAnswer], "By base material of the pieces."]
    profiles: Annotated[list[ProfileFailuresAnswer], "By config of the slice."]


def failure_rates_resource(rates: FailureRates) -> FailureRatesAnswer:
    """Return failed prints and rejected pieces as JSON."""
    return {
        "since": rates.since,
        "total": _counts(rates.total),
        "printers": [
            {"printer": row.uri if row else None, "name": row.name if row else None, **_counts(n)}
            for row, n in rates.printers
        ],
        "materials": [
            {"material": row.uri if row else None, "name": row.name if row else None, **_counts(n)}
            for row, n in rates.materials
        ],
        "profiles": [{"config": uri, **_counts(n)} for uri, n in rates.profiles],
    }


def _counts(counts: Counts) -> FailureCountsAnswer:
    return {
        "prints": counts.prints,
        "failed": counts.failed,
        "stopped": counts.stopped,
        "pieces": counts.pieces,
        "rejected": counts.rejected,
    }
