"""Reading models: one statement for one model or for a page of them, with the same columns.

Compared with the ORM's answer in tests/warehouse/test_queries.py.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from apps.warehouse.models import Model, sees_all


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
    picture_id: str | None
    parent_keys: list[UUID]
    child_keys: list[UUID]


_FAMILY = ("parent_keys", "child_keys")
_OWN = tuple(name for name in ModelRow._fields if name not in _FAMILY)
_JSON = tuple(ModelRow._fields.index(name) for name in ("errors", "analyses"))
_COLUMNS = (
    f"SELECT {', '.join(f'm.{name}' for name in _OWN)},"  # noqa: S608
    " ARRAY(SELECT p.to_model_id FROM warehouse_model_parents p WHERE p.from_model_id = m.uuid),"
    " ARRAY(SELECT c.from_model_id FROM warehouse_model_parents c WHERE c.to_model_id = m.uuid)"
)
_SELECT = f"{_COLUMNS} FROM warehouse_model m WHERE m.uuid = %s AND m.deleted IS NULL"  # noqa: S608
_READABLE = _SELECT + " AND m.owner_id = %s"
_PAGE = (
    f"{_COLUMNS} FROM (SELECT uuid, row_number() OVER () AS place FROM ({{keys}}) AS keys) AS page"  # noqa: S608
    " JOIN warehouse_model m ON m.uuid = page.uuid ORDER BY page.place"
)


def read_model(uuid: UUID, user) -> ModelRow | None:
    """The model, if `user` may read it: one statement."""
    with connection.cursor() as cursor:
        if sees_all(user):
            cursor.execute(_SELECT, (uuid,))
        else:
            cursor.execute(_READABLE, (uuid, user.pk))
        found = cursor.fetchone()
    return _row(found) if found else None


def readable_models(user) -> QuerySet:
    """The models that `user` may read; to be filtered, ordered and sliced, and read as rows."""
    readable: Any = Model.objects.visible_to(user)
    readable._iterable_class = _Rows  # as `values_list` does it
    return readable


class _Rows:
    """What iterating over `readable_models` gives: a ModelRow each, all by one statement."""

    def __init__(self, asked: QuerySet, **options: Any):
        self.asked = asked

    def __iter__(self) -> Iterator[ModelRow]:
        try:
            keys, values = self.asked.values("uuid").query.sql_with_params()
        except EmptyResultSet:  # conditions that contradict each other
            return
        with connection.cursor() as cursor:
            cursor.execute(_PAGE.format(keys=keys), values)
            yield from map(_row, cursor.fetchall())


def _row(found: tuple[Any, ...]) -> ModelRow:
    values = list(found)
    for at in _JSON:  # a cursor gives JSON as text
        values[at] = orjson.loads(values[at]) if isinstance(values[at], str) else values[at]
    return ModelRow._make(values)


def row_of(model: Model) -> ModelRow:
    """A model that was made just now, and so has no family yet."""
    return ModelRow._make([*(getattr(model, name) for name in _OWN), [], []])
