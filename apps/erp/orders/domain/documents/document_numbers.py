"""Numbers of documents, without gaps: taken in the transaction that issues the document."""

from datetime import date
from typing import NamedTuple

from django.db.models import Count, Max, Min

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.documents.document_labels import default_prefix
from apps.erp.orders.models.documents import Document, DocumentSeries, DocumentType
from core.auth_user import Person
from core.errors import Conflict

DIGITS = 4


class NumberInUse(Conflict):
    """Another document of the type has this number."""

    code = "number-in-use"


class TakenNumber(NamedTuple):
    """The number of a document; year: 0 where the series does not begin anew each year."""

    series: DocumentSeries
    year: int
    sequence: int
    number: str


def take(
    bureau: Bureau, kind: DocumentType, language: str, day: date, *, creator: Person
) -> TakenNumber:
    """Return the next number of a type, in the caller's transaction, which locks the series.

    A bureau that has no series of the type gets one, with a prefix in its language.

    Raises NumberInUse.
    """
    prefix = default_prefix(kind, bureau.language or language)
    DocumentSeries.objects.get_or_create(
        bureau=bureau, type=kind, defaults={"prefix": prefix, "creator": creator}
    )
    series = DocumentSeries.objects.select_for_update().get(bureau=bureau, type=kind)
    sequence = next_of(series, day)
    number = text_of(series, sequence, day)
    if Document.objects.filter(bureau=bureau, type=kind, number=number).exists():
        raise NumberInUse(f"There is a document {number} already: change the prefix of the series.")
    series.next, series.year = sequence + 1, day.year
    series.save(update_fields=["next", "year", "updated"])
    return TakenNumber(series, day.year if series.yearly else 0, sequence, number)


def next_of(series: DocumentSeries, day: date) -> int:
    """Return the number that the next document has within its series on this day."""
    begins = series.yearly and series.year is not None and series.year != day.year
    return 1 if begins else series.next


def text_of(series: DocumentSeries, sequence: int, day: date) -> str:
    """Return a number as it is written: INV-2026-0001."""
    year = f"{day.year}-" if series.yearly else ""
    return f"{series.prefix}{year}{sequence:0{DIGITS}d}"


def broken_series() -> list[str]:
    """Return what is wrong with the numbers of documents: a series has a gap."""
    numbered = Document.objects.exclude(series=None).values("series", "type", "year")
    rows = numbered.annotate(first=Min("sequence"), last=Max("sequence"), count=Count("pk"))
    return [
        f"document-series {row['series']}: {row['count']} documents from {row['first']} to "
        f"{row['last']} of {row['year'] or 'all years'}"
        for row in rows.order_by("series", "year")
        if row["last"] - row["first"] + 1 != row["count"]
    ]
