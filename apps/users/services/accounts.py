"""Service layer: create, update and delete accounts."""

from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from apps.users.models import Login, Permission, SecondFactor, User
from apps.users.models.credential import Credential
from apps.users.models.usernames import look
from apps.users.services import audit, memberships, password_verification, passwords, permissions
from core.errors import Forbidden, ServiceError
from core.request_context import request_context
from core.web import throttling

HOUR = 3600


class RegistrationClosed(Forbidden):
    """Strangers may not make an account here."""

    code = "registration-closed"


class NameTaken(ServiceError):
    """Another account has this user name."""

    code = "property-value-not-in-allowed-values"


def admit(*, address: str, by_operator: bool, invitation: str = "") -> None:
    """Count an attempt to register, also one that fails, since an error reveals which names exist.

    Separate from `register`, whose transaction would roll the count back. Where registration is
    closed, the token of an invitation opens it.
    """
    if by_operator:
        return
    place = throttling.client_prefix(address)
    throttling.throttle(f"registrations {place}", settings.REGISTRATION_RATE, HOUR)
    if settings.REGISTRATION != "open" and not import_string(settings.IS_INVITATION)(invitation):
        raise RegistrationClosed(
            "Registration is closed here: ask an operator for an account, or a member of a bureau "
            "for an invitation."
        )


def register(
    *,
    actor: User | None,
    username: str,
    password: str,
    tos: bool | None = None,
    **fields: Any,
) -> User:
    """A new account without any right, made by itself or by an operator.

    The password is hashed before the name is looked at: a taken one answers no sooner.
    """
    user = User(username=User.normalize_username(username), **fields)
    _accept_terms(user, accepted=tos)
    address = request_context().address
    if actor is None and address:
        user.network = throttling.registration_prefix(address)
    passwords.choose(user=user, password=password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
            audit.record(action="user.registered", actor=actor or user, on=user.uri)
    except IntegrityError as error:
        raise NameTaken(
            f"The user name {user.username!r}, or one that looks like it, is taken: choose "
            "another.",
            field="username",
        ) from error
    return user


def update_user(
    *,
    user: User,
    actor: User,
    credential: Credential,
    current_password: str | None = None,
    password: str | None = None,
    end_tokens: bool = False,
    tos: bool | None = None,
    **fields: Any,
) -> Login | None:
    """Change a user's fields; return `actor`'s own session where a new password renewed it.

    A change of password or email needs the present password, unless an administrator changes
    another account. A new password ends all other sessions, and with `end_tokens` all API tokens.
    """
    password_verification.require_authority(actor, over=user)
    new_address = fields.get("email", user.email) != user.email
    if password is not None or new_address:
        credential.require_session("change a password or an email address")
        if actor.pk == user.pk:
            if not current_password:
                raise password_verification.PasswordNeeded(
                    "A new password or email address needs the present password, too.",
                    field="current_password",
                )
            password_verification.confirm_password(
                user=user, password=current_password, field="current_password"
            )
    for name, value in fields.items():
        setattr(user, name, value)
    if password is not None:
        passwords.choose(user=user, password=password)
        fields["password"] = user.password
    if tos is not None:
        _accept_terms(user, accepted=tos)
        fields["tos_accepted"] = user.tos_accepted
    with transaction.atomic():
        user.save(update_fields=list(fields))
        if new_address:
            audit.record(action="email.changed", actor=actor, on=user.uri)
        if password is None:
            return None
        audit.record(action="password.changed", actor=actor, on=user.uri)
        return passwords.end_keys(
            user=user, actor=actor, keep=credential.login, end_tokens=end_tokens
        )


def deactivate_user(
    *, user: User, actor: User, credential: Credential, password: str | None = None
) -> None:
    """Deactivate a user: sign-in is impossible, and personal data is erased.

    Resources they own stay, since others may depend on them. Users who delete themselves have to
    confirm their password.
    """
    password_verification.require_authority(actor, over=user)
    if actor.pk == user.pk:
        password_verification.require_password(
            user=user,
            credential=credential,
            password=password,
            what="delete the account",
        )
    _deactivate(user, actor)


@transaction.atomic
def _deactivate(user: User, actor: User) -> None:
    user.api_tokens.all().delete()
    user.logins.all().end()
    SecondFactor.objects.filter(user=user).delete()
    memberships.remove(user.memberships.select_related("group"), actor=actor)
    permissions.revoke_all(actor=actor, permissions=Permission.objects.filter(holder_uuid=user.pk))
    user.set_unusable_password()
    user.is_active = user.is_staff = user.is_superuser = user.is_platform_service = False
    user.username, user.name = f"deleted-{user.uuid}", "Deleted user"
    user.email, user.address, user.company = "", "", ""
    user.save()
    audit.record(action="user.deleted", actor=actor, on=user.uri)


def _accept_terms(user: User, *, accepted: bool | None) -> None:
    """Note when the terms of service were accepted first, or that they are not any more."""
    user.tos_accepted = (user.tos_accepted or timezone.now()) if accepted else None


@transaction.atomic
def create_service_account(*, username: str) -> User:
    """Return the platform service of this name, created if missing; it signs in by token only.

    Raises NameTaken where a person has the name.
    """
    user = User.objects.filter(look=look(username)).first()
    if user is None:
        user = User(username=username, name=username, email=f"{username}@{settings.PARENT_HOST}")
        user.is_platform_service = True
        user.set_unusable_password()
        user.save(force_insert=True)
        audit.record(action="service.made", actor=None, on=user.uri)
    named = user.username == username
    if (
        not named
        or not user.is_platform_service
        or user.has_usable_password()
        or not user.is_active
    ):
        raise NameTaken(f"{username!r} is a user, not a service: choose another name.")
    return user
