"""Customers in a few figures each, for lists: orders, revenue, and what of invoices is open."""

from collections import defaultdict
from collections.abc import Collection
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import Count, Q, Sum
from django.db.models.fields.json import KT
from django.utils.timezone import localdate as today

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.documents.billing import BILLED
from apps.erp.orders.models.documents import Document, DocumentType
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.prices import CUSTOMER_RIGHT, Customer
from apps.erp.orders.services.price_lists import makes_prices, of_sellers
from core.api.openapi.response_types import Uri
from core.auth_user import Person

YEAR = timedelta(days=365)


class CustomerAmounts(TypedDict):
    """What a customer has been invoiced in a currency."""

    currency: str
    revenue: Annotated[float, "Net of the invoices of the last 365 days, less credit notes."]
    open: Annotated[float, "Gross of invoices, less credit notes and payments."]
    overdue: Annotated[float, "What of it should have been paid before today."]


class CustomerSummary(TypedDict):
    """A customer in a list."""

    customer: Annotated[Uri, "The customer."]
    orders: Annotated[int, "Orders that are not cancelled."]
    open_orders: Annotated[int, "Orders that are neither complete nor cancelled."]
    amounts: Annotated[
        list[CustomerAmounts] | None,
        "One for each currency of invoices; null for callers who do not see prices.",
    ]


def summaries_of(bureau: Bureau, uris: list[str], caller: Person) -> list[CustomerSummary]:
    """Return these customers of a bureau in figures; amounts as far as `caller` sees prices.

    The number of statements does not depend on that of the customers.

    uris : other ones than of customers of the bureau that `caller` sees are left out
    """
    keys = [key for uri in uris for key in Customer.keys_of(uri)]
    visible = of_sellers(Customer.objects.filter(bureau=bureau), caller, CUSTOMER_RIGHT)
    by_key = visible.in_bulk(keys)
    customers = [by_key[key] for key in dict.fromkeys(keys) if key in by_key]
    counts = _counts(by_key.keys())
    amounts = _amounts(by_key.keys()) if makes_prices(caller, bureau.pk) else None
    return [
        {
            "customer": customer.uri,
            "orders": counts.get(customer.pk, (0, 0))[0],
            "open_orders": counts.get(customer.pk, (0, 0))[1],
            "amounts": None if amounts is None else amounts.get(customer.pk, []),
        }
        for customer in customers
    ]


def _counts(customers: Collection[UUID]) -> dict[UUID, tuple[int, int]]:
    """The number of orders, and of open ones, of each customer that has any."""
    rows = Order.objects.filter(customer__in=customers).order_by()
    rows = rows.exclude(status=Order.Status.CANCELLED)
    counted = rows.values_list("customer").annotate(
        all=Count("pk"), open=Count("pk", filter=Q(status__in=Order.OPEN))
    )
    return {customer: (orders, open_orders) for customer, orders, open_orders in counted}


def _amounts(customers: Collection[UUID]) -> dict[UUID, list[CustomerAmounts]]:
    """The amounts of each customer that has invoices, by currency.

    The payments of an order count for its invoices, for those first that are due first.
    """
    sums: dict[tuple[UUID, str], list[Decimal]] = defaultdict(lambda: [Decimal()] * 3)
    for (customer, _order, balance, currency), billed in _billed(customers).items():
        recent, invoiced, due = billed
        rest, received = max(balance, Decimal()), invoiced - balance
        overdue = min(max(due - received, Decimal()), rest)
        entry = sums[customer, currency]
        entry[:] = [entry[0] + recent, entry[1] + rest, entry[2] + overdue]
    result: dict[UUID, list[CustomerAmounts]] = defaultdict(list)
    for customer, currency in sorted(sums):
        revenue, not_paid, late = map(float, sums[customer, currency])
        amounts: CustomerAmounts = {
            "currency": currency,
            "revenue": revenue,
            "open": not_paid,
            "overdue": late,
        }
        result[customer].append(amounts)
    return result


def _billed(customers: Collection[UUID]) -> dict[tuple[UUID, UUID, Decimal, str], list[Decimal]]:
    """The sums of invoices less credit notes, by customer, order, its balance and currency.

    Net of the last year, gross, and gross of what should have been paid before today.
    """
    day = today()
    rows = Document.objects.filter(customer__in=customers, type__in=BILLED).order_by()
    is_past = Q(type=DocumentType.CREDIT_NOTE) | Q(due__lt=day.isoformat())
    groups = rows.annotate(due=KT("data__due_on")).values_list(
        "customer", "order", "order__balance", "currency", "type"
    )
    each = groups.annotate(
        recent=Sum("net", filter=Q(issued_on__gt=day - YEAR)),
        invoiced=Sum("gross"),
        past=Sum("gross", filter=is_past),
    )
    sums: dict[tuple[UUID, UUID, Decimal, str], list[Decimal]] = defaultdict(
        lambda: [Decimal()] * 3
    )
    for customer, order, balance, currency, kind, *amounts in each:
        entry = sums[customer, order, balance, currency]
        for at, amount in enumerate(amounts):
            entry[at] += BILLED[kind] * (amount or 0)
    return sums
