"""Read access: bureaus a user can read, as queryset conditions; shares models and configs."""

from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, Value, When

from apps.erp.base.models.abstract import BaseResource
from apps.erp.base.models.bureaus import (
    BUREAU_GRANTING,
    NAMESPACE,
    Bureau,
    Location,
    MembershipLocation,
)
from apps.users import interface as users
from core.api.lists.union_queries import Sql, UnionQuery
from core.auth_user import Person
from core.errors import Conflict
from core.rights import cached_on_user, keys_with_right

MAX_MERGED = 20  # bureaus
# What somebody is in a bureau: who grants rights on it, who reads and works in all of it, and who
# has to do with a location only.
ROLES = ("manager", "global-user", "restricted")
# Nearly every request asks it: as text it is sent in a tenth of the time that a QuerySet takes.
READABLE_BUREAUS = """
    SELECT uuid FROM erp_bureau WHERE "group" = ANY (%(groups)s::uuid[])
    UNION SELECT uuid FROM erp_bureau WHERE uuid = ANY (%(held)s::uuid[])
    UNION SELECT bureau_id FROM erp_location WHERE uuid = ANY (%(held)s::uuid[])
    UNION SELECT bureau_id FROM erp_membershiplocation WHERE user_id = %(user)s
"""


def readable_bureaus(user: Person) -> list[UUID]:
    """The keys of the bureaus that `user` reads.

    Those whose group they are in, where they work, or where they hold any right on the bureau or
    one of its locations.
    """

    def ask() -> list[UUID]:
        values: dict[str, Any] = {
            "user": user.pk,
            "groups": users.groups_of(user),
            "held": users.keys_held(user=user, namespace=NAMESPACE),
        }
        with connection.cursor() as cursor:
            cursor.execute(READABLE_BUREAUS, values)
            return [key for (key,) in cursor.fetchall()]

    return cached_on_user(user, (NAMESPACE, "bureaus"), ask)


def readable_by(kind: type[BaseResource], user: Person) -> QuerySet:
    """The rows of a kind that `user` reads: all of the bureaus that they read."""
    rows = kind.objects.all()
    if user.is_staff:
        return rows
    return rows.filter(**{f"{kind.BUREAU}__in": readable_bureaus(user)})


def bureau_read_by(user: Person, key: UUID) -> Bureau | None:
    """Return the bureau with this key, if `user` reads it.

    It is read once in a request, for what does not write it.
    """

    def ask() -> Bureau | None:
        return readable_by(Bureau, user).filter(pk=key).first()

    return cached_on_user(user, (NAMESPACE, "bureau", key), ask)


def standing(user: Person) -> QuerySet:
    """The bureaus that `user` reads, each with their `role` in it, and a `location` of theirs."""
    rows = readable_by(Bureau, user)
    held = users.keys_held(user=user, namespace=NAMESPACE)
    granting = keys_with_right(user, BUREAU_GRANTING, namespace=NAMESPACE)
    worked_at = MembershipLocation.objects.filter(user=user).values("location")
    theirs = Location.objects.filter(Q(pk__in=held) | Q(pk__in=worked_at), bureau=OuterRef("pk"))
    manager = Q(pk__in=granting) if not user.is_staff else Q(pk__isnull=False)
    everywhere = Q(pk__in=held) | Q(group__in=users.groups_of(user))
    return rows.annotate(
        role=Case(
            When(manager, then=Value("manager")),
            When(everywhere, then=Value("global-user")),
            default=Value("restricted"),
        ),
        location=Subquery(theirs.order_by("pk").values("pk")[:1]),
    )


def merged(rows: QuerySet, user: Person) -> QuerySet | UnionQuery:
    """Readable rows as a list shows them: of several bureaus, merged from what each has."""
    if rows.model is Bureau or user.is_staff:
        return rows
    bureaus = readable_bureaus(user)
    if not 1 < len(bureaus) <= MAX_MERGED:
        return rows
    column = f'"{rows.model._meta.db_table}"."bureau_id" = %s'
    return UnionQuery(rows, tuple(Sql(column, (key,)) for key in bureaus))


def is_member(user: Person, bureau: Bureau) -> bool:
    """Whether `user` is in the bureau's group; administrators always are."""
    return user.is_staff or bureau.group in users.groups_of(user)


class NotShareable(Conflict):
    """Naming it would show it to the bureau's people, which the caller may not."""


def share_model(uri: str, *, bureau: Bureau, user: Person, field: str = "") -> None:
    """Let the bureau's people read a model that one of their resources names in `field`.

    Raises NotShareable where they cannot read it yet, and `user` may not let them.
    """
    _share(uri, "models", "model", bureau, user, field)


def share_config(uri: str, *, bureau: Bureau, user: Person, field: str = "") -> None:
    """Let the bureau's people slice with a config that one of their resources names; as above."""
    _share(uri, "slicing", "config", bureau, user, field)


def share_slice(uri: str, *, bureau: Bureau, user: Person, field: str = "") -> None:
    """Let the bureau's people read the slice of a run."""
    _share(uri, "slicing", "slice", bureau, user, field)


def share_gcode(uri: str, *, bureau: Bureau, user: Person, field: str = "") -> None:
    """Let the bureau's people read the G-code of a run."""
    _share(uri, "slicing", "gcode", bureau, user, field)


def _share(uri: str, namespace: str, kind: str, bureau: Bureau, user: Person, field: str) -> None:
    asked = {"holder": users.group_uri(bureau.group), "object": uri, "right": "read"}
    if users.has_right(namespace=namespace, **asked):
        return
    if not users.may_grant(user=user, namespace=namespace, on=uri):
        owner = users.owner_uri(uri)
        raise NotShareable(
            f"The bureau's people cannot read {uri}, and only its owner may let them: ask {owner} "
            f"to grant {asked['holder']} the right read on it, or name a {kind} of your own.",
            code=f"{kind}-not-shareable",
            field=field or None,
            details={"owner": owner, "holder": asked["holder"]},
        )
    users.grant(actor=user, namespace=namespace, **asked)
