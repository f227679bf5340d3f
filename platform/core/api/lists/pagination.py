"""Pagination: keyset and offset, next/previous links, capped counts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NotRequired, TypedDict
from urllib.parse import urlencode

from django.core import signing
from django.core.exceptions import FieldDoesNotExist
from django.db.models import F, Func, Q, QuerySet, TextField, Value
from django.db.models.lookups import GreaterThan, LessThan
from django.http import HttpRequest

from core.api.lists.list_counts import count, count_by
from core.api.lists.list_queries import ListQuery
from core.api.lists.union_queries import UnionQuery
from core.errors import ErrorEntry
from core.uris import base_url


class ListMeta(TypedDict):
    """How long a list is; `count_estimated` where it was not counted to its end.

    counts : how long it is with each value of the field that `count_by` names
    errors : names the resources of the page that are left out, since they cannot be shown
    """

    count: int
    count_estimated: NotRequired[bool]
    counts: NotRequired[dict[str, int]]
    errors: NotRequired[list[ErrorEntry]]


FAR = 1000  # rows, beyond which skipping whole ones takes longer than a second statement


def asked_url(request: HttpRequest) -> str:
    """Return the URL of a collection on the requested host, which may be an alias or `data.`."""
    return base_url(request.get_host().partition(".")[0]) + request.path


def page(
    rows: QuerySet, asked: ListQuery, *, url: str, arguments: Mapping[str, Any]
) -> tuple[list[Any], dict[str, str | None], ListMeta]:
    """Return the rows of the requested page, its `links` and its `meta`.

    `next` and `prev` contain the row at which this page ends or begins, so that the last page takes
    as long as the first, and pages neither skip nor repeat rows.

    Parameters
    ----------
    rows : visible to the caller, neither ordered nor sliced
    url : the collection's, from `asked_url`; the base of the links
    """
    every, by = rows, asked.count_by
    rows = rows.filter(asked.conditions)
    back = asked.place.get("back", False)
    order = _turned(asked.order) if back else asked.order
    if asked.place:
        beyond = _beyond(rows.model, order, asked.place["at"])
        listed = list(rows.filter(beyond).order_by(*order)[: asked.limit + 1])
    else:
        listed = _slice(rows.order_by(*order), asked.offset, asked.offset + asked.limit + 1)
    more, listed = len(listed) > asked.limit, listed[: asked.limit]
    if back:
        listed.reverse()

    same = by is not None and by.conditions == asked.conditions
    is_all = same and not (more or asked.offset or asked.place)
    counts, counted = (
        (None, None) if by is None else count_by(every, by, listed if is_all else None)
    )
    meta = asked.place.get("meta")
    if not meta:
        # A page at which the list ends says itself how long that is.
        ends = not more and not asked.place and (bool(listed) or not asked.offset)
        length = asked.offset + len(listed)
        meta = ListMeta(count=length) if ends else _meta(rows, counted if same else None)
    own = _own(arguments)

    def link(offset: int, at: Any = None, **place: Any) -> str:
        walked = _turned(asked.order) if place else asked.order
        token = ""
        if at is not None and (values := _values(rows.model, walked, at)):
            place |= {"at": values, "meta": meta, "offset": offset, "query": asked.fingerprint}
            token = signing.dumps(place, salt="page")
        return _link(url, own, offset, asked.limit, token)

    first, last = (listed[0], listed[-1]) if listed else (None, None)
    earlier, later = (more, bool(listed)) if back else (asked.offset > 0, more)
    links = {
        "self": link(asked.offset),
        "next": link(asked.offset + len(listed), last) if later else None,
        "prev": link(max(0, asked.offset - asked.limit), first, back=True) if earlier else None,
    }
    return listed, links, meta if counts is None else {**meta, "counts": counts}


def _slice(rows: QuerySet | UnionQuery, start: int, stop: int) -> list[Any]:
    """Return ordered rows from `start` to `stop`; far on by their keys, which an index has."""
    if start < FAR or isinstance(rows, UnionQuery):
        return list(rows[start:stop])
    keys = list(rows.values_list("pk", flat=True)[start:stop])
    return list(rows.filter(pk__in=keys))


def page_of(
    items: Sequence[Any], asked: ListQuery, *, url: str, arguments: Any = None
) -> tuple[Any, dict, dict]:
    """Return the requested page of a list in memory: its items, `links` and `meta`."""
    offset, limit, own = asked.offset, asked.limit, _own(arguments)
    links = {
        "self": _link(url, own, offset, limit),
        "next": _link(url, own, offset + limit, limit) if offset + limit < len(items) else None,
        "prev": _link(url, own, max(0, offset - limit), limit) if offset else None,
    }
    return items[offset : offset + limit], links, {"count": len(items)}


def _own(arguments: Any) -> list[tuple[str, str]]:
    """Return the query arguments besides the page."""
    names = [name for name in arguments or () if not name.startswith("page[")]
    return [(name, value) for name in names for value in arguments.getlist(name)]


def _link(url: str, own: list[tuple[str, str]], offset: int, limit: int, token: str = "") -> str:
    arguments = [*own, ("page[offset]", str(offset)), ("page[limit]", str(limit))]
    return f"{url}?{urlencode([*arguments, ('page[after]', token)] if token else arguments)}"


def _turned(order: Sequence[str]) -> tuple[str, ...]:
    return tuple(name[1:] if name.startswith("-") else "-" + name for name in order)


def _values(model: Any, order: Sequence[str], row: Any) -> list[str] | None:
    """Return the position of `row` in this order; None where it does not define what follows.

    PostgreSQL sorts NULL last, and first in descending order.
    """
    try:
        fields = [model._meta.get_field(name.lstrip("-")) for name in order]
    except FieldDoesNotExist:  # an order by what is computed
        return None
    values = [getattr(row, name.lstrip("-")) for name in order]
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
        place = [Value(v, output_field=f) for v, f in zip(values, fields, strict=True)]
        left = Func(*map(F, names), function="", output_field=TextField())
        right = Func(*place, function="", output_field=TextField())
        return Q(LessThan(left, right) if down[0] else GreaterThan(left, right))
    beyond = Q()
    for name, descends, value in reversed(list(zip(names, down, values, strict=True))):
        further = Q(**{f"{name}__{'lt' if descends else 'gt'}": value})
        beyond = further | (Q(**{name: value}) & beyond) if beyond else further
    return beyond


def _meta(rows: QuerySet | UnionQuery, counted: int | None) -> ListMeta:
    """The length of a list; `counted` is that up to the cap, if known."""
    length, is_estimated = count(rows, counted=counted)
    return {"count": length, "count_estimated": True} if is_estimated else {"count": length}
