"""Webhook signing secret."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from core.outbound.webhook_signatures import derived_secret
from core.resources import Resource


def new_salt() -> bytes:
    """Return the random part of a new secret."""
    return secrets.token_bytes(32)


class WebhookSecret(Resource):
    """A secret that an account's callbacks are signed with: for good, or until it `expires`."""

    SERVICE = "callbacks"
    KIND = "webhook-secret"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    # The secret is computed from this and the installation's key: a copy of the database alone
    # signs nothing.
    salt = models.BinaryField(max_length=64, default=new_salt, editable=False)
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner"], condition=models.Q(expires=None), name="one_current_secret"
            )
        ]

    def __str__(self) -> str:
        return f"of {self.owner_id}"

    @property
    def secret(self) -> str:
        """Return the secret with which a receiver verifies signatures."""
        return derived_secret(bytes(self.salt))
