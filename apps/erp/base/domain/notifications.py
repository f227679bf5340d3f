"""Notifications of the people of a bureau, by the role that lets them act."""

from collections import defaultdict
from enum import Enum
from uuid import UUID

from django.db.models import Value

from apps.erp.base.domain import channel_messages
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import (
    BUREAU_GRANTING,
    LOCATION_GRANTING,
    SELLING_RIGHTS,
    Bureau,
    MembershipBureau,
    PermissionBureau,
    PermissionLocation,
)
from apps.users import interface as users

Kind = users.notifications.Kind
_OWNING = {BUREAU_GRANTING}
_SELLING = set(SELLING_RIGHTS)
_PRODUCING = {"printer.all", "stock.all", "post_processor.all", "material.all", LOCATION_GRANTING}


class Work(Enum):
    """Work in a bureau: members whose rights are for the other one alone do not do it."""

    SALES = "sales"
    PRODUCTION = "production"


def notify(
    kind: str, row: BureauResource, work: Work, *, includes_caller: bool = False, **data: object
) -> None:
    """Notify the members who do this work, and the channels, of what happened to a row.

    In the transaction of the change.

    includes_caller : whether the sender of the request gets one, too
    data            : names and numbers of the sentence
    """
    users.notifications.notify(
        recipients=people_for(work, row.bureau_id),
        kind=kind,
        subject=row.uri,
        shop=Bureau.uri_of(row.bureau_id),
        data=data,
        includes_caller=includes_caller,
    )
    channel_messages.record(kind, row, data)


def settle(row: BureauResource, *kinds: str) -> None:
    """Mark notifications of a row as read for all recipients, since one of them has acted on it."""
    users.notifications.settle(subject=row.uri, kinds=kinds)


def people_for(work: Work, bureau: UUID) -> list[UUID]:
    """Return the keys of the members of a bureau who do this work: one statement."""
    where = {"bureau": bureau}
    member = MembershipBureau.objects.filter(**where).values_list("user", Value(""))
    on_bureau = PermissionBureau.objects.filter(**where).values_list("user", "right")
    at_location = PermissionLocation.objects.filter(**where).values_list("user", "right")
    rights: dict[UUID, set[str]] = defaultdict(set)
    for person, right in member.union(on_bureau, at_location):
        rights[person].add(right)
    return [person for person, held in rights.items() if "" in held and _does(work, held)]


def _does(work: Work, held: set[str]) -> bool:
    if held & _OWNING:
        return True
    sells, produces = bool(held & _SELLING), bool(held & _PRODUCING)
    return sells == produces or (sells if work is Work.SALES else produces)
