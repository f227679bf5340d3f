"""Password set, change and reset."""

from uuid import UUID

from django.contrib.auth import password_validation
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.db import transaction

from apps.users.actors import mail_password_reset
from apps.users.domain import limits
from apps.users.models import Login, User
from apps.users.services import audit
from apps.users.services.password_verification import QUARTER, hashing
from apps.users.services.sessions import renew
from apps.users.services.tokens import revoke_token
from core.errors import InvalidFields, NotFound, ServiceError
from core.web import throttling

HOUR = 3600


class WeakPassword(ServiceError):
    """The password is too easy to guess."""

    code = "property-value-not-in-allowed-values"


class UnknownReset(NotFound):
    """The mailed token was made up, was used, or is too old."""


def choose(*, user: User, password: str) -> None:
    """Give `user`, not yet saved, a password that Django's validators accept."""
    try:
        password_validation.validate_password(password, user)
    except ValidationError as error:
        raise InvalidFields(
            [WeakPassword(text, field="password") for text in error.messages]
        ) from error
    with hashing():
        user.set_password(password)


def end_keys(
    *, user: User, actor: User, keep: UUID | None = None, end_tokens: bool = False
) -> Login | None:
    """End sessions, and on request API tokens, that were created under the old password.

    The session to keep continues under a new key, and is returned.
    """
    if end_tokens:
        for token in user.api_tokens.all():
            revoke_token(token=token, actor=actor)
    Login.objects.filter(user=user).others(keep).end()
    login = user.logins.filter(pk=keep).first() if keep else None
    return renew(login=login, user=user) if login else None


def ask_for_reset(*, by: str, value: str, address: str) -> None:
    """Queue a reset mail to the account with this `username` or `email`, if it exists.

    The lookup happens in the actor: neither the answer nor its duration reveals whether it exists.
    """
    place = throttling.client_prefix(address)
    throttling.throttle(f"password_resets {place}", limits.PASSWORD_RESETS_PER_ADDRESS, HOUR)
    mail_password_reset.send(by, value)


def reset(*, token: str, password: str, address: str, end_tokens: bool = False) -> None:
    """Set a password with a mailed token; it works once, and every session ends."""
    place = throttling.client_prefix(address)
    allowed = {f"reset_tokens {place}": limits.LOGIN_FAILURES_PER_ADDRESS}
    with throttling.limit_failures(allowed, QUARTER, of=UnknownReset):
        user = _user_of(token)
    choose(user=user, password=password)
    with transaction.atomic():
        locked = User.objects.select_for_update().filter(pk=user.pk, is_active=True).first()
        if locked is None or not default_token_generator.check_token(locked, token[32:]):
            raise UnknownReset("This token was used a moment ago.")
        user.save(update_fields=["password"])
        end_keys(user=user, actor=user, end_tokens=end_tokens)
        audit.record(action="password.reset", actor=user, on=user.uri)


def _user_of(token: str) -> User:
    try:
        key = UUID(hex=token[:32])
    except ValueError:
        key = UUID(int=0)
    user = User.objects.filter(pk=key, is_active=True).first()
    if user is None or not default_token_generator.check_token(user, token[32:]):
        raise UnknownReset(
            "This token is not valid any more, or never was: ask for another mail at "
            "/password-resets/ and use the token within the hour."
        )
    return user
