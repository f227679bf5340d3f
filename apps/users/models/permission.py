"""Object permissions: holder, namespace, object, right."""

from typing import Any
from uuid import UUID

from django.db import models
from django.db.models.functions import MD5, Concat

from apps.users.models.user import User
from core import uris
from core.resources import Resource
from core.rights import cached_on_user

# Who holds one of these on an object grants rights on it, in the same namespace.
DELEGATING = ".permission.all"


def holder_keys(user: User) -> list[UUID]:
    """Under which keys `user` holds rights: their own, and those of their groups."""
    return [user.pk, *group_keys(user)]


def group_keys(user: User) -> list[UUID]:
    """Return the keys of the groups that `user` is in."""
    groups = user.memberships.values_list("group_id", flat=True)
    return cached_on_user(user, ("users", "groups"), lambda: list(groups))


# A line each; no string of the four has a line break in it.
_BREAK = models.Value("\n", output_field=models.TextField())
_FOUR_STRINGS = Concat("holder", _BREAK, "namespace", _BREAK, "object", _BREAK, "right")


class PermissionQuerySet(models.QuerySet):
    """Questions about permissions."""

    def held_by(self, user: User) -> "PermissionQuerySet":
        """What `user` holds, alone or through a group."""
        return self.filter(holder_uuid__in=holder_keys(user))

    def visible_to(self, user: User) -> "PermissionQuerySet":
        """Return permissions of `user` and their groups, granted by them, or on objects they own.

        Operators see all.
        """
        if user.is_staff:
            return self
        return self.filter(
            models.Q(holder_uuid__in=holder_keys(user))
            | models.Q(created_by=user)
            | models.Q(object_owner=user)
        )

    def on(self, uri: str) -> "PermissionQuerySet":
        """Those on this object, in whatever form its URI is written."""
        return self.filter(**named("object", uri))

    def of(self, uri: str) -> "PermissionQuerySet":
        """Those that this holder has itself, in whatever form its URI is written."""
        return self.filter(**named("holder", uri))


class Permission(Resource):
    """Four strings: the holder has the right on the object, in the namespace.

    `holder` and `object` are canonical URIs; the form that was posted, if different, is stored
    beside them. Their keys are parsed once, on write, and only from the platform's own URIs: a
    foreign URI with the same ending refers to nothing here.
    """

    SERVICE = "users"
    KIND = "permission"

    holder = models.TextField()
    namespace = models.TextField()
    object = models.TextField()
    right = models.TextField()
    holder_posted = models.TextField(null=True)  # noqa: DJ001  null: posted as it is kept
    object_posted = models.TextField(null=True)  # noqa: DJ001
    holder_uuid = models.UUIDField(null=True)
    object_uuid = models.UUIDField(null=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    # Who owns the object, where a service of ours says so: sees who may do what with it.
    object_owner = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    objects = PermissionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["object_uuid", "namespace", "right", "holder_uuid"],
                name="permission_object",
            ),
            models.Index(
                fields=["holder_uuid", "namespace", "right", "object_uuid"],
                name="permission_holder",
            ),
        ]
        constraints = [
            # Their hash, since four long strings do not fit into an index.
            models.UniqueConstraint(MD5(_FOUR_STRINGS), name="permission_once")
        ]

    def __str__(self) -> str:
        return f"{self.holder} {self.namespace}.{self.right} {self.object}"


def named(field: str, uri: str) -> dict[str, Any]:
    """Return the column values by which `field`, holder or object, matches `uri`.

    A user or group as holder, and any resource of the platform with one key as object, is matched
    by its key, which survives a change of the base domain; anything else by its canonical text.
    """
    reference = uris.resolve_uri(uri)
    if reference is None:
        return {f"{field}_uuid": None, field: uri}
    keys = list(reference.kwargs.values())
    known = field == "object" or reference.kind in ("user", "group")
    if known and len(keys) == 1:
        return {f"{field}_uuid": keys[0]}
    return {f"{field}_uuid": None, field: reference.uri}


def columns(field: str, uri: str) -> dict[str, Any]:
    """Return the column values stored for `uri` in `field`, holder or object."""
    canonical = uris.canonical(uri)
    return {
        f"{field}_uuid": None,
        **named(field, uri),
        field: canonical,
        f"{field}_posted": None if uri == canonical else uri,
    }
