"""Create and update customers; VAT number confirmation."""

from typing import Any

from django.utils import timezone

from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.orders.models.prices import Customer
from core.api.fields import ValidatedData
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError


def create(*, actor: Person, **values: Any) -> Customer:
    """A customer."""
    return resources.create(actor=actor, kind=Customer, **_noted(Customer(), values, actor))


def change(*, actor: Person, row: Customer, **values: Any) -> None:
    """Update a customer; another VAT number is not confirmed yet."""
    resources.change(actor=actor, row=row, **prepared(row, values, actor))


def prepared(row: Customer, values: ValidatedData, actor: Person) -> ValidatedData:
    """Return what changes of a customer with these values. Raises InvalidFields."""
    if values.get("vat_number", row.vat_number) != row.vat_number:
        values = values | {"vat_confirmed": False}
    return _noted(row, values, actor)


def _noted(row: Customer, values: dict[str, Any], actor: Person) -> dict[str, Any]:
    """The values, and who confirmed the VAT number, where that is new."""
    confirmed = values.get("vat_confirmed", row.vat_confirmed)
    if confirmed == row.vat_confirmed:
        return values
    if confirmed and not values.get("vat_number", row.vat_number):
        words = "There is no VAT number to be confirmed: name it."
        code = "missing-parameter"
        raise InvalidFields([ServiceError(words, code=code, field="vat_number")])
    by, on = (actor, timezone.now()) if confirmed else (None, None)
    return values | {"vat_confirmed_by": by, "vat_confirmed_on": on}
