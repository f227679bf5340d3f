"""Invitations: links, and their acceptance."""

import secrets
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.erp.base.models.bureaus import (
    NAMESPACE,
    Bureau,
    Location,
    MembershipBureau,
    MembershipLocation,
)
from apps.erp.organisation.domain.named_roles import NAMED_ROLES
from apps.erp.organisation.models.invitations import VALID, Invitation, hashed
from apps.erp.organisation.services import members
from apps.users import interface as users
from core.auth_user import Person
from core.errors import Conflict, NotFound


class InvitationAccepted(Conflict):
    """The invitation was accepted before."""

    code = "invitation-accepted"


class NoLocation(Conflict):
    """The bureau has no location of which a viewer could be a member."""

    code = "no-location"


def new_link(*, row: Invitation) -> tuple[str, datetime]:
    """Return a new token and until when it can be used; an earlier one of the row is over.

    Raises InvitationAccepted.
    """
    if row.accepted_by_id:
        raise InvitationAccepted("The invitation is accepted: create another one.")
    token = secrets.token_urlsafe(24)
    row.token_sha256, row.expires = hashed(token), timezone.now() + VALID
    row.save(update_fields=["token_sha256", "expires", "updated"])
    return token, row.expires


@transaction.atomic
def accept(*, actor: Person, token: str) -> Invitation:
    """Give the caller the role of the invitation with this token, once. Raises NotFound."""
    row = _open(token).select_for_update(of=("self",)).first()
    if row is None or not _may_still_grant(row):
        raise NotFound(
            "There is no invitation with this token, or its link is used or expired: "
            "ask for a new one."
        )
    _give(row.creator, row.bureau, row.role, to=actor)
    row.token_sha256, row.accepted_by = None, actor
    row.save(update_fields=["token_sha256", "accepted_by", "updated"])
    return row


def is_invitation(token: str) -> bool:
    """Return whether an invitation with this token can be accepted."""
    row = _open(token).first()
    return row is not None and _may_still_grant(row)


def _open(token: str) -> QuerySet[Invitation]:
    """The invitation whose link has this token, and has not expired."""
    rows = Invitation.objects.select_related("bureau", "creator")
    return rows.filter(token_sha256=hashed(token), expires__gt=timezone.now())


def _may_still_grant(row: Invitation) -> bool:
    """Whether who invited may still give rights on the bureau."""
    return users.may_grant(user=row.creator, namespace=NAMESPACE, on=row.bureau.uri)


def _give(giver: Person, bureau: Bureau, name: str, *, to: Person) -> None:
    """Give a person the memberships and rights of a role that they do not have yet."""
    role = NAMED_ROLES[name]
    locations = list(Location.objects.filter(bureau=bureau))
    if role.is_member and not MembershipBureau.objects.filter(bureau=bureau, user=to).exists():
        members.add_member(actor=giver, bureau=bureau, user=to)
    if role.is_reader:
        if not locations:
            raise NoLocation(
                "A viewer is a member of the bureau's locations, and it has none yet: ask for one "
                "to be created, then open the link again."
            )
        for location in locations:
            MembershipLocation.objects.get_or_create(bureau=bureau, location=location, user=to)
    _grant(giver, bureau.uri, role.bureau_rights, to)
    for location in locations:
        if users.may_grant(user=giver, namespace=NAMESPACE, on=location.uri):
            _grant(giver, location.uri, role.location_rights, to)


def _grant(giver: Person, on: str, rights: tuple[str, ...], to: Person) -> None:
    held = {"holder": to.uri, "namespace": NAMESPACE, "object": on}
    new = [right for right in rights if not users.has_right(right=right, **held)]
    if new:
        users.grant_all(actor=giver, rights=new, **held)
