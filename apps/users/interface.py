"""Public interface of users, groups and permissions.

Checking a right needs no import: `user.has_perm(...)`, or `core.rights.require_right`. In SQL these
database functions return the keys of the objects on which a user, or a group of theirs, has it:

    users_held(person, namespace, right)
    users_held_before(person, namespace, right, key, most) : the last `most` keys below `key`, for
        the person and for each of their groups; duplicates are possible
    users_held_before(..., last) : as above, but only keys above `last`
    users_held_after(...) : the first keys above `key`; with `last` only keys below `last`

And these in their database views, one row each with its `key` and `created`:

    users_granted(namespace) : person, object, held; permissions held directly, not by a group
    users_members() : person, team
"""

from collections.abc import Iterable
from uuid import UUID

from apps.users.domain import rights
from apps.users.models import ApiToken, Group, Membership, Permission, User
from apps.users.models.permission import group_keys
from apps.users.services import customer_passwords as customer_passwords  # of shops
from apps.users.services import groups, login_links, memberships, permission_queries, permissions
from apps.users.services import guests as guests
from apps.users.services import notifications as notifications
from apps.users.services.notifications import notify_of_failure as notify_of_failure
from core.auth_user import Person
from core.resources import owner_of


def keys_held(*, user: Person, namespace: str) -> list[UUID]:
    """The keys of all objects on which `user`, or a group of theirs, holds any right."""
    holders = [user.pk, *groups_of(user)]
    held = Permission.objects.filter(holder_uuid__in=holders, namespace=namespace)
    return [key for key in held.values_list("object_uuid", flat=True).distinct() if key]


def grant(*, actor: Person, holder: str, namespace: str, object: str, right: str) -> str:
    """Grant a right, which the caller's own rules allow; again is fine. The permission's URI."""
    return permissions.grant(
        actor=actor, holder=holder, namespace=namespace, object=object, right=right
    ).uri


def grant_all(
    *, actor: Person, holder: str, namespace: str, object: str, rights: Iterable[str]
) -> None:
    """Grant rights on an object that the caller has just created, which has no permissions yet."""
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
    """Return the URI of an object's owner, in whichever service it is; None where none is known."""
    return User.uri_of(key) if (key := owner_of(on)) else None


def revoke(*, actor: Person, holder: str, namespace: str, object: str, right: str) -> bool:
    """Revoke a right; whether it was there."""
    given = Permission.objects.on(object).of(holder).filter(namespace=namespace, right=right)
    return permissions.revoke_all(actor=actor, permissions=given) > 0


def revoke_all_on(*, actor: Person, object: str) -> int:
    """Revoke every right on an object that is no more; how many there were."""
    return permissions.revoke_all(actor=actor, permissions=Permission.objects.on(object))


def create_group(*, actor: Person, name: str, description: str = "") -> UUID:
    """Create a group without members or owner, managed by a service, and return its key."""
    return groups.create(actor=actor, name=name, description=description, own=False).pk


def remove_group(*, actor: Person, group: UUID) -> None:
    """Delete a group that a service manages."""
    groups.remove_group(actor=actor, group=Group.objects.get(pk=group))


def join(*, actor: Person, group: UUID, user: Person) -> None:
    """Add a user to a group on behalf of a service that checked its own rules; idempotent."""
    memberships.join(actor=actor, group=Group.objects.get(pk=group), user=user)


def leave(*, actor: Person, group: UUID, user: Person) -> None:
    """Remove a user from a group on behalf of a service that checked its own rules."""
    memberships.remove(user.memberships.filter(group=group), actor=actor)


def exists(*, uri: str, user: Person) -> bool:
    """Return whether `uri` names an account that can sign in; no right is needed."""
    return User.objects.filter(pk__in=User.keys_of(uri), is_active=True, guest_until=None).exists()


def find_group(*, uri: str, user: Person) -> UUID | None:
    """The key of the group that `uri` names, if `user` may see it."""
    found = Group.objects.visible_to(user).filter(pk__in=Group.keys_of(uri))
    return found.values_list("pk", flat=True).first()


def group_uri(key: UUID) -> str:
    """The URI of the group with this key."""
    return Group.uri_of(key)


def groups_of(user: Person) -> list[UUID]:
    """The keys of the groups that `user` is in."""
    return group_keys(user)


def who_may_grant(*, user: Person, namespace: str, on: str) -> list[str]:
    """Return the URIs of those who may grant rights on the object, as far as visible to `user`."""
    return permission_queries.who_may_grant(user=user, namespace=namespace, on=on)


def groups_joined(user: UUID) -> int:
    """In how many groups a user is."""
    return Membership.objects.filter(user=user).count()


def tokens_of(user: UUID) -> int:
    """How many API tokens a user has."""
    return ApiToken.objects.filter(user=user).count()


def answer_for(user: UUID, *, by: Person | None = None) -> None:
    """Mark an account as known, so that it gets its own share of the queues even while it is new.

    by : the account that vouches for it; without effect if that one is not known itself
    """
    if by is None or by.turns_account == by.pk:
        User.objects.filter(pk=user, guest_until=None, network__isnull=False).update(network=None)


def first_link() -> str | None:
    """Return a one-time sign-in link for the first operator; None once any user has signed in."""
    return login_links.first()
