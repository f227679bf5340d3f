"""Service layer: create, update and delete groups."""

from django.db import transaction
from django.db.models import Q

from apps.users.models import Group, Permission, User
from apps.users.services.audit import record
from apps.users.services.permissions import revoke_all
from core.rights import missing_right

# The right, on a group, to change and delete it.
CHANGING = "group.all"


@transaction.atomic
def create(*, actor: User, name: str = "", description: str = "", own: bool = True) -> Group:
    """Create a group without rights and without members, also without its creator.

    own : whether its creator owns it and manages its members
    """
    creator = actor if own else None
    group = Group.objects.create(creator=creator, name=name, description=description)
    record(action="group.created", actor=actor, on=group.uri, after={"name": name})
    return group


@transaction.atomic
def change(*, actor: User, row: Group, **fields: str) -> None:
    """Change a group's name or description."""
    _require_authority(actor, row)
    before = {name: getattr(row, name) for name in fields}
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=list(fields))
    record(action="group.changed", actor=actor, on=row.uri, before=before, after=fields)


@transaction.atomic
def delete(*, actor: User, row: Group) -> None:
    """Delete a group, its memberships, and the rights that it held or that were held on it."""
    _require_authority(actor, row)
    remove_group(actor=actor, group=row)


@transaction.atomic
def remove_group(*, actor: User, group: Group) -> None:
    """Delete a group without a check of rights: for callers that have checked them."""
    members = [membership.user.uri for membership in group.memberships.select_related("user")]
    record(
        action="group.deleted",
        actor=actor,
        on=group.uri,
        before={"name": group.name, "description": group.description, "members": members},
    )
    revoke_all(
        actor=actor,
        permissions=Permission.objects.filter(Q(holder_uuid=group.pk) | Q(object_uuid=group.pk)),
    )
    group.delete()


def may_change(user: User, group: Group) -> bool:
    """Whether `user` may change and delete the group."""
    return group.creator_id == user.pk or user.has_perm(f"users.{CHANGING}", group.uri)


def _require_authority(user: User, group: Group) -> None:
    if not may_change(user, group):
        raise missing_right(user, CHANGING, namespace="users", on=group.uri)
