"""What a client may do with accounts."""

from typing import Any

from django.conf import settings
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from apps.users.models import User
from core.errors import Forbidden, InvalidFields, ServiceError
from core.throttle import slow_down

HOUR = 3600


class RegistrationClosed(Forbidden):
    """Strangers may not make an account here."""

    code = "registration-closed"


class NameTaken(ServiceError):
    """Another account has this user name."""

    code = "property-value-not-in-allowed-values"


class WeakPassword(ServiceError):
    """The password is too easy to guess."""

    code = "property-value-not-in-allowed-values"


@transaction.atomic
def register(*, address: str, by_operator: bool, password: str, **fields: Any) -> User:
    """A new account without any right; `address` is where the request came from."""
    if not by_operator:
        if settings.REGISTRATION != "open":
            raise RegistrationClosed("Registration is closed here: ask an operator for an account.")
        slow_down(f"register {address}", settings.REGISTRATION_RATE, HOUR)
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


def _set_password(user: User, password: str) -> None:
    try:
        password_validation.validate_password(password, user)
    except ValidationError as error:
        raise InvalidFields(
            [WeakPassword(text, field="password") for text in error.messages]
        ) from error
    user.set_password(password)
