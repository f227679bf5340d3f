"""Open orders of a bureau in figures: how many, what they come to, what is late or due today."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, TypedDict

from django.db.models import Count, Q, Sum
from django.utils import timezone

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.orders import Order
from apps.erp.orders.services.price_lists import makes_prices
from core.api.openapi.response_types import Uri
from core.auth_user import Person


class OpenAmount(TypedDict):
    """What open orders come to in a currency."""

    currency: str
    net: Annotated[float, "By the latest quote of each, else by the prices of its line items."]


class OrderFigures(TypedDict):
    """Open orders of a bureau in figures."""

    bureau: Uri
    open: Annotated[int, "Orders that are neither complete nor cancelled."]
    late: Annotated[int, "Open orders whose due date has passed."]
    due_today: Annotated[int, "Open orders that are due later today (UTC)."]
    amounts: Annotated[
        list[OpenAmount] | None,
        "One for each currency of open orders; null for callers who do not see prices.",
    ]


def order_figures(bureau: Bureau, caller: Person) -> OrderFigures:
    """Return the open orders of a bureau in figures; amounts as far as `caller` sees prices."""
    now = timezone.localtime()
    evening = datetime.combine(now, datetime.max.time(), tzinfo=now.tzinfo)
    rows = Order.objects.filter(bureau=bureau, status__in=Order.OPEN).order_by()
    groups = rows.values("currency").annotate(
        open=Count("pk"),
        late=Count("pk", filter=Q(due_date__lt=now)),
        due_today=Count("pk", filter=Q(due_date__range=(now, evening))),
        total=Sum("net"),
    )
    sums: dict[str, Decimal] = {}
    for group in groups:
        if group["total"] is not None:
            currency = group["currency"] or bureau.currency
            sums[currency] = sums.get(currency, Decimal()) + group["total"]
    amounts: list[OpenAmount] = [
        {"currency": currency, "net": float(net)} for currency, net in sorted(sums.items())
    ]
    return {
        "bureau": bureau.uri,
        "open": sum(group["open"] for group in groups),
        "late": sum(group["late"] for group in groups),
        "due_today": sum(group["due_today"] for group in groups),
        "amounts": amounts if makes_prices(caller, bureau.pk) else None,
    }
