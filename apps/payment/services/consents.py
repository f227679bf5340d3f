"""What a user may say of being charged."""

from typing import Any

from apps.payment.models import Consent
from core.errors import Forbidden


def create_consent(*, user: Any, user_uri: str, **fields: Any) -> Consent:
    """What the user says of an action from now on, whatever was said before."""
    if user_uri != user.uri:
        raise Forbidden(
            f"Only {user_uri} may consent to being charged: sign in as that user.",
            field="user_uri",
        )
    return Consent.objects.create(owner=user, **fields)


def update_consent(*, user: Any, consent: Consent, **fields: Any) -> None:
    """Change a consent of one's own: withdraw it, or set other ceilings."""
    _require_own(user, consent)
    for name, value in fields.items():
        setattr(consent, name, value)
    consent.save(update_fields=[*fields, "updated"])


def delete_consent(*, user: Any, consent: Consent) -> None:
    """Withdraw a consent of one's own; an older one does not come back."""
    _require_own(user, consent)
    older = Consent.objects.filter(
        owner=user, namespace=consent.namespace, action=consent.action, deleted=None
    )
    for row in older.filter(uuid__lte=consent.uuid):
        row.put_away()


def _require_own(user: Any, consent: Consent) -> None:
    if consent.owner_id != user.pk:
        raise Forbidden("A consent is changed by the user who gave it alone.")
