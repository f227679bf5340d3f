"""Payment statuses as the contract spells them."""

from typing import Annotated, Literal, TypedDict

from apps.payment.models import PaymentStatus
from apps.payment.models.evaluation import evaluate
from core.api.money import MoneyAnswer
from core.api.openapi.response_types import Uri
from core.money import rounded


class PaymentStatusAnswer(TypedDict):
    """Whether an action may be charged to a user."""

    uri: Uri
    namespace: str
    action: str
    service: Uri | None
    consented: bool
    cost: MoneyAnswer
    details: str
    status: Annotated[str, Literal["ok", "consent-required", "method-of-payment-required"]]
    type: str
    user_uri: Uri


def status_resource(row: PaymentStatus) -> PaymentStatusAnswer:
    """The contract's payment status, of an evaluated row."""
    terms = row.terms()
    status, details = evaluate(terms, spent=row.spent)
    return {
        "uri": row.uri,
        "namespace": terms.namespace,
        "action": terms.action,
        "service": row.price.service or None,
        "consented": terms.consented,
        "cost": {
            "amount": rounded(terms.amount, terms.currency),
            "currency": terms.currency,
        },
        "details": details,
        "status": status,
        "type": row.price.type,
        "user_uri": row.owner.uri,  # type: ignore[attr-defined]
    }
