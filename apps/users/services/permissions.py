"""Service layer: grant, update and revoke permissions."""

from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction

from apps.users.domain.rights import forget_answers, may_grant
from apps.users.models import Permission, User
from apps.users.models.permission import DELEGATING, columns
from apps.users.services.audit import record, record_each
from core import uris
from core.errors import Conflict
from core.resources import owner_of
from core.rights import missing_right


class AlreadyGranted(Conflict):
    """The holder has this right already."""

    code = "permission-exists"


@transaction.atomic
def create(*, actor: User, holder: str, namespace: str, object: str, right: str) -> Permission:
    """Grant a right, if `actor` may grant rights on the object; a platform service may any."""
    if not actor.is_platform_service:
        _require_authority(actor, namespace, object)
    permission = Permission(namespace=namespace, right=right, created_by=actor)
    _save(permission, holder=holder, object=object)
    record(action="permission.granted", actor=actor, on=permission.uri, after=as_json(permission))
    forget_answers(actor)
    return permission


@transaction.atomic
def change(*, actor: User, row: Permission, **fields: str) -> None:
    """Change a permission; `actor` must be able to revoke the old one and grant the new one."""
    before = as_json(row)
    after = {**before, **fields}
    if not _granted_by_service(actor, row):
        for state in (before, after):
            _require_authority(actor, state["namespace"], state["object"])
    row.namespace, row.right = after["namespace"], after["right"]
    _save(row, holder=after["holder"], object=after["object"])
    record(action="permission.changed", actor=actor, on=row.uri, before=before, after=after)
    forget_answers(actor)


@transaction.atomic
def delete(*, actor: User, row: Permission) -> None:
    """Revoke a right, if `actor` may grant rights on the object, or gives up a right of theirs."""
    if not may_revoke(actor, row):
        _require_authority(actor, row.namespace, row.object)
    _revoke(actor=actor, permissions=[row])


@transaction.atomic
def revoke_all(*, actor: User | None, permissions: Any) -> int:
    """Revoke permissions without a check of rights, and return how many."""
    return _revoke(actor=actor, permissions=list(permissions))


@transaction.atomic
def grant(
    *, actor: User | None, holder: str, namespace: str, object: str, right: str
) -> Permission:
    """Grant a right on behalf of a service that checked its own rules; idempotent."""
    permission = Permission(namespace=namespace, right=right, created_by=actor)
    try:
        _save(permission, holder=holder, object=object)
    except AlreadyGranted:
        return _same(permission)
    record(action="permission.granted", actor=actor, on=permission.uri, after=as_json(permission))
    forget_answers(actor)
    return permission


@transaction.atomic
def grant_all(
    *, actor: User, holder: str, namespace: str, object: str, rights: Iterable[str]
) -> None:
    """Grant rights on an object that its service has just created, which has no permissions yet."""
    both = {**columns("holder", holder), **columns("object", object)}
    both["object_owner_id"] = owner_of(object)
    given = Permission.objects.bulk_create(
        Permission(namespace=namespace, right=right, created_by=actor, **both) for right in rights
    )
    record_each(
        action="permission.granted",
        actor=actor,
        events=({"on": row.uri, "after": as_json(row)} for row in given),
    )
    forget_answers(actor)


def as_json(permission: Permission) -> dict[str, str]:
    """The four strings as they were posted."""
    return {
        "holder": permission.holder_posted or permission.holder,
        "namespace": permission.namespace,
        "object": permission.object_posted or permission.object,
        "right": permission.right,
    }


def _granted_by_service(user: User, permission: Permission) -> bool:
    """Whether `user` is a platform service that granted this: it may take it back."""
    return user.is_platform_service and permission.created_by_id == user.pk


def may_revoke(user: User, permission: Permission) -> bool:
    """Whether `user` may take the right away, or gives up their own."""
    return permission.holder_uuid == user.pk or may_change(user, permission)


def may_change(user: User, permission: Permission) -> bool:
    """Whether `user` may take the right away and grant another one on the object."""
    return _granted_by_service(user, permission) or may_grant(
        user, permission.namespace, permission.object
    )


def _require_authority(user: User, namespace: str, on: str) -> None:
    if may_grant(user, namespace, on):
        return
    reference = uris.resolve_uri(on)
    kind = reference.kind if reference else "<kind>"
    raise missing_right(user, f"{kind}{DELEGATING}", namespace=namespace, on=on)


def _save(permission: Permission, *, holder: str, object: str) -> None:
    """Write the row with what the two URIs mean; AlreadyGranted where it is there."""
    for name, value in {**columns("holder", holder), **columns("object", object)}.items():
        setattr(permission, name, value)
    permission.object_owner_id = owner_of(object)
    try:
        with transaction.atomic():
            permission.save()
    except IntegrityError as error:
        raise AlreadyGranted(
            f"{holder} has the right {permission.right} on {object} already.",
            details={"uri": _same(permission).uri},
        ) from error


def _same(permission: Permission) -> Permission:
    """The stored permission with the same four strings."""
    return Permission.objects.get(
        holder=permission.holder,
        namespace=permission.namespace,
        object=permission.object,
        right=permission.right,
        holder_uuid=permission.holder_uuid,
        object_uuid=permission.object_uuid,
    )


def _revoke(*, actor: User | None, permissions: list[Permission]) -> int:
    record_each(
        action="permission.revoked",
        actor=actor,
        events=({"on": row.uri, "before": as_json(row)} for row in permissions),
    )
    Permission.objects.filter(pk__in=[permission.pk for permission in permissions]).delete()
    forget_answers(actor)
    return len(permissions)
