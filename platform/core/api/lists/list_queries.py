"""Query parameters of lists: filter, search, sort, page."""

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from datetime import date as calendar
from datetime import time as clock
from functools import partial
from typing import Any
from uuid import UUID

from django.core import signing
from django.db.models import Model, Q
from django.utils.dateparse import parse_date, parse_datetime

from core import uris
from core.api.lists import like_lookup as like_lookup  # registers the lookup
from core.api.lists.counting import enumerations
from core.errors import InvalidFields, ServiceError
from core.text.normalization import composed

DEFAULT_LIMIT = 100
LARGEST_LIMIT = 1000
LARGEST_NUMBER = 1e18  # beyond it no column holds one, and none is equal to it

_FILTER = re.compile(r"filter\[([\w.-]+)\](?:([<>])(.*))?")
_SEARCH = re.compile(r"search\[([\w.-]+)\]")
_COMPARISONS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}


def is_ignored(name: str) -> bool:
    """Whether a query argument is one of old clients' that chooses fields: all are answered."""
    return re.fullmatch(r"fields(\[[^\]]*\])?", name) is not None


class BadQuery(ServiceError):
    """A query argument that the collection does not know, or a value it cannot read."""

    code = "request-validation-error"


# ---------------------------------------------------------------- reading values


def text(value: str) -> str:
    """Any text, with composed letters, as names are stored."""
    return composed(value)


def number(value: str) -> float:
    """A finite number, as JSON writes it."""
    if not math.isfinite(number := float(value)):
        raise ValueError(value)
    return number


def whole(value: str) -> int | None:
    """A whole number of 0 or more; None where it is none, or has more digits than any of ours."""
    return int(value) if re.fullmatch("[0-9]{1,18}", value) else None


def boolean(value: str) -> bool:
    """true or false."""
    return {"true": True, "false": False}[value.lower()]


def flag(arguments: Mapping[str, str], name: str) -> bool:
    """Return a boolean query argument, false where it is absent. Raises BadQuery."""
    try:
        return boolean(arguments.get(name, "false"))
    except KeyError:
        words = f"{name} is true or false."
        raise BadQuery(words, code="type-validation-error", field=name) from None


@dataclass(frozen=True)
class Day:
    """A whole day in UTC: its first and its last moment."""

    first: datetime
    last: datetime


def time(value: str) -> datetime | Day:
    """Return an ISO 8601 time, UTC if it has no offset; or a date, which is that day in UTC."""
    if day := parse_date(value):
        midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
        return Day(midnight, datetime.combine(day, clock.max, tzinfo=UTC))
    moment = parse_datetime(value.replace(" ", "+"))
    if moment is None:
        raise ValueError(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def date(value: str) -> calendar:
    """A date, YYYY-MM-DD."""
    if (found := parse_date(value)) is None:
        raise ValueError(value)
    return found


def moment(value: str) -> datetime:
    """Return an ISO 8601 time, UTC if it has no offset; of a date, its first moment."""
    read = time(value)
    return read.first if isinstance(read, Day) else read


def uri(value: str) -> str:
    """A URI, in its canonical form."""
    return uris.canonical(value)


def key_in_uri(value: str) -> UUID:
    """The key of the resource of ours that the URI names; a foreign one matches nothing."""
    reference = uris.resolve_uri(value)
    return reference.kwargs["uuid"] if reference else UUID(int=0)


def key_of_kind(kind: str, value: str) -> UUID:
    """The key of the resource of this kind that the URI names; another one matches nothing."""
    return next(iter(uris.keys_of(value, kind)), UUID(int=0))


def like(part: str) -> str:
    """A pattern of SQL's LIKE that `part` alone matches: its own wildcards are letters."""
    return composed(part).replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


@dataclass(frozen=True)
class Column:
    """A field by which a list can be filtered or sorted: its lookup and its parser."""

    lookup: str
    read: Callable[[str], Any] = text
    ordered: bool = False  # whether <, <=, > and >= make sense

    def among(self, values: str) -> Q:
        """The rows with one of these values, which stand between commas."""
        read = [self.read(value) for value in values.split(",")]
        found = Q(**{f"{self.lookup}__in": [value for value in read if _can_be_equal(value)]})
        for day in read:
            if isinstance(day, Day):
                found |= Q(**{f"{self.lookup}__range": (day.first, day.last)})
        return found

    def compared(self, comparison: str, value: str) -> tuple[Q, Any]:
        """The rows on this side of the value, and the value that bounds them."""
        bound = self.read(value)
        if isinstance(bound, Day):
            bound = bound.last if comparison in ("<=", ">") else bound.first
        return Q(**{f"{self.lookup}__{_COMPARISONS[comparison]}": bound}), bound


def _can_be_equal(value: Any) -> bool:
    return not isinstance(value, Day | float) or (
        isinstance(value, float) and abs(value) <= LARGEST_NUMBER
    )


@dataclass(frozen=True)
class Bound:
    """A minimum (sign ">") or maximum ("<") of a filter, and its original text."""

    field: str
    sign: str
    value: Any
    given: str


@dataclass(frozen=True)
class CountBy:
    """A field with choices, by whose values a list is counted; `conditions` are all but its own."""

    column: Column
    values: tuple[str, ...]
    conditions: Q


@dataclass(frozen=True)
class ListQuery:
    """A list request, understood."""

    conditions: Q
    order: tuple[str, ...]
    offset: int
    limit: int
    fingerprint: str
    place: Mapping[str, Any] = field(default_factory=dict)
    count_by: CountBy | None = None


@dataclass(frozen=True)
class ListOptions:
    """The filters, search and orders of a collection.

    `plain` are further arguments without brackets: argument -> Q. `ties` orders, after the key, the
    rows that have none. The rows count `counted` filters themselves (`count_values`).
    """

    filters: Mapping[str, Column] = field(default_factory=dict)
    search: Mapping[str, str] = field(default_factory=dict)
    sort: Mapping[str, str] = field(default_factory=lambda: {"created": "created"})
    plain: Mapping[str, Callable[[str], Q]] = field(default_factory=dict)
    key: str = "uuid"
    ties: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()

    def read(
        self, arguments: Mapping[str, Any], *, kind: str = "", model: type[Model] | None = None
    ) -> ListQuery:
        """Parse the request's query arguments; one error lists all that are invalid.

        kind  : of the items, where they can be selected by URI
        model : of the items, where they can be counted by the values of a field
        """
        filters = dict(self.filters)
        if kind:
            filters.setdefault("uri", Column("pk", partial(key_of_kind, kind)))
        return replace(self, filters=filters)._read(arguments, self.enumerations(model))

    def enumerations(self, model: type[Model] | None) -> dict[str, tuple[str, ...]]:
        """Return the filters by which a list can be counted, each with its values, if known."""
        lookups = {name: each.lookup for name, each in self.filters.items()}
        return enumerations(model, lookups) | dict.fromkeys(self.counted, ())

    def _read(
        self, arguments: Mapping[str, Any], countable: Mapping[str, tuple[str, ...]]
    ) -> ListQuery:
        faults: list[ServiceError] = []
        conditions = others = Q()
        counted = arguments.get("count_by") if "count_by" not in self.plain else None
        if counted is not None and counted not in countable:
            title = f"This list cannot be counted by {counted!r}; it can by: {_names(countable)}."
            faults.append(BadQuery(title, field="count_by"))
            counted = None
        bounds: list[Bound] = []
        order: tuple[str, ...] = ()
        for name in arguments:
            for value in arguments.getlist(name):  # type: ignore[attr-defined]
                if name in ("page[offset]", "page[limit]", "page[after]") or is_ignored(name):
                    continue
                if name == "count_by" and name not in self.plain:
                    continue
                try:
                    if name == "sort":
                        order = self._order(value)
                    else:
                        condition = self._condition(name, value, bounds)
                        conditions &= condition
                        others &= Q() if name in (f"filter[{counted}]", counted) else condition
                except BadQuery as fault:
                    faults.append(fault)
        faults += _contradictions(bounds)
        offset = _whole(arguments, "page[offset]", 0, 0, 2**53, faults)
        limit = _whole(arguments, "page[limit]", DEFAULT_LIMIT, 1, LARGEST_LIMIT, faults)
        if faults:
            raise InvalidFields(faults)
        fingerprint = _fingerprint(arguments)
        place = _place(arguments.get("page[after]", ""), offset, fingerprint)
        order = order or ("-" + self.key, *self.ties)
        by = CountBy(self.filters[counted], countable[counted], others) if counted else None
        return ListQuery(conditions, order, offset, limit, fingerprint, place, by)

    def _order(self, value: str) -> tuple[str, ...]:
        order = []
        for part in value.split(","):
            part = part.strip()  # a literal + arrives as a blank
            name = part.lstrip("+-")
            if name not in self.sort:
                raise BadQuery(
                    f"This list cannot be sorted by {name!r}; it can by: {_names(self.sort)}.",
                    field="sort",
                )
            order.append(("-" if part.startswith("-") else "") + self.sort[name])
        names = [name.lstrip("-") for name in order]
        if self.key in names:  # nothing is left to order after it
            return tuple(order[: names.index(self.key) + 1])
        last = "-" if order[-1].startswith("-") else ""
        return (*order, last + self.key)

    def _condition(self, name: str, value: str, bounds: list[Bound]) -> Q:
        if name in self.plain:
            return self._plain(name, value)
        if found := _SEARCH.fullmatch(name):
            column = self.search.get(found[1])
            if column is None:
                raise BadQuery(
                    f"This list cannot be searched by {found[1]!r}; it can by: "
                    f"{_names(self.search)}.",
                    field=name,
                )
            return Q(**{f"{column}__like": f"%{like(value)}%"})
        if found := _FILTER.fullmatch(name):
            return self._filter(name, found, value, bounds)
        raise BadQuery(f"This list has no argument {name!r}; {self._offer()}", field=name)

    def _plain(self, name: str, value: str) -> Q:
        try:
            return self.plain[name](value)
        except (ValueError, KeyError):
            raise BadQuery(
                f"{value!r} is not a value of {name!r}.", code="type-validation-error", field=name
            ) from None

    def _filter(self, name: str, found: re.Match, value: str, bounds: list[Bound]) -> Q:
        asked, sign, rest = found.groups()
        column = self.filters.get(asked)
        if column is None:
            raise BadQuery(
                f"This list cannot be filtered by {asked!r}; it can by: {_names(self.filters)}.",
                field=name,
            )
        if sign and not column.ordered:
            raise BadQuery(f"{asked!r} has no order: use filter[{asked}]=...", field=name)
        try:
            if sign is None:
                return column.among(value)
            # "filter[a]<=x" is split by the query's own "=", "filter[a]<x" is not split at all.
            comparison, given = (sign, rest) if rest else (sign + "=", value)
            condition, bound = column.compared(comparison, given or "")
        except (ValueError, KeyError):
            raise BadQuery(
                f"{value or rest!r} is not a value of {asked!r}.",
                code="type-validation-error",
                field=name,
            ) from None
        bounds.append(Bound(asked, sign, bound, given or ""))
        return condition

    def _offer(self) -> str:
        offers = [f"filter[{name}]" for name in self.filters]
        offers += [f"search[{name}]" for name in self.search]
        return (
            f"it has: {', '.join([*offers, *self.plain, 'sort', 'page[offset]', 'page[limit]'])}."
        )


def _contradictions(bounds: list[Bound]) -> Iterator[BadQuery]:
    """Yield an error for each field whose minimum is above its maximum.

    Without it the list would be empty, for no visible reason.
    """
    for low in (bound for bound in bounds if bound.sign == ">"):
        for high in (bound for bound in bounds if bound.sign == "<" and bound.field == low.field):
            if low.value > high.value:
                yield BadQuery(
                    f"The minimum {low.given} of {low.field!r} is above its maximum {high.given}: "
                    "exchange them.",
                    code="property-value-not-in-allowed-values",
                    field=f"filter[{low.field}]",
                )


def _place(token: str, offset: int, fingerprint: str) -> Mapping[str, Any]:
    """Return the position stored in a `next` link, which is valid for one page number."""
    try:
        place = signing.loads(token, salt="page") if token else {}
    except signing.BadSignature:
        return {}
    fits = place.get("offset") == offset and place.get("query") == fingerprint
    return place if fits else {}


def _fingerprint(arguments: Mapping[str, Any]) -> str:
    own = sorted(
        (n, *arguments.getlist(n))  # type: ignore[attr-defined]
        for n in arguments
        if not n.startswith("page[")
    )
    return hashlib.sha256(repr(own).encode()).hexdigest()[:16]


def _whole(
    arguments: Mapping[str, Any],
    name: str,
    default: int,
    least: int,
    most: int,
    faults: list[ServiceError],
) -> int:
    given = arguments.get(name)
    if given is None:
        return default
    if (asked := whole(given)) is None or not least <= asked <= most:
        faults.append(
            BadQuery(
                f"{name} must be a whole number from {least} to {most}.",
                code="type-validation-error",
                field=name,
            )
        )
        return default
    return asked


def _names(of: Mapping[str, Any]) -> str:
    return ", ".join(of) or "nothing"
