"""Permission checks as SQL.

Each starts from the asker's keys, since a busy object has thousands of holders and a user at most
a hundred groups. Compared with the ORM's answer in tests/users/test_rights.py.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection
from django.db.models import QuerySet

from apps.users.models import Permission, User
from apps.users.models.permission import DELEGATING, named
from core.resources import owner_of
from core.rights import cached_on_user


class Question(NamedTuple):
    """May the holder do this to the object? The contract's four strings."""

    holder: str
    namespace: str
    object: str
    right: str


# Whether a user holds a right. Takes: the object's key, namespace, right, the user's key twice.
_HELD = (
    "EXISTS (SELECT 1 FROM users_permission p WHERE p.object_uuid = %s"
    ' AND p.namespace = %s AND p."right" = %s AND p.holder_uuid = ANY'
    " (ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = %s) || %s::uuid))"
)
_HELD_ON_FOREIGN = _HELD.replace("p.object_uuid = %s", "p.object_uuid IS NULL AND p.object = %s")
# The same of rights that end like this one.
_DELEGATED = _HELD.replace('"right" = %s', '"right" LIKE %s')
_DELEGATED_ON_FOREIGN = _HELD_ON_FOREIGN.replace('"right" = %s', '"right" LIKE %s')

_HOLDERS = (
    "p.holder_uuid = ANY (ARRAY(SELECT m.group_id FROM users_membership m"
    " WHERE m.user_id = q.holder_uuid) || q.holder_uuid)",
    "q.holder_uuid IS NULL AND p.holder_uuid IS NULL AND p.holder = q.holder",
)
_OBJECTS = (
    "p.object_uuid = q.object_uuid",
    "q.object_uuid IS NULL AND p.object_uuid IS NULL AND p.object = q.object",
)
_ANY_HELD = " OR ".join(
    "EXISTS (SELECT 1 FROM users_permission p WHERE p.namespace = q.namespace"  # noqa: S608
    f' AND p."right" = q."right" AND {holder} AND {obj})'
    for holder in _HOLDERS
    for obj in _OBJECTS
)
_MANY = (
    f"SELECT COALESCE(u.is_active, true) AND (COALESCE(u.is_staff, false) OR {_ANY_HELD})"  # noqa: S608
    " FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::uuid[], %s::text[], %s::text[])"
    ' WITH ORDINALITY AS q(holder_uuid, holder, namespace, object_uuid, object, "right", place)'
    " LEFT JOIN users_user u ON u.uuid = q.holder_uuid ORDER BY q.place"
)


def holds(user: User, namespace: str, right: str, on: str) -> bool:
    """Whether `user`, or a group of theirs, was granted the right: one statement.

    The answer is remembered on the object `user`, which lives as long as a request.
    """
    return cached_on_user(
        user,
        (namespace, right, on),
        lambda: _ask(_HELD, _HELD_ON_FOREIGN, user, on, namespace, right),
    )


def may_grant(user: User, namespace: str, on: str) -> bool:
    """Whether `user` may grant rights on the object, and revoke them.

    Administrators may; holders of `<kind>.permission.all` on the object in the namespace; and its
    owner.
    """
    if user.is_staff or owner_of(on) == user.pk:
        return True
    return _ask(_DELEGATED, _DELEGATED_ON_FOREIGN, user, on, namespace, f"_%{DELEGATING}")


def answer(questions: Sequence[Question]) -> list[bool]:
    """The answers to many questions, in their order: one statement.

    A user's groups count for the user; an administrator may everything, the deactivated nothing.
    """
    columns: list[list] = [[] for _ in range(6)]
    for question in questions:
        holder, on = named("holder", question.holder), named("object", question.object)
        values = (
            holder["holder_uuid"],
            holder.get("holder"),
            question.namespace,
            on["object_uuid"],
            on.get("object"),
            question.right,
        )
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    with connection.cursor() as cursor:
        cursor.execute(_MANY, columns)
        return [row[0] for row in cursor.fetchall()]


def forget_answers(user: User | None) -> None:
    """Ask the database anew, since a right may have been granted or revoked."""
    if user is not None:
        vars(user).pop("_rights", None)


def delegates(namespace: str, on: str) -> QuerySet[Permission]:
    """The permissions by which their holders may grant rights on the object."""
    return Permission.objects.on(on).filter(namespace=namespace, right__endswith=DELEGATING)


def _ask(ours: str, foreign: str, user: User, on: str, namespace: str, right: str) -> bool:
    columns = named("object", on)
    key = columns["object_uuid"]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {ours if key else foreign}",  # noqa: S608
            (key or columns["object"], namespace, right, user.pk, user.pk),
        )
        return cursor.fetchone()[0]
