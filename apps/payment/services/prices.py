"""Service layer: create, update and deactivate prices."""

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.module_loading import import_string

from apps.payment.models import Price
from core.auth_user import Person
from core.errors import Conflict, Forbidden, UnknownResource


class PriceExists(Conflict):
    """The action has a price already."""

    code = "price-exists"


def create(
    *,
    actor: Person,
    namespace: str,
    action: str,
    amount: Decimal,
    currency: str,
    type: str = "per-use",
    service: str = "",
) -> Price:
    """A price for every use of an action from now on."""
    _require_operator(actor)
    if service and not import_string(settings.IS_SERVICE)(service):
        raise UnknownResource(
            f"{service} is not a service: GET /service/ lists them.", field="service"
        )
    try:
        with transaction.atomic():
            return Price.objects.create(
                namespace=namespace,
                action=action,
                amount=amount,
                currency=currency,
                type=type,
                service=service,
            )
    except IntegrityError as error:
        where = f" at {service}" if service else ""
        raise PriceExists(
            f"{namespace}/{action}{where} has a price: change that one, or delete it first."
        ) from error


def change(*, actor: Person, row: Price, **fields: Any) -> None:
    """Change a price for new charges; authorised charges keep their amount."""
    _require_operator(actor)
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=[*fields, "updated"])


def delete(*, actor: Person, row: Price) -> None:
    """The action costs nothing from now on."""
    _require_operator(actor)
    row.put_away()


def _require_operator(user: Person) -> None:
    if not user.is_staff:
        raise Forbidden("Prices are set by administrators: ask one of them.")
