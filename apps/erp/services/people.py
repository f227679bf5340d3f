"""Who belongs to a bureau, works at a location, and may do what there."""

from typing import Any

from django.db import transaction

from apps.erp.models import (
    Bureau,
    Location,
    MembershipBureau,
    PermissionBureau,
    PermissionLocation,
)
from apps.erp.models.bureau import BUREAU_RIGHTS, LOCATION_RIGHTS, NAMESPACE
from apps.erp.services import rows
from apps.users import interface as users


@transaction.atomic
def create_bureau(*, user: Any, **values: Any) -> Bureau:
    """A bureau whose creator is its first member and holds every right on it."""
    group = users.create_group(actor=user, name=values["name"], description="Members of a bureau.")
    bureau = rows.create(actor=user, kind=Bureau, group=group, **values)
    add_member(actor=user, bureau=bureau, user=user)
    for right in BUREAU_RIGHTS:
        grant(actor=user, kind=PermissionBureau, bureau=bureau, user=user, right=right)
    return bureau


@transaction.atomic
def create_location(*, user: Any, **values: Any) -> Location:
    """A location whose creator holds every right on it."""
    location = rows.create(actor=user, kind=Location, **values)
    for right in LOCATION_RIGHTS:
        grant(actor=user, kind=PermissionLocation, location=location, user=user, right=right)
    return location


@transaction.atomic
def add_member(*, actor: Any, bureau: Bureau, user: Any) -> MembershipBureau:
    """Make somebody a member of a bureau, who is a member of its group."""
    who = {"bureau": bureau, "user": user}
    rows.require_new(MembershipBureau(**who))
    users.join(actor=actor, group=bureau.group, user=user)
    return MembershipBureau.objects.get(**who)


def remove_member(*, actor: Any, membership: MembershipBureau) -> None:
    """End a membership, which is that of the group."""
    users.leave(actor=actor, group=membership.bureau.group, user=membership.user)


@transaction.atomic
def grant(*, actor: Any, kind: Any, **what: Any) -> Any:
    """Give somebody a right on a bureau or location."""
    row = kind(**what)
    rows.require_new(row)
    users.grant(actor=actor, **permission_of(row))
    return kind.objects.get(**what)


def revoke(*, actor: Any, row: Any) -> None:
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
def delete_place(*, actor: Any, place: Bureau | Location) -> None:
    """Delete a bureau or location that nothing points at; its people's rights go with it."""
    group = getattr(place, "group", None)
    uri = place.uri
    rows.delete(row=place)
    users.revoke_all_on(actor=actor, object=uri)
    if group is not None:
        users.remove_group(actor=actor, group=group)
