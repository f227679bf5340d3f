"""Users, groups and rights, as other apps see them: URIs and plain values, never rows.

To ask for a right takes no import: `user.has_perm(...)`, or `core.rights.require_right`.
"""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from apps.users.domain import rights
from apps.users.domain.rights import HELD, HOLDER_KEYS
from apps.users.models import Group, Membership, Permission, User
from apps.users.services import groups, memberships, permissions, questions
from core.resources import owner_of

# Whether a user holds a right: an SQL condition; takes `held(...)`.
HELD_SQL = HELD
# The same of the key in a column: `HELD_ON_SQL.format(key="m.uuid")`; takes `holdings(...)`.
HELD_ON_SQL = HELD.replace("p.object_uuid = %s", "p.object_uuid = {key}")
# The keys of all objects on which a user holds a right: a SELECT; takes `holdings(...)`.
HELD_KEYS_SQL = (
    "SELECT p.object_uuid FROM users_permission p"  # noqa: S608
    f' WHERE p.namespace = %s AND p."right" = %s AND p.holder_uuid = ANY {HOLDER_KEYS}'
)
# The newest of them, of each of the keys under which the user holds rights, so that some may come
# twice; takes `page_of_holdings(...)`.
HELD_PAGE_SQL = (
    f"SELECT found.object_uuid FROM unnest({HOLDER_KEYS}) AS holder(key),"  # noqa: S608
    " LATERAL (SELECT p.object_uuid FROM users_permission p WHERE p.holder_uuid = holder.key"
    ' AND p.namespace = %s AND p."right" = %s AND p.object_uuid < %s'
    " ORDER BY p.object_uuid DESC LIMIT %s) AS found"
)


def held(*, user: Any, namespace: str, right: str, key: UUID) -> tuple[Any, ...]:
    """The values of HELD_SQL, for the object with this key."""
    return (key, namespace, right, user.pk, user.pk)


def holdings(*, user: Any, namespace: str, right: str) -> tuple[Any, ...]:
    """The values of HELD_KEYS_SQL."""
    return (namespace, right, user.pk, user.pk)


def held_keys(*, user: Any, namespace: str, right: str) -> RawSQL:
    """The keys of all objects on which `user` holds a right, for a condition of the asker's own."""
    return RawSQL(HELD_KEYS_SQL, holdings(user=user, namespace=namespace, right=right))  # noqa: S611


def page_of_holdings(
    *, user: Any, namespace: str, right: str, before: UUID, most: int
) -> tuple[Any, ...]:
    """The values of HELD_PAGE_SQL: keys less than `before`, at most `most` of each holder's."""
    return (user.pk, user.pk, namespace, right, before, most)


def keys_held(*, user: Any, namespace: str) -> list[UUID]:
    """The keys of all objects on which `user`, or a group of theirs, holds any right."""
    held = Permission.objects.held_by(user).filter(namespace=namespace, object_uuid__isnull=False)
    return list(held.values_list("object_uuid", flat=True).distinct())


def granted(*, namespace: str) -> QuerySet:
    """Who holds what in a namespace, for a condition of the asker's own.

    Its columns: holder_uuid, object_uuid, right.
    """
    return Permission.objects.filter(namespace=namespace).values(
        "holder_uuid", "object_uuid", "right"
    )


def members() -> QuerySet:
    """Who is in which group, for a condition of the asker's own: columns user, group."""
    return Membership.objects.values("user", "group")


def grant(*, actor: Any, holder: str, namespace: str, object: str, right: str) -> str:
    """Grant a right, which the caller's own rules allow; again is fine. The permission's URI."""
    return permissions.grant(
        actor=actor, holder=holder, namespace=namespace, object=object, right=right
    ).uri


def has_right(*, holder: str, namespace: str, object: str, right: str) -> bool:
    """Whether a user or a group, named by its URI, holds a right."""
    return rights.answer([rights.Question(holder, namespace, object, right)])[0]


def may_grant(*, user: Any, namespace: str, on: str) -> bool:
    """Whether `user` may grant rights on the object: its owner, among others."""
    return rights.may_grant(user, namespace, on)


def owner_uri(on: str) -> str | None:
    """The URI of who owns the object, whichever service has it; None where nobody is known."""
    key = owner_of(on)
    return User.uri_of(key) if key else None


def revoke(*, actor: Any, holder: str, namespace: str, object: str, right: str) -> bool:
    """Revoke a right; whether it was there."""
    given = Permission.objects.on(object).of(holder).filter(namespace=namespace, right=right)
    return permissions.revoke_all(actor=actor, permissions=given) > 0


def revoke_all_on(*, actor: Any, object: str) -> int:
    """Revoke every right on an object that is no more; how many there were."""
    return permissions.revoke_all(actor=actor, permissions=Permission.objects.on(object))


def create_group(*, actor: Any, name: str, description: str = "") -> UUID:
    """A group without members, for a service that manages it: it is nobody's own. Its key."""
    return groups.create_group(user=actor, name=name, description=description, own=False).pk


def remove_group(*, actor: Any, group: UUID) -> None:
    """Delete a group that a service manages."""
    groups.remove_group(user=actor, group=Group.objects.get(pk=group))


def join(*, actor: Any, group: UUID, user: Any) -> None:
    """Put somebody into a group, for a service whose own rules allow it; again is fine."""
    memberships.join(user=actor, group=Group.objects.get(pk=group), member=user)


def leave(*, actor: Any, group: UUID, user: Any) -> None:
    """Take somebody out of a group, for a service whose own rules allow it."""
    memberships.remove(user.memberships.filter(group=group), actor=actor)


def exists(*, uri: str, user: Any) -> bool:
    """Whether `uri` names somebody who can sign in: anybody may name them."""
    return User.objects.filter(pk__in=User.keys_of(uri), is_active=True).exists()


def find_group(*, uri: str, user: Any) -> UUID | None:
    """The key of the group that `uri` names, if `user` may see it."""
    found = Group.objects.visible_to(user).filter(pk__in=Group.keys_of(uri))
    return found.values_list("pk", flat=True).first()


def group_uri(key: UUID) -> str:
    """The URI of the group with this key."""
    return Group.uri_of(key)


def groups_of(user: Any) -> QuerySet:
    """The keys of the groups that `user` is in, for a condition of the asker's own."""
    return user.memberships.values("group")


def who_may_grant(*, user: Any, namespace: str, on: str) -> list[str]:
    """URIs of those who may grant rights on the object, as far as `user` may see them."""
    return questions.who_may_grant(user=user, namespace=namespace, on=on)


def groups_joined(user: UUID) -> int:
    """In how many groups a user is."""
    return Membership.objects.filter(user=user).count()


def answer_for(user: UUID, *, by: Any = None) -> None:
    """Somebody knows this account: it takes turns of its own, however fresh it is.

    by : who says so, if a person does; for whom nobody answers, answers for nobody
    """
    if by is None or by.turns_account == by.pk:
        User.objects.filter(pk=user).exclude(network=None).update(network=None)
