"""Create, update and delete orders."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from apps.callbacks import interface as callbacks
from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services import resources
from apps.erp.orders.domain import status_rollup
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.services import estimates, line_items
from apps.erp.orders.services.line_items import AlreadyConfirmed
from apps.erp.organisation.models.master_data import CurrencyConversion
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError

# What an order's prices follow, beside its currency.
_PRICED_BY = ("customer", "price_list", "due_date", "shipping")
_CANCELLED = LineItem.Status.CANCELLED


@transaction.atomic
def create(
    *, actor: Person, line_items: Iterable[LineItem] = (), currency: str = "", **values: Any
) -> Order:
    """An order, in the bureau's currency unless it names another; with these line items."""
    currency = _currency(values["bureau"], currency)
    order = resources.create(actor=actor, kind=Order, currency=currency, **values)
    _gather(order, line_items, actor=actor)
    return order


@transaction.atomic
def change(
    *,
    actor: Person,
    row: Order,
    line_items: Iterable[LineItem] | None = None,
    currency: str | None = None,
    status: str | None = None,
    **values: Any,
) -> None:
    """Change what was given; its line items are then those, and no others.

    status : `cancelled` cancels all its line items; another than it has is refused
    """
    if currency is not None:
        currency = _currency(row.bureau, currency)
        if currency != row.currency:
            values["currency"] = currency
            _reprice(row, currency)
    sold_by = {name: getattr(row, name) for name in _PRICED_BY}
    resources.change(actor=actor, row=row, **values)
    if any(getattr(row, name) != value for name, value in sold_by.items()):
        estimates.reprice(row.line_items.all())
    if line_items is not None:
        _gather(row, line_items, actor=actor)
    if status is not None and status != row.status:
        _move(row, status)


@transaction.atomic
def delete(*, row: Order) -> None:
    """Delete an order that has neither line items nor products."""
    uri = row.uri
    resources.delete(row=row)
    callbacks.cancel_pending(uri=uri)


def _move(order: Order, to: str) -> None:
    if to != Order.Status.CANCELLED:
        raise TransitionRefused(order, to, "it follows its line items; only cancelled can be set.")
    items = status_rollup.lock_line_items(order.line_items.values_list("pk", flat=True))
    open_ones = [item for item in items if item.status != _CANCELLED]
    if not open_ones:
        raise TransitionRefused(
            order, to, "it has no line item that could be cancelled: delete it."
        )
    kept: list[str] = []
    for item in open_ones:
        try:
            line_items.cancel(item)
        except TransitionRefused:
            kept.append(item.uri)
    if kept:
        rejection = TransitionRefused(
            order, to, f"{', '.join(kept[:10])} cannot be cancelled any more."
        )
        rejection.details = {**(rejection.details or {}), "line_items": kept[:100]}
        raise rejection
    status_rollup.follow_orders([order.pk], news=open_ones)


def _currency(bureau: Bureau, currency: str) -> str:
    """The currency of an order. Raises InvalidFields where the bureau cannot convert to it."""
    if currency in ("", bureau.currency):
        return bureau.currency
    if not CurrencyConversion.objects.filter(bureau=bureau, currency=currency).exists():
        words = (
            f"The bureau counts in {bureau.currency} and has no currency-conversion to {currency}: "
            "create one, or choose another currency."
        )
        raise InvalidFields([ServiceError(words, code="not-convertible", field="currency")])
    return currency


def _reprice(order: Order, currency: str) -> None:
    """What is not confirmed is estimated anew, in the order's new currency."""
    items = status_rollup.lock_line_items(order.line_items.values_list("pk", flat=True))
    settled = [item.uri for item in items if item.status not in LineItem.OPEN]
    if settled:
        raise AlreadyConfirmed(
            f"The order's currency cannot become {currency}: {', '.join(settled[:10])} "
            f"{'is' if len(settled) == 1 else 'are'} confirmed at a price in {order.currency}.",
            field="currency",
            details={"line_items": settled[:100]},
        )
    for item in items:
        estimates.restart(item)


def _gather(order: Order, wanted: Iterable[LineItem], *, actor: Person) -> None:
    """Put these line items into the order, and take all others out of it."""
    keys = {item.pk for item in wanted}
    before = set(order.line_items.values_list("pk", flat=True))
    for item in status_rollup.lock_line_items(keys ^ before):
        line_items.change(actor=actor, row=item, order=order if item.pk in keys else None)
