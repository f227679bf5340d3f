"""Signing secrets and their rotation."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.callbacks.models import WebhookSecret
from core.errors import Conflict

# For so long a secret that was replaced signs as well, so that receivers can change over.
OVERLAP = timedelta(hours=24)


class RotationUnderWay(Conflict):
    """The secret was replaced, and the former one still signs."""

    code = "rotation-under-way"


class SecretInUse(Conflict):
    """The secret is the only one that signs for good."""

    code = "secret-in-use"


def ensure_secret(owner_id: UUID) -> None:
    """Give an account its first secret, unless it has one."""
    if not WebhookSecret.objects.filter(owner_id=owner_id, expires=None).exists():
        WebhookSecret.objects.bulk_create([WebhookSecret(owner_id=owner_id)], ignore_conflicts=True)


def signing_secrets(owner_id: UUID) -> list[str]:
    """What an account's callbacks are signed with at this moment, the newest first."""
    signing = Q(expires=None) | Q(expires__gt=timezone.now())
    rows = WebhookSecret.objects.filter(signing, owner_id=owner_id).order_by("-uuid")
    return [row.secret for row in rows]


@transaction.atomic
def rotate(*, owner_id: UUID) -> WebhookSecret:
    """A fresh secret; the former one signs too for OVERLAP. An account without gets its first."""
    known = list(WebhookSecret.objects.select_for_update().filter(owner_id=owner_id))
    now = timezone.now()
    leaving = [secret for secret in known if secret.expires and secret.expires > now]
    if leaving:
        raise RotationUnderWay(
            f"The former secret signs until {leaving[0].expires:%Y-%m-%d %H:%M} UTC: replace this "
            f"one after that, or end the former one now with DELETE {leaving[0].uri}.",
            details={"former": leaving[0].uri},
        )
    for secret in known:
        if secret.expires:
            secret.delete()
        else:
            secret.expires = now + OVERLAP
            secret.save(update_fields=["expires"])
    ensure_secret(owner_id)
    return WebhookSecret.objects.get(owner_id=owner_id, expires=None)


def end_secret(*, secret: WebhookSecret) -> None:
    """End a replaced secret before its time."""
    if secret.expires is None:
        raise SecretInUse(
            "Callbacks are signed with this secret: replace it with POST /webhook-secret/ first."
        )
    secret.delete()
