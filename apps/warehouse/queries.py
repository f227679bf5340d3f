"""Reading models: one statement for one model with its right, one set of columns for all.

Compared with the ORM's answer in tests/warehouse/test_queries.py.
"""

from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import OuterRef, QuerySet

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
_SELECT = (
    f"SELECT {', '.join(f'm.{name}' for name in _OWN)},"  # noqa: S608
    " ARRAY(SELECT p.to_model_id FROM warehouse_model_parents p WHERE p.from_model_id = m.uuid),"
    " ARRAY(SELECT c.from_model_id FROM warehouse_model_parents c WHERE c.to_model_id = m.uuid)"
    " FROM warehouse_model m WHERE m.uuid = %s AND m.deleted IS NULL"
)
_READABLE = _SELECT + " AND m.owner_id = %s"


def read_model(uuid: UUID, user) -> ModelRow | None:
    """The model, if `user` may read it: one statement."""
    with connection.cursor() as cursor:
        if sees_all(user):
            cursor.execute(_SELECT, (uuid,))
        else:
            cursor.execute(_READABLE, (uuid, user.pk))
        found = cursor.fetchone()
    if found is None:
        return None
    values = list(found)
    for at in _JSON:  # a cursor gives JSON as text
        values[at] = orjson.loads(values[at]) if isinstance(values[at], str) else values[at]
    return ModelRow._make(values)


def readable_models(user) -> QuerySet:
    """The models that `user` may read, as rows with the fields of ModelRow."""
    family = Model.parents.through.objects
    return (
        Model.objects.visible_to(user)
        .annotate(
            parent_keys=ArraySubquery(
                family.filter(from_model=OuterRef("pk")).values("to_model_id")
            ),
            child_keys=ArraySubquery(
                family.filter(to_model=OuterRef("pk")).values("from_model_id")
            ),
        )
        .values_list(*ModelRow._fields, named=True)
    )


def row_of(model: Model) -> ModelRow:
    """A model that was made just now, and so has no family yet."""
    return ModelRow._make([*(getattr(model, name) for name in _OWN), [], []])
