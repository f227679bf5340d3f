"""Lengths of lists: exact up to a cap, estimated by the planner above it.

A statement counts all lists of a page. Up to the cap the rows of a list are read once and grouped
by the field; a longer one is counted value by value, each from an index and up to the cap.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from django.db.models import Model, QuerySet

from core.api.lists.list_queries import Column, CountBy
from core.api.lists.union_queries import UnionQuery, count_all, count_groups

# Up to here a list is counted exactly; beyond, estimated.
COUNT_CAP = 10_000
Rows = QuerySet | UnionQuery


def count(rows: Rows, *, counted: int | None = None) -> tuple[int, bool]:
    """Return the length of a list, and whether it is estimated.

    counted : the length up to the cap, where that was counted before
    """
    if counted is None:
        counted = _capped(rows).count()
    return (counted, False) if counted <= COUNT_CAP else (max(_estimate(rows), counted), True)


def count_by(
    rows: Rows, by: CountBy, listed: Sequence[object] | None = None
) -> tuple[dict[str, int], int | None]:
    """Return how many rows have each of the values of a field, and how many rows there are.

    The latter up to the cap, and None where they were not counted.

    listed : all of them, where a page has read them
    """
    if listed is not None and isinstance(rows, QuerySet) and _is_own(by.column, rows.model):
        values = Counter(getattr(row, by.column.lookup) for row in listed)
        return {value: values[by.column.read(value)] for value in by.values}, len(listed)
    rows = rows.filter(by.conditions)
    if not by.values:
        return cast(Any, rows).count_values(by.column.lookup), None
    total = None
    # Other columns have conditions of their own, a union has no columns of other tables.
    if isinstance(rows, QuerySet) and type(by.column) is Column:
        groups = count_groups(rows, by.column.lookup, COUNT_CAP + 1)
        total = sum(groups.values())
        if total <= COUNT_CAP:
            return {value: groups.get(by.column.read(value), 0) for value in by.values}, total
    lists = [rows.filter(by.column.among(value)) for value in by.values]
    counts = count_all([_capped(each) for each in lists])
    lengths = {
        value: counted if counted <= COUNT_CAP else max(_estimate(each), counted)
        for value, each, counted in zip(by.values, lists, counts, strict=True)
    }
    return lengths, total


def _is_own(column: Column, model: type[Model]) -> bool:
    """Whether a column with no conditions of its own is a field of the rows."""
    return type(column) is Column and column.lookup in {field.name for field in model._meta.fields}


def _capped(rows: Rows) -> Rows:
    return rows.order_by()[: COUNT_CAP + 1]


def _estimate(rows: Rows) -> int:
    """The number of rows that the planner expects."""
    if isinstance(rows, UnionQuery):
        return rows.estimate()
    plan = rows.order_by().values("pk").explain(format="json")
    return int(json.loads(plan)[0]["Plan"]["Plan Rows"])
