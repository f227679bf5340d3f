"""State of a list in its address: search, filters, order and page, as the API's own arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from apps.console.domain.resources.resource_kinds import ResourceKind
from apps.console.domain.resources.resource_schema import Field, Schema

MAX_COLUMNS = 12
MAX_CHIPS = 12  # values of an enumeration that is offered as filter chips
# Enumerations by which lists are filtered, the first that a kind has.
CHIP_FIELDS = ("status", "operation", "kind", "step", "role", "category", "level", "type")
# Segments of lists that have a filter by them. Each pair divides the list between its two.
DIVIDING = ("company", "private")
BY_ACCOUNT = ("storefront", "no-storefront")
SEGMENTS = (*DIVIDING, "open-orders", "unpaid", *BY_ACCOUNT)
ARGUMENT = re.compile(r"(filter|search)\[([\w.]+)\]")


@dataclass(frozen=True)
class ListView:
    """What the address of a list asks for.

    arguments : search and filters, as the API takes them
    columns : of the table, by the names of their fields; empty for those of the kind
    """

    kind: ResourceKind
    schema: Schema
    arguments: Mapping[str, str]
    sort: str
    offset: int
    after: str
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, kind: ResourceKind, schema: Schema, address: Mapping[str, str]) -> ListView:
        """Return the view that an address describes; what the list does not have is left out."""
        arguments: dict[str, str] = {}
        for name, value in address.items():
            if (result := ARGUMENT.fullmatch(name)) and value:
                taken = schema.filters if result[1] == "filter" else schema.searches
                arguments |= {name: value} if result[2] in taken else {}
        sort = address.get("sort", "")
        offset = address.get("page[offset]", "0")
        return cls(
            kind=kind,
            schema=schema,
            arguments=arguments,
            sort=sort if sort.removeprefix("-") in schema.sorts else "",
            offset=int(offset) if offset.isdecimal() else 0,
            after=address.get("page[after]", ""),
            columns=_columns(address.get("columns", ""), schema),
        )

    @property
    def search(self) -> str:
        """The field that the search box searches; empty where the list has no search."""
        searches = self.schema.searches
        return "name" if "name" in searches else next(iter(searches), "")

    @property
    def labels(self) -> str:
        """What is searched for."""
        return self.arguments.get(f"search[{self.search}]", "")

    @property
    def chips(self) -> Field | None:
        """The enumeration whose values are offered as filter chips; None without one."""
        if "segment" in self.schema.counts:
            return Field("segment", "choice", choices=SEGMENTS)
        for name in CHIP_FIELDS:
            field = self.schema.field(name)
            if field and name in self.schema.counts and 1 < len(field.choices) <= MAX_CHIPS:
                return field
        return None

    def request(self) -> dict[str, str | int]:
        """Return the arguments of the API's list."""
        page: dict[str, str | int] = {
            "page[limit]": self.kind.page_size,
            "page[offset]": self.offset,
        }
        page |= {"page[after]": self.after} if self.after else {}
        return {**self.arguments, **({"sort": self.sort} if self.sort else {}), **page}

    def address(self, **changes: str | None) -> str:
        """Return the address of the first page of this list with other arguments."""
        query = self.query(**changes)
        return f"{self.kind.path}?{query}" if query else self.kind.path

    def query(self, **changes: str | None) -> str:
        """Return the arguments of the first page of this list, with others."""
        columns = ",".join(self.columns)
        arguments = {**self.arguments, "sort": self.sort, "columns": columns, **changes}
        return urlencode({name: value for name, value in arguments.items() if value})

    def sorted_by(self, first: str, then: str = "") -> str:
        """Return the address of the list in the order of a column; of its own order, turned.

        then : the order of the column turned; by default descending
        """
        return self.address(sort=(then or f"-{first}") if self.sort == first else first)


def _columns(text: str, schema: Schema) -> tuple[str, ...]:
    """Return the fields of these names that a table can show, without repetitions."""
    names = dict.fromkeys(text.split(","))
    shown = {field.name for field in schema.shown}
    return tuple(name for name in names if name in shown)[:MAX_COLUMNS]
