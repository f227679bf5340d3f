"""One-time login links for administrators."""

from uuid import UUID

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction

from apps.users.domain import limits
from apps.users.models import Login, User
from apps.users.services import second_factor, sessions
from apps.users.services.password_verification import QUARTER
from core.auth_user import Person
from core.errors import NotFound
from core.uris import base_url
from core.web import throttling


class UnknownLink(NotFound):
    """The link was made up, was used, or is too old."""


class LinkTokens(PasswordResetTokenGenerator):
    """Tokens of login links; they expire after an hour, a login or a change of password."""

    key_salt = "apps.users.services.links"  # persisted in sent links: never changes

    def _make_hash_value(self, user: Person, timestamp: int) -> str:
        """With the exact moment of the last login: the parent's is exact to a second."""
        return f"{super()._make_hash_value(user, timestamp)}{user.last_login}"


tokens = LinkTokens()


def make(user: User) -> str:
    """The address of a page that signs this operator in, once, within the hour."""
    return f"{base_url('')}/sign-in/{user.pk.hex}{tokens.make_token(user)}/"


def first() -> str | None:
    """Return a login link for the first operator; None once any user has signed in."""
    if User.objects.filter(last_login__isnull=False).exists():
        return None
    operator = User.objects.filter(is_staff=True, is_active=True).order_by("pk").first()
    return make(operator) if operator else None


def sign_in(
    *,
    token: str,
    one_time_password: str = "",
    address: str,
    user_agent: str = "",
    replaces: str = "",
) -> Login:
    """Return a new session of the link's operator; a second factor is still needed."""
    place = throttling.client_prefix(address)
    allowed = {f"reset_tokens {place}": limits.LOGIN_FAILURES_PER_ADDRESS}
    with throttling.limit_failures(allowed, QUARTER, of=UnknownLink):
        user = _operator_of(token)
    second_factor.require(user=user, code=one_time_password)
    with transaction.atomic():
        locked = User.objects.select_for_update().get(pk=user.pk)
        if not tokens.check_token(locked, token[32:]):
            raise UnknownLink("This link was used a moment ago.")
        return sessions.open_session(
            user=locked, address=address, user_agent=user_agent, replaces=replaces
        )


def _operator_of(token: str) -> User:
    try:
        key = UUID(hex=token[:32])
    except ValueError:
        key = UUID(int=0)
    user = User.objects.filter(pk=key, is_staff=True, is_active=True).first()
    if user is None or not tokens.check_token(user, token[32:]):
        raise UnknownLink(
            "This link is not valid any more, or never was: `manage.py login_link` makes another."
        )
    return user
