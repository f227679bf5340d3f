"""Payment status rules: may an action be charged, and why not."""

from dataclasses import dataclass
from decimal import Decimal

from core.money import amount_text

OK = "ok"
CONSENT_REQUIRED = "consent-required"
METHOD_REQUIRED = "method-of-payment-required"


@dataclass(frozen=True)
class Terms:
    """What an action costs, and how far its user agreed to it.

    per_charge, per_month : the user's ceilings, in `ceiling_currency`; None = no ceiling
    """

    namespace: str
    action: str
    amount: Decimal
    currency: str
    consented: bool
    has_method: bool
    per_charge: Decimal | None = None
    per_month: Decimal | None = None
    ceiling_currency: str = ""


def evaluate(terms: Terms, *, spent: Decimal = Decimal(0)) -> tuple[str, str]:
    """(status, details); `spent` is what this month's charges for the action sum up to."""
    what = f"{terms.namespace}/{terms.action}"
    price = amount_text(terms.amount, terms.currency)
    method = "add a valid method of payment with a POST to /payment-method/"
    if not terms.consented:
        also = "" if terms.has_method else f" Also {method}."
        sentence = f"{what} costs {price} each: agree to it with a POST to /consent/.{also}"
        return CONSENT_REQUIRED, sentence
    if not terms.has_method:
        return METHOD_REQUIRED, f"{what} costs {price} each: {method}."
    obstacle = _ceiling(terms, spent)
    if obstacle:
        return CONSENT_REQUIRED, f"{what} costs {price}: {obstacle}"
    return OK, f"{what} costs {price} each, and may be charged."


def _ceiling(terms: Terms, spent: Decimal) -> str:
    """Return why the user's ceilings do not allow the charge; empty where they do."""
    raised = "raise it with a PUT to the consent."
    if terms.per_charge is None and terms.per_month is None:
        return ""
    if terms.ceiling_currency != terms.currency:
        return (
            f"the ceiling of your consent is in {terms.ceiling_currency}, which cannot be "
            f"compared; set one in {terms.currency} with a PUT to the consent."
        )
    if terms.per_charge is not None and terms.amount > terms.per_charge:
        limit = amount_text(terms.per_charge, terms.currency)
        return f"your consent allows at most {limit} for each charge; {raised}"
    if terms.per_month is not None and spent + terms.amount > terms.per_month:
        limit, gone = (
            amount_text(terms.per_month, terms.currency),
            amount_text(spent, terms.currency),
        )
        return f"your consent allows {limit} a month, of which {gone} are spent; {raised}"
    return ""
