"""Service layer: give and withdraw consent to charges."""

from typing import Any

from apps.payment.models import Consent
from core.auth_user import Person
from core.errors import Forbidden


def create(*, actor: Person, user_uri: str, **fields: Any) -> Consent:
    """Record the user's consent to an action, which replaces an earlier one."""
    if user_uri != actor.uri:
        raise Forbidden(
            f"Only {user_uri} may consent to being charged: sign in as that user.",
            field="user_uri",
        )
    return Consent.objects.create(owner=actor, **fields)


def change(*, actor: Person, row: Consent, **fields: Any) -> None:
    """Change a consent of one's own: withdraw it, or set other ceilings."""
    _require_own(actor, row)
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=[*fields, "updated"])


def delete(*, actor: Person, row: Consent) -> None:
    """Withdraw a consent of one's own; an older one does not come back."""
    _require_own(actor, row)
    older = Consent.objects.filter(
        owner=actor, namespace=row.namespace, action=row.action, deleted=None
    )
    for withdrawn in older.filter(uuid__lte=row.uuid):
        withdrawn.put_away()


def _require_own(user: Person, consent: Consent) -> None:
    if consent.owner_id != user.pk:
        raise Forbidden("A consent is changed by the user who gave it alone.")
