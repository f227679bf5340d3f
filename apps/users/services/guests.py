"""Guests of shops: accounts without a name, a password or an address, which end by themselves."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.users.models import ApiToken, User
from apps.users.services import tokens
from core.auth_user import Person
from core.keys import uuid7
from core.models import Limit

MAX_ENDED = 200  # guests in one run of the housekeeping


class Guest(NamedTuple):
    """A new guest, and the API token with which they work; `secret` is not stored."""

    account: Person
    token: UUID
    secret: str


@transaction.atomic
def create_guest(
    *, share: UUID, until: datetime, namespaces: Sequence[str], limits: Mapping[str, int]
) -> Guest:
    """Create a guest and a token that is restricted to some services.

    share  : key of the shop; all its guests take their turns in the queues as one account
    until  : end of the account and of its token
    limits : by name, as in the setting `LIMITS`
    """
    key = uuid7()
    guest = User(
        uuid=key, username=f"guest-{key}", name="Guest", email="", network=share, guest_until=until
    )
    guest.set_unusable_password()
    guest.save(force_insert=True)
    Limit.objects.bulk_create(
        [Limit(holder=key, limit=name, most=limits[name], note="guest") for name in limits]
    )
    token = tokens.make_token(
        user=guest, actor=guest, name="visit", expires=until, namespaces=list(namespaces)
    )
    return Guest(guest, token.pk, token.secret or "")


def expired_guests() -> list[Person]:
    """Guests whose time is over and who are still there, the oldest first; not all at once."""
    due = User.objects.filter(guest_until__lt=timezone.now(), is_active=True)
    return list(due.order_by("guest_until")[:MAX_ENDED])


def prolong_guest(guest: UUID, until: datetime) -> None:
    """Keep the account of a guest, and what it owns, until then; its token ends as before."""
    User.objects.filter(pk=guest, guest_until__lt=until).update(guest_until=until)


def guests_among(accounts: Iterable[UUID]) -> set[UUID]:
    """Those of the accounts that are guests, by their keys."""
    rows = User.objects.filter(pk__in=set(accounts), guest_until__isnull=False)
    return set(rows.values_list("pk", flat=True))


@transaction.atomic
def end_guest(guest: UUID) -> None:
    """End the account of a guest; its row stays as the owner of what was deleted."""
    ApiToken.objects.filter(user=guest).delete()
    Limit.objects.filter(holder=guest).delete()
    User.objects.filter(pk=guest, guest_until__isnull=False).update(is_active=False)
