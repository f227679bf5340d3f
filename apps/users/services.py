"""What a client may do with accounts, sessions and API tokens."""

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
    authenticate,
    password_validation,
)
from django.contrib.sessions.backends.db import SessionStore
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.users.models import ApiToken, User
from core import throttle
from core.errors import Forbidden, InvalidFields, ServiceError, TooMany

HOUR = 3600
QUARTER = 900


class RegistrationClosed(Forbidden):
    """Strangers may not make an account here."""

    code = "registration-closed"


class NameTaken(ServiceError):
    """Another account has this user name."""

    code = "property-value-not-in-allowed-values"


class WrongPassword(Forbidden):
    """The user name or the password is wrong; which of them is not said."""

    code = "invalid-credentials"


class WeakPassword(ServiceError):
    """The password is too easy to guess."""

    code = "property-value-not-in-allowed-values"


@transaction.atomic
def register(*, address: str, by_operator: bool, password: str, **fields: Any) -> User:
    """A new account without any right; `address` is where the request came from."""
    if not by_operator:
        if settings.REGISTRATION != "open":
            raise RegistrationClosed("Registration is closed here: ask an operator for an account.")
        _slow_down(f"register {address}", settings.REGISTRATION_RATE, HOUR)
    user = User(**fields)
    _set_password(user, password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as error:
        raise NameTaken(
            f"The user name {user.username!r} is taken: choose another.", field="username"
        ) from error
    return user


@transaction.atomic
def update_user(*, user: User, password: str | None = None, **fields: Any) -> None:
    """Change what was given; a new password ends the sessions that the old one opened."""
    for name, value in fields.items():
        setattr(user, name, value)
    if password is not None:
        _set_password(user, password)
        fields["password"] = user.password
    user.save(update_fields=list(fields))


@transaction.atomic
def deactivate_user(*, user: User) -> None:
    """Delete a user: nobody signs in as them again, and no personal data stays.

    What they own stays, since others may depend on it.
    """
    user.api_tokens.all().delete()
    user.set_unusable_password()
    user.is_active = user.is_staff = user.is_superuser = user.is_platform_service = False
    user.username, user.name = f"deleted-{user.uuid}", "Deleted user"
    user.email, user.address, user.company = "", "", ""
    user.save()


def sign_in(*, username: str, password: str, address: str) -> tuple[User, SessionStore]:
    """The user and a fresh session of theirs.

    Wrong passwords slow down the one who tries them, by account and address: the owner, from
    another address, is never locked out.
    """
    account = hashlib.sha256(username.encode()).hexdigest()[:32]
    tried = {
        f"login {address} {account}": settings.LOGIN_FAILURES_PER_ACCOUNT,
        f"login {address}": settings.LOGIN_FAILURES_PER_ADDRESS,
    }
    for key, most in tried.items():
        _slow_down(key, most, QUARTER, by=0)
    user = authenticate(username=username, password=password)
    if not isinstance(user, User):
        for key in tried:
            throttle.count(key, QUARTER)
        raise WrongPassword("The user name or the password is wrong.")
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    with transaction.atomic():
        store.save(must_create=True)
        User.objects.filter(pk=user.pk).update(last_login=timezone.now())
    return user, store


def sign_out(*, session_key: str) -> None:
    """End a session."""
    SessionStore(session_key).delete()


@transaction.atomic
def create_token(*, user: User, name: str = "", expires: datetime | None = None) -> ApiToken:
    """A new API token; its `secret` is known now and never again."""
    secret = secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        expires=expires,
        secret_sha256=hashlib.sha256(secret.encode()).digest(),
    )
    token.secret = secret
    return token


def update_token(*, token: ApiToken, **fields: Any) -> None:
    """Change a token's name or its expiry."""
    for name, value in fields.items():
        setattr(token, name, value)
    token.save(update_fields=list(fields))


def revoke_token(*, token: ApiToken) -> None:
    """End a token: the next request with it is refused."""
    token.delete()


def _set_password(user: User, password: str) -> None:
    try:
        password_validation.validate_password(password, user)
    except ValidationError as error:
        raise InvalidFields(
            [WeakPassword(text, field="password") for text in error.messages]
        ) from error
    user.set_password(password)


def _slow_down(key: str, most: int, seconds: int, *, by: int = 1) -> None:
    if most and throttle.count(key, seconds, by=by) > most - (by == 0):
        wait = throttle.seconds_left(seconds)
        raise TooMany(
            f"Too many tries from this address: try again in {wait} seconds.",
            headers={"Retry-After": str(wait)},
        )
