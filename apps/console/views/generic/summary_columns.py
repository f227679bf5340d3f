"""Columns that a list has beside the fields of its kind, from summaries of its rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from django.utils.functional import Promise

from apps.console.domain.messages import Context, JsonValue
from apps.console.domain.resources.list_view import ListView
from apps.console.domain.resources.resource_values import MISSING, Value
from apps.console.views.base.page import PageContext

Summary = TypeVar("Summary")


@dataclass(frozen=True)
class Row:
    """A row of a list.

    cells : label and value of each column
    note  : small, below the title
    picture, color : URL of a picture and colour that it is drawn in; `is_pictured` rows have room
                     for one
    """

    key: str
    title: str
    path: str
    cells: list[tuple[str, Value]]
    note: str = ""
    is_pictured: bool = False
    picture: str | None = None
    color: str | None = None


class SummaryColumns(ABC, Generic[Summary]):
    """The columns of one kind, which a request for the summaries of a page fills.

    kind    : name of the kind, as in `GET /bureau/<>/<kind>-summaries/?<kind>s=`
    labels  : of the columns
    figures : those of them that are aligned to the right
    omitted : fields of the kind that the list has no columns for beside these
    sorts   : by label, what the list is sorted by, the largest first
    """

    kind: str
    labels: Sequence[str | Promise]
    figures: Sequence[str | Promise] = ()
    omitted: Sequence[str] = ()
    sorts: Mapping[str | Promise, str] = {}

    def completed(
        self, visit: PageContext, resources: list[JsonValue], rows: list[Row]
    ) -> list[Row]:
        """The rows of these resources of the visitor's shop, with the columns."""
        summaries = self._summaries(visit, visit.shop["uri"], resources) if visit.shop else {}
        return [
            self._completed(resource, row, summaries.get(resource["uri"]))
            for resource, row in zip(resources, rows, strict=True)
        ]

    def values_of(self, visit: PageContext, resource: JsonValue) -> list[tuple[str, Value]]:
        """The label and value of each column for one resource."""
        row = Row(key="", title="", path="", cells=[])
        summaries = self._summaries(visit, resource["bureau"], [resource])
        return self._completed(resource, row, summaries.get(resource["uri"])).cells

    def heads(self, view: ListView) -> list[Context]:
        """The heads of the columns of a list."""
        return [
            {
                "label": label,
                "number": label in self.figures,
                "path": view.sorted_by(f"-{name}", name) if name else "",
                "order": {name: "up", f"-{name}": "down"}.get(view.sort, "") if name else "",
            }
            for label, name in ((label, self.sorts.get(label, "")) for label in self.labels)
        ]

    def _summaries(
        self, visit: PageContext, bureau: str, resources: list[JsonValue]
    ) -> Mapping[str, Summary]:
        if not resources:
            return {}
        uris = ",".join(row["uri"] for row in resources)
        path = f"{bureau}{self.kind}-summaries/?{self.kind}s={uris}"
        return {each[self.kind]: each for each in visit.api.get(path)["summaries"]}

    def _completed(self, resource: JsonValue, row: Row, summary: Summary | None) -> Row:
        if summary is None:  # the resource was deleted meanwhile
            values: Sequence[Value] = [Value(MISSING) for _label in self.labels]
        else:
            row, values = self.fill(resource, row, summary)
        cells = [(str(label), value) for label, value in zip(self.labels, values, strict=True)]
        return replace(row, cells=row.cells + cells)

    @abstractmethod
    def fill(self, resource: JsonValue, row: Row, summary: Summary) -> tuple[Row, Sequence[Value]]:
        """The row beside the columns, and the values of the columns."""
