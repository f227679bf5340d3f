"""Which bureaus somebody reads."""

from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.erp.models.base import Row
from apps.erp.models.bureau import NAMESPACE, Bureau, Location, MembershipLocation
from apps.erp.models.merging import Merged
from apps.users import interface as users
from core.rights import remembered

MOST_MERGED = 20  # bureaus


def readable_bureaus(user: Any) -> list[UUID]:
    """The keys of the bureaus that `user` reads.

    Those whose group they are in, where they work, or where they hold any right on the bureau or
    one of its locations.
    """

    def ask() -> list[UUID]:
        held = users.keys_held(user=user, namespace=NAMESPACE)
        locations = Location.objects.filter(
            Q(pk__in=held)
            | Q(pk__in=MembershipLocation.objects.filter(user=user).values("location"))
        )
        found = Bureau.objects.filter(
            Q(group__in=users.groups_of(user))
            | Q(pk__in=held)
            | Q(pk__in=locations.values("bureau"))
        )
        return list(found.values_list("pk", flat=True))

    return remembered(user, (NAMESPACE, "bureaus"), ask)


def readable(kind: type[Row], user: Any) -> QuerySet:
    """The rows of a kind that `user` reads: all of the bureaus that they read."""
    rows = kind.objects.all()
    if user.is_staff:
        return rows
    return rows.filter(**{f"{kind.BUREAU}__in": readable_bureaus(user)})


def merged(rows: QuerySet, user: Any) -> QuerySet | Merged:
    """Readable rows as a list shows them: of several bureaus, merged from what each has."""
    if rows.model is Bureau or user.is_staff:
        return rows
    bureaus = readable_bureaus(user)
    return Merged(rows, tuple(bureaus)) if 1 < len(bureaus) <= MOST_MERGED else rows


def is_member(user: Any, bureau: Bureau) -> bool:
    """Whether `user` is in the bureau's group; administrators always are."""
    return user.is_staff or users.groups_of(user).filter(group=bureau.group).exists()


def share_model(uri: str, *, bureau: Bureau, user: Any) -> None:
    """Let the bureau's people read a model that one of their resources names."""
    _share(uri, "models", bureau, user)


def share_config(uri: str, *, bureau: Bureau, user: Any) -> None:
    """Let the bureau's people slice with a config that one of their resources names."""
    _share(uri, "slicing", bureau, user)


def _share(uri: str, namespace: str, bureau: Bureau, user: Any) -> None:
    holder = users.group_uri(bureau.group)
    users.grant(actor=user, holder=holder, namespace=namespace, object=uri, right="read")
