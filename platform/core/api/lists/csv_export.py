"""CSV export of lists, with formula-injection protection."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.http import StreamingHttpResponse

from core.text.file_names import content_disposition

# What spreadsheets take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Line:
    """A file object whose `write` returns its argument."""

    def write(self, text: str) -> str:
        return text


def table(
    name: str, columns: Sequence[str], rows: Iterable[Any], line: Callable[[Any], Mapping[str, Any]]
) -> StreamingHttpResponse:
    """The rows as a file to be saved, one a line; `line` gives a row's values, by column.

    A text that a spreadsheet would run as a formula is written behind an apostrophe.
    """
    return StreamingHttpResponse(
        _lines(columns, rows, line),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": content_disposition(f"{name}.csv")},
    )


def _lines(
    columns: Sequence[str], rows: Iterable[Any], line: Callable[[Any], Mapping[str, Any]]
) -> Iterator[str]:
    writer = csv.DictWriter(_Line(), columns, extrasaction="ignore")
    yield writer.writerow(dict(zip(columns, columns, strict=True)))
    for row in rows:
        yield writer.writerow({name: _harmless(value) for name, value in line(row).items()})


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
