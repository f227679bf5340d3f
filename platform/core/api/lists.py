"""Lists: filters, search, sort and pages, the same on every collection."""

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core import signing
from django.db.models import CharField, F, Func, Lookup, Q, QuerySet, TextField, Value
from django.db.models.lookups import GreaterThan, LessThan
from django.utils.dateparse import parse_date, parse_datetime

from core import uris
from core.errors import InvalidFields, ServiceError

DEFAULT_LIMIT = 100
LARGEST_LIMIT = 1000
LARGEST_NUMBER = 1e18  # beyond it no column holds one, and none is equal to it
# Up to here a list is counted exactly; beyond, estimated.
COUNT_CAP = 10_000

_FILTER = re.compile(r"filter\[([\w.-]+)\](?:([<>])(.*))?")
_SEARCH = re.compile(r"search\[([\w.-]+)\]")
_COMPARISONS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}


@CharField.register_lookup
@TextField.register_lookup
class Like(Lookup):
    """`column__like=pattern`: SQL's LIKE whatever the case, in a form that an index can serve."""

    lookup_name = "like"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        left, left_values = self.process_lhs(compiler, connection)
        right, right_values = self.process_rhs(compiler, connection)
        return f"LOWER({left}) LIKE LOWER({right})", (*left_values, *right_values)


class BadQuery(ServiceError):
    """A query argument that the collection does not know, or a value it cannot read."""

    code = "request-validation-error"


# ---------------------------------------------------------------- reading values


def text(value: str) -> str:
    """Any text."""
    return value


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


def time(value: str) -> datetime:
    """An ISO 8601 time or date; UTC where it says no offset."""
    moment = parse_datetime(value.replace(" ", "+"))
    if moment is None and (day := parse_date(value)):
        moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if moment is None:
        raise ValueError(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def uri(value: str) -> str:
    """A URI, in its canonical form."""
    return uris.canonical(value)


def key_in_uri(value: str) -> UUID:
    """The key of the resource of ours that the URI names; a foreign one matches nothing."""
    reference = uris.resolve_uri(value)
    return reference.kwargs["uuid"] if reference else UUID(int=0)


def like(part: str) -> str:
    """A pattern of SQL's LIKE that `part` alone matches: its own wildcards are letters."""
    return part.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


@dataclass(frozen=True)
class Column:
    """A field that a list can be asked about: its place in the query and how to read a value."""

    lookup: str
    read: Callable[[str], Any] = text
    ordered: bool = False  # whether <, <=, > and >= make sense


@dataclass(frozen=True)
class Asked:
    """A list request, understood."""

    conditions: Q
    order: tuple[str, ...]
    offset: int
    limit: int
    fingerprint: str
    place: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Listing:
    """What a collection can be filtered, searched and sorted by.

    `plain` are further arguments without brackets, each giving its condition: argument -> Q.
    `ties` orders, after the key, the rows that have none.
    """

    filters: Mapping[str, Column] = field(default_factory=dict)
    search: Mapping[str, str] = field(default_factory=dict)
    sort: Mapping[str, str] = field(default_factory=lambda: {"created": "created"})
    plain: Mapping[str, Callable[[str], Q]] = field(default_factory=dict)
    key: str = "uuid"
    ties: tuple[str, ...] = ()

    def read(self, arguments: Mapping[str, Any]) -> Asked:
        """The request's query arguments; all that cannot be understood is told together."""
        faults: list[ServiceError] = []
        conditions = Q()
        order: tuple[str, ...] = ()
        for name in arguments:
            for value in arguments.getlist(name):  # type: ignore[attr-defined]
                if name in ("page[offset]", "page[limit]", "page[after]"):
                    continue
                try:
                    if name == "sort":
                        order = self._order(value)
                    else:
                        conditions &= self._condition(name, value)
                except BadQuery as fault:
                    faults.append(fault)
        offset = _whole(arguments, "page[offset]", 0, 0, 2**53, faults)
        limit = _whole(arguments, "page[limit]", DEFAULT_LIMIT, 1, LARGEST_LIMIT, faults)
        if faults:
            raise InvalidFields(faults)
        fingerprint = _fingerprint(arguments)
        place = _place(arguments.get("page[after]", ""), offset, fingerprint)
        order = order or ("-" + self.key, *self.ties)
        return Asked(conditions, order, offset, limit, fingerprint, place)

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

    def _condition(self, name: str, value: str) -> Q:
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
            return self._filter(name, found[1], found[2], found[3], value)
        raise BadQuery(f"This list has no argument {name!r}; {self._offer()}", field=name)

    def _plain(self, name: str, value: str) -> Q:
        try:
            return self.plain[name](value)
        except (ValueError, KeyError):
            raise BadQuery(
                f"{value!r} is not a value of {name!r}.", code="type-validation-error", field=name
            ) from None

    def _filter(self, name: str, asked: str, sign: str | None, rest: str | None, value: str) -> Q:
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
                values = [
                    read
                    for item in value.split(",")
                    if not isinstance(read := column.read(item), float)
                    or abs(read) <= LARGEST_NUMBER
                ]
                return Q(**{f"{column.lookup}__in": values})
            # "filter[a]<=x" is split by the query's own "=", "filter[a]<x" is not split at all.
            comparison, given = (sign, rest) if rest else (sign + "=", value)
            return Q(**{f"{column.lookup}__{_COMPARISONS[comparison]}": column.read(given or "")})
        except (ValueError, KeyError):
            raise BadQuery(
                f"{value or rest!r} is not a value of {asked!r}.",
                code="type-validation-error",
                field=name,
            ) from None

    def _offer(self) -> str:
        offers = [f"filter[{name}]" for name in self.filters]
        offers += [f"search[{name}]" for name in self.search]
        return (
            f"it has: {', '.join([*offers, *self.plain, 'sort', 'page[offset]', 'page[limit]'])}."
        )


def page(
    rows: QuerySet, asked: Asked, *, url: str, arguments: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
    """The rows of the asked page, its `links` and its `meta`.

    `next` and `prev` remember the row at which this page ends or begins, so that going on takes
    as long on the last page as on the first, and neither skips nor repeats what is there.

    Parameters
    ----------
    rows : what the caller may see, neither ordered nor sliced
    url : the collection's own URI; the links are built on it
    """
    rows = rows.filter(asked.conditions)
    back = asked.place.get("back", False)
    order = _turned(asked.order) if back else asked.order
    if asked.place:
        beyond = _beyond(rows.model, order, asked.place["at"])
        found = list(rows.filter(beyond).order_by(*order)[: asked.limit + 1])
    else:
        found = list(rows.order_by(*order)[asked.offset : asked.offset + asked.limit + 1])
    more, found = len(found) > asked.limit, found[: asked.limit]
    if back:
        found.reverse()

    meta = asked.place.get("meta") or _count(rows)
    own = [(n, v) for n in arguments for v in arguments.getlist(n) if not n.startswith("page[")]  # type: ignore[attr-defined]

    def link(offset: int, at: Any = None, **place: Any) -> str:
        walked = _turned(asked.order) if place else asked.order
        token = ""
        if at is not None and (values := _values(rows.model, walked, at)):
            place |= {"at": values, "meta": meta, "offset": offset, "query": asked.fingerprint}
            token = signing.dumps(place, salt="page")
        return _link(url, own, offset, asked.limit, token)

    first, last = (found[0], found[-1]) if found else (None, None)
    earlier, later = (more, bool(found)) if back else (asked.offset > 0, more)
    links = {
        "self": link(asked.offset),
        "next": link(asked.offset + len(found), last) if later else None,
        "prev": link(max(0, asked.offset - asked.limit), first, back=True) if earlier else None,
    }
    return found, links, meta


def page_of(items: Sequence[Any], asked: Asked, *, url: str) -> tuple[Any, dict, dict]:
    """The asked page of a list that is no table: its items, its `links` and its `meta`."""
    offset, limit = asked.offset, asked.limit
    links = {
        "self": _link(url, [], offset, limit),
        "next": _link(url, [], offset + limit, limit) if offset + limit < len(items) else None,
        "prev": _link(url, [], max(0, offset - limit), limit) if offset else None,
    }
    return items[offset : offset + limit], links, {"count": len(items)}


def _link(url: str, own: list[tuple[str, str]], offset: int, limit: int, token: str = "") -> str:
    arguments = [*own, ("page[offset]", str(offset)), ("page[limit]", str(limit))]
    return f"{url}?{urlencode([*arguments, ('page[after]', token)] if token else arguments)}"


def _turned(order: Sequence[str]) -> tuple[str, ...]:
    return tuple(name[1:] if name.startswith("-") else "-" + name for name in order)


def _values(model: Any, order: Sequence[str], row: Any) -> list[str] | None:
    """Where `row` stands in this order; None where that does not say what comes after it.

    PostgreSQL puts NULL last, and first where the order descends.
    """
    values = [getattr(row, name.lstrip("-")) for name in order]
    fields = [model._meta.get_field(name.lstrip("-")) for name in order]
    known = all(
        value is not None and (name.startswith("-") or not column.null)
        for name, column, value in zip(order, fields, values, strict=True)
    )
    return [v.isoformat() if isinstance(v, datetime) else str(v) for v in values] if known else None


def _beyond(model: Any, order: Sequence[str], values: Sequence[str]) -> Q:
    """The rows that come after the one with these values."""
    names = [name.lstrip("-") for name in order]
    down = [name.startswith("-") for name in order]
    if len(order) > 1 and len(set(down)) == 1:
        # One comparison of rows, which an index on these columns serves.
        fields = [model._meta.get_field(name) for name in names]
        given = [Value(v, output_field=f) for v, f in zip(values, fields, strict=True)]
        left = Func(*map(F, names), function="", output_field=TextField())
        right = Func(*given, function="", output_field=TextField())
        return Q(LessThan(left, right) if down[0] else GreaterThan(left, right))
    beyond = Q()
    for name, descends, value in reversed(list(zip(names, down, values, strict=True))):
        further = Q(**{f"{name}__{'lt' if descends else 'gt'}": value})
        beyond = further | (Q(**{name: value}) & beyond) if beyond else further
    return beyond


def _count(rows: QuerySet) -> dict[str, Any]:
    rows = rows.order_by()
    counted = rows[: COUNT_CAP + 1].count()
    if counted <= COUNT_CAP:
        return {"count": counted}
    plan = json.loads(rows.explain(format="json"))
    return {"count": max(int(plan[0]["Plan"]["Plan Rows"]), counted), "count_estimated": True}


def _place(token: str, offset: int, fingerprint: str) -> Mapping[str, Any]:
    """What a `next` link remembers; used only by the page that it was made for."""
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
