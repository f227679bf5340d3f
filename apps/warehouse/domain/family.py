"""Family of a model, and SQL for other apps of the models that a user may read."""

from django.db import connection
from django.db.models.expressions import RawSQL

from apps.warehouse.models import Model
from core.auth_user import Person

# Takes the keys of the models whose ancestors are wanted.
_ANCESTORS = """
    WITH RECURSIVE ancestor (uuid) AS (
        SELECT to_model_id FROM warehouse_model_parents WHERE from_model_id = ANY (%s)
        UNION
        SELECT edge.to_model_id FROM warehouse_model_parents edge
            JOIN ancestor ON edge.from_model_id = ancestor.uuid
    )
    SELECT uuid FROM ancestor
"""
# Takes the keys of the models whose descendants are wanted.
_DESCENDANTS = """
    WITH RECURSIVE descendant (uuid) AS (
        SELECT from_model_id FROM warehouse_model_parents WHERE to_model_id = ANY (%s)
        UNION
        SELECT edge.from_model_id FROM warehouse_model_parents edge
            JOIN descendant ON edge.to_model_id = descendant.uuid
    )
    SELECT uuid FROM descendant
"""


def ancestors(uri: str) -> list[str]:
    """URIs of the models that the one with this URI was made from, at any distance.

    Deleted ones as well: they were made from it all the same.
    """
    return _family(_ANCESTORS, uri)


def descendants(uri: str) -> list[str]:
    """URIs of the models that were made from the one with this URI, at any distance.

    Deleted ones as well: they were made from it all the same.
    """
    return _family(_DESCENDANTS, uri)


def reads_all(user: Person) -> bool:
    """Whether `user` may read every model."""
    return Model.is_all_read_by(user)


def readable_keys(user: Person) -> RawSQL:
    """The keys of the models that `user` may read, for a condition: `model_uuid__in=`."""
    if reads_all(user):
        return RawSQL("SELECT key FROM warehouse_kept()", ())  # noqa: S611
    return RawSQL("SELECT key FROM warehouse_readable(%s)", (user.pk,))  # noqa: S611


def _family(statement: str, uri: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(statement, (Model.keys_of(uri),))
        return [Model.uri_of(key) for (key,) in cursor.fetchall()]
