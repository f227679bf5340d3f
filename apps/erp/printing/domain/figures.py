"""Key figures of a bureau: sales, quotes, punctuality, utilisation, scrap, counts."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import (
    Count,
    DecimalField,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, TruncWeek
from django.utils import timezone

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.master_data import CurrencyConversion
from apps.erp.production.models.attempts import Attempt
from core.money import MAX_DECIMALS, MAX_DIGITS, rounded
from machines.states import AttemptState, PlateState
from pricing.making import exact

WEEKS = 12  # of sales
MONTH = timedelta(days=30)  # of punctuality and scrap
WEEK = timedelta(days=7)  # of utilisation
_AMOUNT = DecimalField(max_digits=MAX_DIGITS, decimal_places=MAX_DECIMALS)


class Share(NamedTuple):
    """A part of a total."""

    part: float
    total: float

    @property
    def share(self) -> float | None:
        """From 0 to 1, to a hundredth of a per cent; None of nothing."""
        return round(self.part / self.total, 4) if self.total else None


class Figures(NamedTuple):
    """Key figures of a bureau.

    sales       : net, in the bureau's currency, by the Monday of each week; None where hidden
    open_quotes : quotes that can be accepted; quoted: what they come to, None where hidden
    late        : of the orders that were due in the last 30 days
    printing    : seconds that printers printed in the last 7 days, of all that they had
    printers    : of the bureau
    rejected    : of the pieces that were finished or rejected in the last 30 days
    orders      : how many, by status
    waiting     : printers that wait for a person
    """

    bureau: Bureau
    sales: dict[date, Decimal] | None
    open_quotes: int
    quoted: Decimal | None
    late: Share
    printing: Share
    printers: int
    rejected: Share
    orders: dict[str, int]
    waiting: int


def figures_of(bureau: Bureau, *, selling: bool) -> Figures:
    """Return the key figures of a bureau.

    selling : whether the caller may see what it sells for
    """
    now = timezone.now()
    rates = _rates(bureau)
    count, quoted = _open_quotes(bureau, now, rates)
    printers = Printer.objects.filter(bureau=bureau).count()
    return Figures(
        bureau=bureau,
        sales=_sales(bureau, now, rates) if selling else None,
        open_quotes=count,
        quoted=quoted if selling else None,
        late=_late(bureau, now),
        printing=Share(_printed(bureau, now), printers * WEEK.total_seconds()),
        printers=printers,
        rejected=_rejected(bureau, now),
        orders=_orders(bureau),
        waiting=waiting_printers(bureau).count(),
    )


def _rates(bureau: Bureau) -> dict[str, Decimal]:
    """By currency, what the bureau's amounts are multiplied by for it."""
    rows = CurrencyConversion.objects.filter(bureau=bureau).values_list("currency", "value")
    return {currency: exact(value) for currency, value in rows if value} | {
        bureau.currency: Decimal(1)
    }


def _sales(bureau: Bureau, now: datetime, rates: dict[str, Decimal]) -> dict[date, Decimal]:
    """Net, by week: of each line item in the week in which its first piece was created.

    A line item is sold for its price, or at cost where no price list sells it.
    """
    monday = now.date() - timedelta(days=now.weekday())
    weeks = {monday - n * WEEK: Decimal() for n in reversed(range(WEEKS))}
    first = datetime.combine(min(weeks), datetime.min.time(), tzinfo=now.tzinfo)
    confirmed = LineItem.objects.filter(
        pieces__bureau=bureau, pieces__number=1, pieces__created__gte=first
    )
    amount = Coalesce(KT("price__net"), KT("estimates__cost__amount"))
    rows = (
        confirmed.exclude(status=LineItem.Status.CANCELLED)
        .order_by()
        .values(week=TruncWeek("pieces__created"), currency=F("order__currency"))
        .annotate(net=Sum(Cast(amount, _AMOUNT)))
    )
    for row in rows:
        rate = rates.get(row["currency"] or bureau.currency)
        if row["net"] is not None and rate:
            # The database's clock may be ahead of this one.
            weeks[min(row["week"].date(), monday)] += row["net"] / rate
    return {week: rounded(amount, bureau.currency) for week, amount in weeks.items()}


def _open_quotes(bureau: Bureau, now: datetime, rates: dict[str, Decimal]) -> tuple[int, Decimal]:
    """How many quotes can be accepted, and what they come to, net."""
    rows = Quote.objects.filter(bureau=bureau, status=Quote.Status.OPEN, expires__gt=now)
    result = rows.order_by().values("currency").annotate(count=Count("pk"), net=Sum("amount"))
    total = sum(
        ((row["net"] or 0) / rates[row["currency"]] for row in result if row["currency"] in rates),
        Decimal(),
    )
    return sum(row["count"] for row in result), rounded(total, bureau.currency)


def _late(bureau: Bureau, now: datetime) -> Share:
    """The orders that were due lately, and those of them that were not complete in time."""
    last = (
        Piece.objects.filter(line_item__order=OuterRef("pk"), status=Piece.Status.COMPLETE)
        .order_by()
        .values("line_item__order")
        .annotate(finished=Max("place__run__finished"))
        .values("finished")
    )
    due = Order.objects.filter(
        bureau=bureau,
        due_date__range=(now - MONTH, now),
        status__in=(Order.Status.CONFIRMED, Order.Status.IN_PROGRESS, Order.Status.COMPLETE),
    ).annotate(finished=Subquery(last))
    late = ~Q(status=Order.Status.COMPLETE) | Q(finished__gt=F("due_date"))
    result = due.aggregate(late=Count("pk", filter=late), due=Count("pk"))
    return Share(result["late"], result["due"])


def _printed(bureau: Bureau, now: datetime) -> float:
    """Seconds without pauses that printers printed in the last 7 days."""
    since = now - WEEK
    attempts = Attempt.objects.filter(
        Q(ended=None) | Q(ended__gte=since), bureau=bureau, began__isnull=False
    )
    rows = attempts.only("began", "ended", "printing_seconds", "printing_since")
    return float(sum(_printed_since(since, now, row) for row in rows.order_by()))


def _printed_since(since: datetime, now: datetime, attempt: Attempt) -> float:
    """What one attempt that began printed after `since`: no more than it lasted after it."""
    began = max(attempt.began or since, since)
    printed = attempt.seconds_printed(now) or 0.0
    return max(min(printed, ((attempt.ended or now) - began).total_seconds()), 0.0)


def _rejected(bureau: Bureau, now: datetime) -> Share:
    """The pieces that came to an end lately, and those of them that were rejected."""
    ends = (Piece.Status.COMPLETE, Piece.Status.ERROR)
    rows = Piece.objects.filter(bureau=bureau, updated__gte=now - MONTH, status__in=ends)
    bad = Count("pk", filter=Q(status=Piece.Status.ERROR))
    result = rows.order_by().aggregate(bad=bad, all=Count("pk"))
    return Share(result["bad"], result["all"])


def _orders(bureau: Bureau) -> dict[str, int]:
    rows = Order.objects.filter(bureau=bureau).order_by().values("status")
    counted = dict(rows.annotate(count=Count("pk")).values_list("status", "count"))
    return {status: counted.get(status, 0) for status in Order.Status.values}


def waiting_printers(bureau: Bureau) -> QuerySet[Printer]:
    """Return the printers whose print waits for a person, or whose bed has to be cleared."""
    open_ones: QuerySet[Any] = Attempt.objects.filter(
        printer=OuterRef("pk"), status__in=Attempt.OPEN
    )
    halted = open_ones.filter(status__in=(AttemptState.PAUSED, AttemptState.UNCLEAR))
    by_hand = open_ones.filter(status=AttemptState.PLANNED)
    full = Q(driver__isnull=False, maintenance=False) & ~Q(plate=PlateState.CLEAR)
    waits = (
        Q(Exists(halted))
        | Q(Exists(by_hand), driver=Printer.Machine.MANUAL)
        | (full & ~Q(Exists(open_ones)))
    )
    return Printer.objects.filter(waits, bureau=bureau)
