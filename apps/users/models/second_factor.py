"""TOTP second factor (RFC 6238) and recovery codes."""

import base64
import hashlib
import hmac

from django.conf import settings
from django.db import models

from apps.users.models.user import User
from core.resources import Resource


class SecondFactor(Resource):
    """An authenticator app of a user; it counts once its first code has confirmed it."""

    SERVICE = "users"
    KIND = "one-time-password"

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="second_factor")
    # The app's secret is computed from this and the installation's key: a copy of the database
    # alone gives nobody a code.
    salt = models.BinaryField(max_length=32, editable=False)
    confirmed = models.DateTimeField(null=True, editable=False)
    # The time step of the last code that was taken: it and older ones are not taken again.
    last_step = models.BigIntegerField(default=0, editable=False)

    # Shown once, in the answer of its creation; only their hashes are stored.
    recovery_codes: list[str] | None = None

    def __str__(self) -> str:
        return f"{self.user}: {'in use' if self.confirmed else 'not confirmed'}"

    @property
    def secret(self) -> str:
        """Return the shared secret for the app in base 32: 160 bits, as RFC 4226 recommends."""
        key = settings.SECOND_FACTOR_KEY.encode()
        return base64.b32encode(hmac.digest(key, bytes(self.salt), hashlib.sha256)[:20]).decode()


class RecoveryCode(models.Model):
    """A one-time code that replaces a lost authenticator app."""

    factor = models.ForeignKey(
        SecondFactor, on_delete=models.CASCADE, related_name="stored_recovery_codes"
    )
    # 80 random bits: like a token's secret, they need no slow hash.
    sha256 = models.BinaryField(max_length=32)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["factor", "sha256"], name="recovery_code_once")
        ]

    def __str__(self) -> str:
        return f"of {self.factor}"
