"""Create, change and test the Stripe account of a bureau."""

from typing import Annotated, Literal, TypedDict

from django.db import transaction

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.orders.models.card_payments import CardAccount
from apps.payment import interface as payment
from core.auth_user import Person
from core.errors import ServiceError
from core.web import throttling

MAX_REASON = 200
MAX_TESTS, HOUR = 30, 3600  # of an account
KEYS_LOST = "The keys cannot be decrypted any more: enter them again."


class CardAccountTest(TypedDict):
    """What Stripe answers to the keys of an account."""

    works: Annotated[bool, "Whether Stripe accepts the secret key."]
    mode: Annotated[str, Literal["live", "test"]] | None
    currencies: Annotated[list[str], "Currencies that the Stripe account pays out in."]
    error: Annotated[str | None, "Why it does not work; null if it does."]


def create(
    *, actor: Person, bureau: Bureau, secret_key: str, webhook_secret: str = "", **values: object
) -> CardAccount:
    """A Stripe account of a bureau. Raises ServiceError."""
    row = CardAccount(bureau=bureau)
    secrets = _encrypted(row, {"secret_key": secret_key, "webhook_secret": webhook_secret})
    _require_complete(row, is_enabled=bool(values.get("enabled")))
    made: CardAccount = resources.create(
        actor=actor, kind=CardAccount, bureau=bureau, **secrets, **values
    )
    return made


@transaction.atomic
def change(*, actor: Person, row: CardAccount, **values: object) -> None:
    """Change what is named; secrets that are not named stay. Raises ServiceError."""
    names = [name for name in ("secret_key", "webhook_secret") if name in values]
    secrets = _encrypted(row, {name: str(values.pop(name)) for name in names})
    _require_complete(row, is_enabled=bool(values.get("enabled", row.enabled)))
    if secrets:
        CardAccount.objects.filter(pk=row.pk).update(error="", **secrets)
    resources.change(actor=actor, row=row, **values)


def check_keys(row: CardAccount) -> CardAccountTest:
    """Ask Stripe for the balance of the account, which shows whether the key is good.

    Raises RateLimited.
    """
    throttling.throttle(f"card_tests {row.pk}", MAX_TESTS, HOUR)
    mode, currencies, reason = mode_of(row), [], ""
    try:
        currencies = provider_of(row).currencies()
    except payment.CheckoutFault as fault:
        reason = str(fault)
    set_error(row, reason)
    return {
        "works": not reason,
        "mode": mode,
        "currencies": currencies,
        "error": reason or None,
    }


def provider_of(row: CardAccount) -> payment.Checkout:
    """Return Stripe by the keys of an account. Raises CheckoutFault where they cannot be read."""
    key = row.plain_key
    if not key:
        raise payment.CheckoutFault("keys", KEYS_LOST)
    return payment.checkout_of(secret_key=key)


def mode_of(row: CardAccount) -> Literal["live", "test"] | None:
    """Return whether the key moves money; None where it cannot be decrypted."""
    key = row.plain_key
    if not key:
        return None
    return "test" if "_test_" in key else "live"


def set_error(row: CardAccount, reason: str) -> None:
    """Store why Stripe refused the last request, for the owner; empty if it did not."""
    reason = reason[:MAX_REASON]
    if row.error != reason:
        CardAccount.objects.filter(pk=row.pk).update(error=reason)
        row.error = reason


def _encrypted(row: CardAccount, secrets: dict[str, str]) -> dict[str, bytes]:
    """Set secrets of an account; their columns as they are stored."""
    for column, secret in secrets.items():
        row.set_secret(column, secret)
    return {column: getattr(row, column) for column in secrets}


def _require_complete(row: CardAccount, *, is_enabled: bool) -> None:
    if is_enabled and not row.webhook_secret:
        title = (
            "Without the signing secret no payment is recorded by itself: send webhook_secret, or "
            "enabled as false until Stripe has shown it."
        )
        raise ServiceError(title, code="missing-parameter", field="webhook_secret")
