"""Guests of shops: accounts without a name, a password or an address, which end by themselves."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.users import queries
from apps.users.models import ApiToken, User
from apps.users.services import tokens
from core.auth_user import Person
from core.keys import uuid7
from core.models import Limit
from core.web import guest_secrets

MAX_SESSIONS = 20  # of a guest, before the newest
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
    guest = create_account(share=share, until=until)
    Limit.objects.bulk_create(
        [Limit(holder=guest.pk, limit=name, most=limits[name], note="guest") for name in limits]
    )
    return _new_token(guest, name="visit", expires=until, namespaces=namespaces)


def create_account(*, share: UUID, until: datetime) -> User:
    """Create a guest without a token; `share` and `until` as of `create_guest`."""
    key = uuid7()
    guest = User(
        uuid=key, username=f"guest-{key}", name="Guest", email="", network=share, guest_until=until
    )
    guest.set_unusable_password()
    guest.save(force_insert=True)
    return guest


@transaction.atomic
def sign_in(guest: UUID, *, name: str, expires: datetime, namespaces: Sequence[str]) -> Guest:
    """Create another token of a guest; the oldest ends where there are many."""
    user = User.objects.get(pk=guest)
    current = list(user.api_tokens.order_by("-pk").values_list("pk", flat=True)[:MAX_SESSIONS])
    user.api_tokens.exclude(pk__in=current).delete()
    return _new_token(user, name=name, expires=expires, namespaces=namespaces)


def _new_token(user: User, *, name: str, expires: datetime, namespaces: Sequence[str]) -> Guest:
    secret = guest_secrets.new_secret()
    token = tokens.make_token(
        user=user,
        actor=user,
        name=name,
        expires=expires,
        namespaces=list(namespaces),
        secret=secret,
    )
    return Guest(user, token.pk, secret)


def find_session(token: UUID, secret: str) -> UUID | None:
    """Return the key of the account of a valid API token; None for any other."""
    caller = queries.user_of_token(token, secret)
    return caller.user.pk if caller else None


def is_signed_in(guest: UUID, token: UUID) -> bool:
    """Whether this token of a guest has not ended."""
    rows = ApiToken.objects.filter(Q(expires=None) | Q(expires__gt=timezone.now()), pk=token)
    return rows.filter(user=guest, user__is_active=True).exists()


def end_tokens(guest: UUID, *, but: UUID | None) -> None:
    """End the tokens of a guest, but for one."""
    ApiToken.objects.filter(user=guest).exclude(pk__in=[but] if but else []).delete()


def end_token(guest: UUID, token: UUID | None) -> None:
    """End a token of a guest."""
    if token:
        ApiToken.objects.filter(user=guest, pk=token).delete()


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
