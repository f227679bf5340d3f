"""Reading models: one statement for one model or for a page of them, with the same columns.

Compared with the ORM's answer in tests/warehouse/test_queries.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Q, QuerySet

from apps.users import interface as users
from apps.warehouse.models import Model, shared_keys
from core.owned import reads_everything


class ModelRow(NamedTuple):
    """A model as it is read: plain values, without an ORM object around them."""

    uuid: UUID
    owner_id: UUID
    name: str
    type: str
    status: str
    errors: list[dict[str, Any]] | None
    may_resize: bool
    may_rotate: bool
    unit: str
    created: Any
    updated: Any
    content_id: str | None
    file_size: int | None
    analyses: dict[str, Any] | None
    printability: dict[str, Any] | None
    picture_id: str | None
    transformations: list[dict[str, Any]] | None
    parent_keys: list[UUID]
    child_keys: list[UUID]


_FAMILY = ("parent_keys", "child_keys")
_OWN = tuple(name for name in ModelRow._fields if name not in _FAMILY)
_STORED_JSON = ("errors", "analyses", "printability", "transformations")
_JSON = tuple(ModelRow._fields.index(name) for name in _STORED_JSON)
_COLUMNS = (
    f"SELECT {', '.join(f'm.{name}' for name in _OWN)},"  # noqa: S608
    " ARRAY(SELECT p.to_model_id FROM warehouse_model_parents p WHERE p.from_model_id = m.uuid),"
    " ARRAY(SELECT c.from_model_id FROM warehouse_model_parents c WHERE c.to_model_id = m.uuid)"
)
_SELECT = f"{_COLUMNS} FROM warehouse_model m WHERE m.uuid = %s AND m.deleted IS NULL"  # noqa: S608
# The right is asked for only where the caller is not the owner.
_READABLE = f"{_SELECT} AND (m.owner_id = %s OR {users.HELD_SQL})"
_PAGE = (
    f"{_COLUMNS} FROM (SELECT uuid, row_number() OVER () AS place FROM ({{keys}}) AS keys) AS page"  # noqa: S608
    " JOIN warehouse_model m ON m.uuid = page.uuid ORDER BY page.place"
)

_NEWEST = (
    f"{_COLUMNS.replace('SELECT', 'SELECT page.key,', 1)} FROM ("  # noqa: S608
    "(SELECT own.uuid AS key FROM warehouse_model own WHERE own.owner_id = %s"
    " AND own.deleted IS NULL AND own.uuid < %s ORDER BY own.uuid DESC LIMIT %s)"
    f" UNION ({users.HELD_PAGE_SQL}) ORDER BY key DESC LIMIT %s) AS page"
    " LEFT JOIN warehouse_model m ON m.uuid = page.key AND m.deleted IS NULL"
    " ORDER BY page.key DESC"
)
LAST = UUID(int=2**128 - 1)


def read_model(uuid: UUID, user) -> ModelRow | None:
    """The model, if `user` may read it: one statement."""
    with connection.cursor() as cursor:
        if reads_everything(user):
            cursor.execute(_SELECT, (uuid,))
        else:
            held = users.held(user=user, namespace="models", right="read", key=uuid)
            cursor.execute(_READABLE, (uuid, user.pk, *held))
        found = cursor.fetchone()
    return _row(found) if found else None


def readable_models(user) -> "Readable":
    """The models that `user` may read; to be filtered, ordered and sliced, and read as rows."""
    return Readable(user)


@dataclass(frozen=True)
class Readable:
    """As much of a queryset as a list asks for; iterating gives a ModelRow each.

    One's own models and those shared with one are each read in their order, and then merged: asked
    for by one OR, the database would walk through everybody's.

    before : only models whose key is less than this one
    """

    user: Any
    conditions: Q = Q()
    before: UUID = LAST
    order: tuple[str, ...] = ()
    start: int = 0
    stop: int | None = None

    def filter(self, conditions: Q | None = None, **lookups: Any) -> "Readable":
        if lookups.keys() == {"uuid__lt"}:
            return replace(self, before=UUID(str(lookups["uuid__lt"])))
        return replace(self, conditions=self.conditions & (conditions or Q()) & Q(**lookups))

    def order_by(self, *names: str) -> "Readable":
        return replace(self, order=names)

    def __getitem__(self, cut: slice) -> "Readable":
        return replace(self, start=cut.start or 0, stop=cut.stop)

    def count(self) -> int:
        return self._merged().count()

    def explain(self, **options: Any) -> str:
        """The plan of the first branch: where there are very many, nearly all are in it."""
        return self._branches()[0].explain(**options)

    def __iter__(self) -> Iterator[ModelRow]:
        newest = self.order == ("-uuid",) and not self.conditions and not self.start
        if newest and self.stop and not reads_everything(self.user):
            return iter(_newest(self.user, self.before, self.stop))
        try:
            keys, values = self._merged().query.sql_with_params()
        except EmptyResultSet:  # conditions that contradict each other
            return iter(())
        with connection.cursor() as cursor:
            cursor.execute(_PAGE.format(keys=keys), values)
            return iter([_row(found) for found in cursor.fetchall()])

    def _branches(self) -> tuple[QuerySet[Model], ...]:
        kept = Model.objects.filter(self.conditions, deleted=None)
        if self.before != LAST:
            kept = kept.filter(uuid__lt=self.before)
        if reads_everything(self.user):
            return (kept,)
        return kept.filter(owner=self.user), kept.filter(uuid__in=shared_keys(self.user))

    def _merged(self) -> QuerySet:
        """The page's keys, and what they are ordered by."""
        names = dict.fromkeys(("uuid", *(name.lstrip("-") for name in self.order)))
        first, *others = (
            branch.order_by(*self.order).values(*names)[: self.stop] for branch in self._branches()
        )
        merged = first.union(*others).order_by(*self.order) if others else first
        return merged[self.start : self.stop]


def _newest(user, before: UUID, most: int) -> list[ModelRow]:
    """The newest models that `user` may read, older than `before`: the page that is asked for most.

    A permission may name a model that is not there; so it may take a second statement.
    """
    found: list[ModelRow] = []
    while True:
        missing = most - len(found)
        shared = users.page_of_holdings(
            user=user, namespace="models", right="read", before=before, most=missing
        )
        with connection.cursor() as cursor:
            cursor.execute(_NEWEST, (user.pk, before, missing, *shared, missing))
            rows = cursor.fetchall()
        found += [_row(row[1:]) for row in rows if row[1] is not None]
        if len(rows) < missing or len(found) == most:
            return found
        before = rows[-1][0]


def _row(found: tuple[Any, ...]) -> ModelRow:
    values = list(found)
    for at in _JSON:  # a cursor gives JSON as text
        values[at] = orjson.loads(values[at]) if isinstance(values[at], str) else values[at]
    return ModelRow._make(values)


def row_of(model: Model) -> ModelRow:
    """A model that was made just now, and so has no family yet."""
    return ModelRow._make([*(getattr(model, name) for name in _OWN), [], []])
