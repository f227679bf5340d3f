"""Public interface of users, groups and permissions.

To ask for a right takes no import: `user.has_perm(...)`, or `core.rights.require_right`. Statements
of other apps ask these functions of the database for the keys of the objects that somebody holds a
right on, alone or through a group:

    users_held(person, namespace, right)
    users_held_before(person, namespace, right, key, most) : the last ones below `key`, that many of
        each of the person's own and their groups'; some may come twice
    users_held_before(..., last) : the same, but only those above `last`
    users_held_after(...) : the first ones beyond it, and with `last` only those below that

And these for views of their own, a row each with its `key` and when it was `created`:

    users_granted(namespace) : person, object, held; what people hold, but not by a group
    users_members() : person, team
"""

from collections.abc import Iterable
from uuid import UUID

from apps.users.domain import rights
from apps.users.models import ApiToken, Group, Membership, Permission, User
from apps.users.services import groups, login_links, memberships, permission_queries, permissions
from core.auth_user import Person
from core.resources import owner_of
from core.rights import cached_on_user


def keys_held(*, user: Person, namespace: str) -> list[UUID]:
    """The keys of all objects on which `user`, or a group of theirs, holds any right."""
    held = Permission.objects.filter(
        holder_uuid__in=[user.pk, *groups_of(user)], namespace=namespace
    )
    return [key for key in held.values_list("object_uuid", flat=True).distinct() if key]


def grant(*, actor: Person, holder: str, namespace: str, object: str, right: str) -> str:
    """Grant a right, which the caller's own rules allow; again is fine. The permission's URI."""
    return permissions.grant(
        actor=actor, holder=holder, namespace=namespace, object=object, right=right
    ).uri


def grant_all(
    *, actor: Person, holder: str, namespace: str, object: str, rights: Iterable[str]
) -> None:
    """Grant rights on what the caller has just made, so that nobody holds any on it yet."""
    permissions.grant_all(
        actor=actor, holder=holder, namespace=namespace, object=object, rights=rights
    )


def has_right(*, holder: str, namespace: str, object: str, right: str) -> bool:
    """Whether a user or a group, named by its URI, holds a right."""
    return rights.answer([rights.Question(holder, namespace, object, right)])[0]


def may_grant(*, user: Person, namespace: str, on: str) -> bool:
    """Whether `user` may grant rights on the object: its owner, among others."""
    return rights.may_grant(user, namespace, on)


def owner_uri(on: str) -> str | None:
    """The URI of who owns the object, whichever service has it; None where nobody is known."""
    key = owner_of(on)
    return User.uri_of(key) if key else None


def revoke(*, actor: Person, holder: str, namespace: str, object: str, right: str) -> bool:
    """Revoke a right; whether it was there."""
    given = Permission.objects.on(object).of(holder).filter(namespace=namespace, right=right)
    return permissions.revoke_all(actor=actor, permissions=given) > 0


def revoke_all_on(*, actor: Person, object: str) -> int:
    """Revoke every right on an object that is no more; how many there were."""
    return permissions.revoke_all(actor=actor, permissions=Permission.objects.on(object))


def create_group(*, actor: Person, name: str, description: str = "") -> UUID:
    """A group without members, for a service that manages it: it is nobody's own. Its key."""
    return groups.create(actor=actor, name=name, description=description, own=False).pk


def remove_group(*, actor: Person, group: UUID) -> None:
    """Delete a group that a service manages."""
    groups.remove_group(actor=actor, group=Group.objects.get(pk=group))


def join(*, actor: Person, group: UUID, user: Person) -> None:
    """Put somebody into a group, for a service whose own rules allow it; again is fine."""
    memberships.join(actor=actor, group=Group.objects.get(pk=group), user=user)


def leave(*, actor: Person, group: UUID, user: Person) -> None:
    """Take somebody out of a group, for a service whose own rules allow it."""
    memberships.remove(user.memberships.filter(group=group), actor=actor)


def exists(*, uri: str, user: Person) -> bool:
    """Whether `uri` names somebody who can sign in: anybody may name them."""
    return User.objects.filter(pk__in=User.keys_of(uri), is_active=True).exists()


def find_group(*, uri: str, user: Person) -> UUID | None:
    """The key of the group that `uri` names, if `user` may see it."""
    found = Group.objects.visible_to(user).filter(pk__in=Group.keys_of(uri))
    return found.values_list("pk", flat=True).first()


def group_uri(key: UUID) -> str:
    """The URI of the group with this key."""
    return Group.uri_of(key)


def groups_of(user: Person) -> list[UUID]:
    """The keys of the groups that `user` is in."""
    groups = user.memberships.values_list("group", flat=True)
    return cached_on_user(user, ("users", "groups"), lambda: list(groups))


def who_may_grant(*, user: Person, namespace: str, on: str) -> list[str]:
    """URIs of those who may grant rights on the object, as far as `user` may see them."""
    return permission_queries.who_may_grant(user=user, namespace=namespace, on=on)


def groups_joined(user: UUID) -> int:
    """In how many groups a user is."""
    return Membership.objects.filter(user=user).count()


def tokens_of(user: UUID) -> int:
    """How many API tokens a user has."""
    return ApiToken.objects.filter(user=user).count()


def answer_for(user: UUID, *, by: Person | None = None) -> None:
    """Somebody knows this account: it takes turns of its own, however fresh it is.

    by : who says so, if a person does; for whom nobody answers, answers for nobody
    """
    if by is None or by.turns_account == by.pk:
        User.objects.filter(pk=user).exclude(network=None).update(network=None)


def first_link() -> str | None:
    """A page that signs the first operator in, once; None as soon as anybody has signed in."""
    return login_links.first()
