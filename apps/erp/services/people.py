"""Who belongs to a bureau, works at a location, and may do what there."""

from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

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


def standing(people: QuerySet) -> QuerySet:
    """Those of these rows whose right or membership was not taken away through the users service.

    The users service decides who may do what; a row here only says that it was asked to.
    """
    kind = people.model
    if kind is MembershipBureau:
        found = users.members().filter(user=OuterRef("user"), group=OuterRef("bureau__group"))
    else:
        found = users.granted(namespace=NAMESPACE).filter(
            holder_uuid=OuterRef("user"), object_uuid=OuterRef(kind.PARENT), right=OuterRef("right")
        )
    return people.filter(Exists(found))


@transaction.atomic
def add_member(*, actor: Any, bureau: Bureau, user: Any) -> MembershipBureau:
    """Make somebody a member of a bureau, and so of its group."""
    _clear(MembershipBureau, bureau=bureau, user=user)
    membership = rows.create(actor=actor, kind=MembershipBureau, bureau=bureau, user=user)
    users.join(actor=actor, group=bureau.group, user=user)
    if actor.pk != user.pk:
        users.answer_for(user.pk, by=actor)
    return membership


@transaction.atomic
def remove_member(*, actor: Any, membership: MembershipBureau) -> None:
    """End a membership, and that of the group."""
    users.leave(actor=actor, group=membership.bureau.group, user=membership.user)
    rows.delete(row=membership)


@transaction.atomic
def grant(*, actor: Any, kind: Any, user: Any, right: str, **on: Any) -> Any:
    """Give somebody a right on a bureau or location: the row, and the permission it stands for."""
    _clear(kind, user=user, right=right, **on)
    row = rows.create(actor=actor, kind=kind, user=user, right=right, **on)
    users.grant(actor=actor, **permission_of(row))
    return row


@transaction.atomic
def revoke(*, actor: Any, row: Any) -> None:
    """Take the right back."""
    users.revoke(actor=actor, **permission_of(row))
    rows.delete(row=row)


def _clear(kind: Any, **values: Any) -> None:
    """Forget a row that stands for nothing any more, so that another one can."""
    same = kind.objects.filter(**values)
    same.exclude(pk__in=standing(same).values("pk")).delete()


def permission_of(row: PermissionBureau | PermissionLocation) -> dict[str, str]:
    """The ordinary permission that a row stands for."""
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
