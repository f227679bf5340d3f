"""Service layer: create, update and delete memberships."""

from typing import Any

from django.db import IntegrityError, transaction

from apps.users.domain.rights import forget_answers
from apps.users.models import Group, Membership, User
from apps.users.models.membership import ADDING
from apps.users.services.audit import record
from core.errors import Conflict, QuotaExceeded, UnknownResource
from core.queue import quotas
from core.rights import missing_right


class AlreadyMember(Conflict):
    """The user is in the group already."""

    code = "membership-exists"


@transaction.atomic
def create(*, actor: User, group: str, user: str) -> Membership:
    """Add the user to the group, if `actor` may; both are URIs."""
    return _create(actor, group=_own_group(actor, group), member=_person(user))


@transaction.atomic
def join(*, actor: User, group: Group, user: User) -> None:
    """Add the user to the group without a check of rights: for callers that have checked them."""
    if not user.memberships.filter(group=group).exists():
        _create(actor, group=group, member=_person(user.uri))


@transaction.atomic
def change(
    *, actor: User, row: Membership, group: str | None = None, user: str | None = None
) -> None:
    """Change a membership; `actor` must be able to add members to the old and the new group."""
    before = as_json(row)
    _require_authority(actor, row.group)
    if group is not None:
        row.group = _own_group(actor, group)
    if user is not None:
        row.user = _person(user)
    _save(row)
    record(
        action="membership.changed",
        actor=actor,
        on=row.uri,
        before=before,
        after=as_json(row),
    )
    forget_answers(actor)


@transaction.atomic
def delete(*, actor: User, row: Membership) -> None:
    """Take the user out of the group, if `actor` may, or is the user."""
    if not may_end(actor, row):
        _require_authority(actor, row.group)
    remove([row], actor=actor)


@transaction.atomic
def remove(memberships: Any, *, actor: User | None) -> int:
    """Delete memberships without a check of rights, and return how many."""
    ended = list(memberships)
    for membership in ended:
        record(
            action="membership.deleted",
            actor=actor,
            on=membership.uri,
            before=as_json(membership),
        )
        membership.delete()
    forget_answers(actor)
    return len(ended)


def as_json(membership: Membership) -> dict[str, str]:
    """The group's URI and the user's."""
    return {"group": membership.group.uri, "user": membership.user.uri}


def _create(user: User, *, group: Group, member: User) -> Membership:
    membership = Membership(group=group, user=member, created_by=user)
    _save(membership)
    record(action="membership.created", actor=user, on=membership.uri, after=as_json(membership))
    forget_answers(user)
    return membership


def _own_group(user: User, uri: str) -> Group:
    """Return the group if `user` may add members to it; a missing one raises the same error."""
    group = Group.objects.filter(pk__in=Group.keys_of(uri)).first()
    if group is None:
        raise missing_right(user, ADDING, namespace="users", on=uri)
    _require_authority(user, group)
    return group


def may_end(user: User, row: Membership) -> bool:
    """Whether `user` may take the member out, or is the member."""
    return row.user_id == user.pk or may_change(user, row.group)


def may_change(user: User, group: Group) -> bool:
    """Whether `user` may add members to the group, and take them out."""
    return group.creator_id == user.pk or user.has_perm(f"users.{ADDING}", group.uri)


def _require_authority(user: User, group: Group) -> None:
    if not may_change(user, group):
        raise missing_right(user, ADDING, namespace="users", on=group.uri)


def _person(uri: str) -> User:
    """Return the active user, locked so that concurrent requests cannot exceed their limit."""
    people = User.objects.select_for_update(no_key=True)
    person = people.filter(pk__in=User.keys_of(uri), is_active=True).first()
    if person is None:
        raise UnknownResource(f"{uri} is not a user.", field="user")
    return person


def _save(membership: Membership) -> None:
    others = Membership.objects.filter(user=membership.user).exclude(pk=membership.pk)
    same = others.filter(group=membership.group).first()
    there = others.count()
    most = quotas.quota("groups", membership.user)
    if same is None and most is not None and there >= most:
        raise QuotaExceeded(
            f"A user is in at most {most} groups: leave one of them first.",
            limit="groups",
            most=most,
            used=there,
            free_by="leaving one of them",
        )
    try:
        with transaction.atomic():
            membership.save()
    except IntegrityError as error:
        same = same or others.get(group=membership.group)
        raise AlreadyMember(
            "The user is in this group already.", details={"uri": same.uri}
        ) from error
