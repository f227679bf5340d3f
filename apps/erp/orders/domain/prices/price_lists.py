"""Loads price lists for the pricing engine; which list applies to an order."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Q
from django.utils import timezone

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.prices import cost_terms
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.prices import PriceList, PriceTerm, TaxRule, WorkingCalendar
from core.money import minor_digits
from pricing import parsing, tax, terms
from pricing.manual_review import ReviewReason, by_hand
from pricing.price import SaleContext
from pricing.working_days import Calendar

_reads: ContextVar[dict[tuple[str, UUID], object] | None] = ContextVar("reads", default=None)
T = TypeVar("T")
_KEYS = "keys_of_"  # of an annotation of terms with the keys of a link
_PLAIN = (
    "name",
    "step",
    "position",
    "unit",
    "amount",
    "factor",
    "formula",
    "when",
    "on",
    "by",
    "breaks",
    "kind_of_break",
    "may_fall",
    "rounding",
    "least",
    "most",
    "sentence",
    "countries",
)


@contextmanager
def shared_reads() -> Iterator[None]:
    """Read price lists, their terms and tax rules once for all orders of this block.

    For code that only reads: a change within the block is not seen.
    """
    token = _reads.set({})
    try:
        yield
    finally:
        _reads.reset(token)


def _once(key: tuple[str, UUID], read: Callable[[], T]) -> T:
    """What `read` returns; within `shared_reads` it is called once for a key."""
    cache = _reads.get()
    if cache is None:
        return read()
    if key not in cache:
        cache[key] = read()
    return cast(T, cache[key])


def values_of(row: PriceTerm) -> dict[str, object]:
    """A term as plain values, its links as keys."""
    links = {
        called: [str(key) for key in _linked_keys(row, column)]
        for column, called in PriceTerm.CHOSEN.items()
    }
    return {name: getattr(row, name) for name in _PLAIN} | links | {"key": str(row.pk)}


def _linked_keys(row: PriceTerm, column: str) -> list[UUID]:
    """The keys of what a term is linked to, which `_terms_with_keys` has read."""
    if (read := vars(row).get(_KEYS + column)) is not None:
        return read
    return [other.pk for other in getattr(row, column).all()]


def _terms_with_keys(row: PriceList) -> list[PriceTerm]:
    """As `terms_of`, with the keys of their links alone: one statement."""
    keys = {}
    for column in PriceTerm.CHOSEN:
        field: Any = PriceTerm._meta.get_field(column)
        links = field.remote_field.through.objects.filter(priceterm=OuterRef("pk"))
        keys[_KEYS + column] = ArraySubquery(links.order_by("pk").values(field.m2m_reverse_name()))
    return list(row.terms.annotate(**keys).order_by("pk"))


def terms_of(row: PriceList) -> list[PriceTerm]:
    """Its terms with their links, in the order in which they were made."""
    return list(row.terms.prefetch_related(*PriceTerm.CHOSEN).order_by("pk"))


def kernel_of(row: PriceList, rows: Iterable[PriceTerm] | None = None) -> terms.PriceList:
    """A list as the kernel takes it. Raises InvalidTerm where its terms do not go together."""

    def parse(chosen: Iterable[PriceTerm]) -> terms.PriceList:
        return parsing.read_list(options_of(row) | {"terms": [values_of(term) for term in chosen]})

    if rows is not None:
        return parse(rows)
    return _once(("terms", row.pk), lambda: parse(_terms_with_keys(row)))


def options_of(row: PriceList) -> dict[str, object]:
    """What holds for all of a list, as plain values."""
    names = (*parsing.BOUNDS, *parsing.OPTIONS)
    return {name: getattr(row, name) for name in names} | {"currency": row.bureau.currency}


def list_for(bureau: Bureau, order: Order | None) -> PriceList | None:
    """What an order is priced by: its own list, its customer's group's, or the bureau's default.

    Of several defaults it is the one that has held for the shortest time.
    """
    if order is not None and order.price_list is not None:
        return order.price_list
    customer = order.customer if order is not None else None
    if customer is not None and customer.group is not None and customer.group.price_list:
        return customer.group.price_list
    return _once(("default", bureau.pk), lambda: _default_of(bureau))


def _default_of(bureau: Bureau) -> PriceList | None:
    today = timezone.now().date()
    default = PriceList.objects.filter(bureau=bureau, is_default=True)
    valid = default.filter(Q(since=None) | Q(since__lte=today))
    row = valid.order_by(F("since").desc(nulls_last=True)).first()
    if row is not None:
        row.bureau = bureau
    return row


def local_day(order: Order) -> date:
    """Return the day that it is where the bureau works that sells an order; UTC without a list."""
    row = list_for(order.bureau, order)
    zone = calendar_of(row)[0].time_zone if row else "UTC"
    return timezone.localdate(timezone=ZoneInfo(zone))


def calendar_of(row: PriceList) -> tuple[Calendar, WorkingCalendar]:
    """When the bureau works that sells by a list; Monday to Friday where it does not say."""
    found = row.calendar or WorkingCalendar()
    return (
        Calendar(
            time_zone=found.time_zone,
            cut_off=found.cut_off,
            weekdays=frozenset(found.weekdays),
            holidays=frozenset(date.fromisoformat(day) for day in found.holidays),
        ),
        found,
    )


def deal_of(
    row: PriceList,
    *,
    group: Any = None,
    country: str = "",
    shipping: Any = None,
    currency: str = "",
    lines: int = 1,
) -> SaleContext:
    """What holds for all of an order; `group` and `shipping` are keys."""
    rate = cost_terms.rate_of(row.bureau, currency)
    return SaleContext(
        group=str(group or ""),
        country=country or row.country,
        shipping=str(shipping or ""),
        lines=lines,
        digits=minor_digits(rate.currency),
        rate=rate.factor if isinstance(rate.factor, Decimal) else None,
        currency=rate.currency,
        language=row.language,
    )


def tax_of(row: PriceList, *, country: str, vat_number: str, day: date) -> tax.Tax | ReviewReason:
    """What goods are taxed by that a list sells into a country, if it holds on that day."""
    if row.since is not None and day < row.since:
        why = f"The price list {row.name} holds from {row.since.isoformat()} on."
        return by_hand("no-rule", why, row.language)
    rules = _once(("taxes", row.bureau_id), lambda: _tax_rules(row.bureau_id))
    buyer = country or row.country
    sale = tax.Sale(row.country, buyer, buyer, vat_number, day=day)
    return tax.find_tax(rules, sale, row.language)


def _tax_rules(bureau: UUID) -> list[tax.Rule]:
    """The tax rules of a bureau, in the order in which they were made."""
    return [
        tax.Rule(
            category=rule.category,
            rate=Decimal(rule.rate),
            country=rule.country,
            sentence=rule.sentence,
            oss=rule.oss,
            since=rule.since,
        )
        for rule in TaxRule.objects.filter(bureau=bureau).order_by("pk")
    ]
