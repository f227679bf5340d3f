"""Service layer: create, confirm and delete payment methods."""

from typing import Any

from django.db import IntegrityError, transaction

from apps.payment.actors import close_payment, set_up_method
from apps.payment.domain.providers import collectors
from apps.payment.methods import Outcome
from apps.payment.models import Payment, PaymentMethod
from apps.users import interface as users
from core.auth_user import Person
from core.errors import Conflict, Forbidden, Unavailable
from core.state_machine import transition_all


class MethodExists(Conflict):
    """The user has a method of this type."""

    code = "method-exists"


@transaction.atomic
def create(*, actor: Person, owner: Person, type: str) -> PaymentMethod:
    """A way to pay: `manual` is set by administrators for others, `stripe` by users themselves."""
    manual = type == PaymentMethod.Type.MANUAL
    if manual and not actor.is_staff:
        raise Forbidden("Who pays outside the platform is set by administrators: ask one of them.")
    if not manual and owner.pk != actor.pk:
        raise Forbidden("Only its user can set this method up.", field="user_uri")
    if type not in collectors():
        raise Unavailable(f"{type} is not set up here: ask the operator.", code="method-not-set-up")
    try:
        with transaction.atomic():
            method = PaymentMethod.objects.create(
                owner=owner,
                type=type,
                status=PaymentMethod.Status.ACTIVE if manual else PaymentMethod.Status.PENDING,
            )
    except IntegrityError as error:
        raise MethodExists(f"There is a method of type {type}: delete that one first.") from error
    if manual:
        users.answer_for(owner.pk)
    else:
        set_up_method.send(str(method.pk))
    return method


def delete(*, actor: Person, row: PaymentMethod) -> None:
    """Pay with it no more: by its user, a manual one by administrators."""
    manual = row.type == PaymentMethod.Type.MANUAL
    if not (actor.is_staff if manual else row.owner_id == actor.pk):
        raise Forbidden("This method is deleted by whoever set it up.")
    row.put_away()


def take_stripe_event(event: dict[str, Any]) -> None:
    """Apply an event of Stripe: a method was set up, a payment arrived or failed; ignore others."""
    thing = event["data"]["object"]
    marks = thing.get("metadata") or {}
    if event["type"] == "setup_intent.succeeded" and "method" in marks:
        waiting = PaymentMethod.objects.filter(
            pk=marks["method"], status=PaymentMethod.Status.PENDING, deleted=None
        )
        for method in transition_all(
            waiting,
            PaymentMethod.Status.ACTIVE,
            customer=thing["customer"],
            reference=thing["payment_method"],
            setup_url="",
        ):
            users.answer_for(method.owner_id)
    outcome = {
        "payment_intent.succeeded": "succeeded",
        "payment_intent.payment_failed": "failed",
    }.get(event["type"])
    payment = Payment.objects.filter(pk=marks["payment"]).first() if "payment" in marks else None
    if outcome and payment is not None:
        error = (thing.get("last_payment_error") or {}).get("message", "")
        close_payment(payment, Outcome(outcome, reference=thing["id"], error=error))  # type: ignore[arg-type]
