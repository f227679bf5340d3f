"""Members of bureaus and locations, and their rights."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from apps.erp.base.models.bureaus import (
    BUREAU_RIGHTS,
    LOCATION_RIGHTS,
    NAMESPACE,
    Bureau,
    Location,
    MembershipBureau,
    PermissionBureau,
    PermissionLocation,
)
from apps.erp.base.services import resources
from apps.users import interface as users
from core.auth_user import Person


@transaction.atomic
def create_bureau(*, actor: Person, **values: Any) -> Bureau:
    """A bureau whose creator is its first member and holds every right on it."""
    group = users.create_group(actor=actor, name=values["name"], description="Members of a bureau.")
    bureau = resources.create(actor=actor, kind=Bureau, group=group, **values)
    add_member(actor=actor, bureau=bureau, user=actor)
    _grant_all(actor, bureau, BUREAU_RIGHTS)
    return bureau


@transaction.atomic
def create_location(*, actor: Person, **values: Any) -> Location:
    """A location whose creator holds every right on it."""
    location = resources.create(actor=actor, kind=Location, **values)
    _grant_all(actor, location, LOCATION_RIGHTS)
    return location


def _grant_all(actor: Person, made: Bureau | Location, rights: Iterable[str]) -> None:
    users.grant_all(
        actor=actor, holder=actor.uri, namespace=NAMESPACE, object=made.uri, rights=rights
    )


@transaction.atomic
def add_member(*, actor: Person, bureau: Bureau, user: Person) -> MembershipBureau:
    """Make somebody a member of a bureau, who is a member of its group."""
    who = {"bureau": bureau, "user": user}
    resources.require_new(MembershipBureau(**who))
    users.join(actor=actor, group=bureau.group, user=user)
    if actor.pk != user.pk:
        users.answer_for(user.pk, by=actor)
    return MembershipBureau.objects.get(**who)


def remove_member(*, actor: Person, row: MembershipBureau) -> None:
    """End a membership, which is that of the group."""
    users.leave(actor=actor, group=row.bureau.group, user=row.user)


@transaction.atomic
def grant(*, actor: Person, kind: Any, **what: Any) -> Any:
    """Give somebody a right on a bureau or location."""
    row = kind(**what)
    resources.require_new(row)
    users.grant(actor=actor, **permission_of(row))
    return kind.objects.get(**what)


def revoke(*, actor: Person, row: Any) -> None:
    """Take the right back."""
    users.revoke(actor=actor, **permission_of(row))


def permission_of(row: PermissionBureau | PermissionLocation) -> dict[str, str]:
    """The permission that a row shows."""
    return {
        "holder": row.user.uri,
        "namespace": NAMESPACE,
        "object": getattr(row, row.PARENT).uri,
        "right": row.right,
    }


@transaction.atomic
def delete_place(*, actor: Person, row: Bureau | Location) -> None:
    """Delete a bureau or location that nothing points at; its people's rights go with it."""
    group = getattr(row, "group", None)
    uri = row.uri
    resources.delete(row=row)
    users.revoke_all_on(actor=actor, object=uri)
    if group is not None:
        users.remove_group(actor=actor, group=group)
