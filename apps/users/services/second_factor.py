"""TOTP enrolment, verification, removal."""

import hashlib
import secrets

import pyotp
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from pyotp.exceptions import OTPVerificationError

from apps.users.domain import limits
from apps.users.models import RecoveryCode, SecondFactor, User
from apps.users.models.credential import Credential
from apps.users.services import audit, password_verification
from apps.users.services.password_verification import QUARTER, WrongPassword
from core.errors import Conflict, Forbidden
from core.web import throttling

RECOVERY_CODES = 10
# Without what looks like something else; 16 of 32 are 80 bits.
_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
# A clock may be wrong by one step of 30 s.
_WINDOW = 1


class OneTimePasswordRequired(Forbidden):
    """The password is right, and the account has a second factor."""

    code = "one-time-password-required"


class AlreadySetUp(Conflict):
    """The account has a second factor."""

    code = "second-factor-exists"


def set_up(*, user: User, credential: Credential, password: str) -> SecondFactor:
    """Create a second factor, which is active once `confirm` has checked its first code.

    Its secret and its recovery codes are returned here and cannot be read again.
    """
    credential.require_session("set up a second factor")
    password_verification.confirm_password(user=user, password=password, field="password")
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if user_factor(user):
            raise AlreadySetUp("One-time passwords are set up already: remove them first.")
        SecondFactor.objects.filter(user=user).delete()
        factor = SecondFactor.objects.create(user=user, salt=secrets.token_bytes(32))
        factor.recovery_codes = ["-".join(_word() for _ in range(4)) for _ in range(RECOVERY_CODES)]
        RecoveryCode.objects.bulk_create(
            RecoveryCode(factor=factor, sha256=_digest(code)) for code in factor.recovery_codes
        )
    return factor


def confirm(*, factor: SecondFactor, credential: Credential, code: str) -> None:
    """Put the second factor to use: from now on every login needs a code."""
    credential.require_session("set up a second factor")
    if factor.confirmed:
        raise AlreadySetUp("These one-time passwords are in use already.")
    _take_code(factor, code)
    with transaction.atomic():
        SecondFactor.objects.filter(pk=factor.pk).update(confirmed=timezone.now())
        audit.record(action="second-factor.set", actor=factor.user, on=factor.user.uri)


def remove(*, factor: SecondFactor, credential: Credential, password: str) -> None:
    """Have the password suffice again."""
    credential.require_session("remove a second factor")
    password_verification.confirm_password(user=factor.user, password=password, field="password")
    drop(factor=factor, actor=factor.user)


@transaction.atomic
def drop(*, factor: SecondFactor, actor: User) -> None:
    """Remove a second factor without a code, as an operator does for a user who lost the app."""
    password_verification.require_authority(actor, over=factor.user)
    factor.delete()
    audit.record(action="second-factor.removed", actor=actor, on=factor.user.uri)


def require(*, user: User, code: str) -> None:
    """Raise unless `code` is the user's one-time password, or the user has no second factor.

    A recovery code is accepted once. Wrong codes are counted per account, from all addresses;
    recovery codes, which cannot be guessed, are accepted even while one-time passwords are blocked.
    """
    factor = user_factor(user)
    if factor is None:
        return
    if not code:
        raise OneTimePasswordRequired(
            "This account asks for a second factor: send one_time_password, too.",
            field="one_time_password",
        )
    spent, _ = factor.stored_recovery_codes.filter(sha256=_digest(code)).delete()
    if spent:
        audit.record(action="recovery-code.used", actor=user, on=user.uri)
    else:
        _take_code(factor, code)


def user_factor(user: User) -> SecondFactor | None:
    """The second factor that the user's logins need."""
    return SecondFactor.objects.filter(user=user, confirmed__isnull=False).first()


def otpauth_uri(factor: SecondFactor) -> str:
    """What an authenticator app reads as a QR code."""
    return _totp(factor).provisioning_uri(
        name=factor.user.username, issuer_name=settings.PARENT_HOST
    )


def _take_code(factor: SecondFactor, code: str) -> None:
    """Use up a code: neither it nor an older one counts again."""
    allowed = {f"codes {factor.user_id}": limits.WRONG_CODES}
    with throttling.limit_failures(allowed, QUARTER, of=WrongPassword):
        try:
            step = _totp(factor).verify_and_get_timecode(code, valid_window=_WINDOW)
        except OTPVerificationError:
            step = -1
        fresh = SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step)
        if not fresh.update(last_step=step):
            audit.record(action="code.refused", actor=factor.user, on=factor.user.uri)
            raise WrongPassword(
                "The one-time password is wrong, or was used before: wait for the next one.",
                field="one_time_password",
            )


def _totp(factor: SecondFactor) -> pyotp.TOTP:
    return pyotp.TOTP(factor.secret)


def _word() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(4))


def _digest(code: str) -> bytes:
    plain = "".join(letter for letter in code.lower() if letter.isalnum())
    return hashlib.sha256(plain.encode()).digest()
