"""Price lists, their terms, customers and the like: what they have beside their columns."""

from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Literal, TypedDict
from zoneinfo import available_timezones

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.erp.base.model_fields import LARGEST_MEASURE
from apps.erp.base.serializers.resources import answer_of, listing_of, serializer_of
from apps.erp.orders.domain.response_types import Day
from apps.erp.orders.models.prices import Customer, PriceList, PriceTerm, TaxRule, WorkingCalendar
from apps.erp.orders.services.customer_import import MAX_CUSTOMERS, NAMED, ImportResult
from apps.erp.orders.services.customer_segments import SEGMENT
from core.api.fields import (
    Choice,
    Number,
    PatternText,
    StrictBoolean,
    StrictSerializer,
    StrictText,
    WholeNumber,
)
from core.api.money import RateField
from core.api.openapi.response_types import FreeJson, SchemaHints
from pricing.tax import is_number
from pricing.terms import MAX_BREAKS, MAX_TERMS, PERCENTAGES

MAX_HOLIDAYS = 400


def country_field() -> PatternText:
    """Two letters, or nothing."""
    words = {"invalid": "Send a country as two letters, such as DE."}
    return PatternText(r"^[A-Z]{2}$", required=False, allow_blank=True, error_messages=words)


class VatNumberField(StrictText):
    """A VAT number whose digits fit; blanks are taken out."""

    def to_internal_value(self, data: Any) -> str:
        number = super().to_internal_value(data).replace(" ", "").upper()
        if not is_number(number):
            words = "No country of the EU writes its VAT numbers so, such as DE136695976."
            raise serializers.ValidationError(words, code="not-allowed")
        return number


class TimeZoneField(StrictText):
    """A time zone by its name, such as Europe/Berlin."""

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if name not in available_timezones():
            words = "Send a time zone such as Europe/Berlin."
            raise serializers.ValidationError(words, code="not-allowed")
        return name


class DaysField(serializers.ListField):
    """Dates, kept as text."""

    child = serializers.DateField()

    def to_internal_value(self, data: Any) -> list[str]:
        found: list[date] = super().to_internal_value(data)
        return sorted({day.isoformat() for day in found})


class SentenceField(serializers.DictField):
    """{language: text}."""

    child = serializers.CharField(max_length=200)


BREAK = {
    "type": "object",
    "properties": {
        "from": {"type": "number", "description": "Value of `by` from which on it holds."},
        "amount": {"type": "number", "description": "Amount from there on; or a factor."},
        "factor": {"type": "number", "description": "Factor from there on; or an amount."},
    },
}


@extend_schema_field(BREAK)
class BreakField(serializers.DictField):
    """{from, amount} or {from, factor}."""


class ManualPriceSerializer(StrictSerializer):
    """What somebody said that it costs."""

    net = RateField(free=True)
    note = StrictText(max_length=1000, required=False, allow_blank=True)
    # A price that is put back is taken as it was answered.
    known_extras = ("by",)


PriceListSerializer = serializer_of(
    PriceList,
    country=country_field(),
    since=serializers.DateField(required=False, allow_null=True),
)
PriceTermSerializer = serializer_of(
    PriceTerm,
    breaks=serializers.ListField(child=BreakField(), max_length=MAX_BREAKS, required=False),
    countries=serializers.ListField(child=serializers.CharField(max_length=2), required=False),
    sentence=SentenceField(required=False),
)
TaxRuleSerializer = serializer_of(
    TaxRule,
    country=country_field(),
    rate=RateField(free=True, max_value=100, required=False),
    since=serializers.DateField(required=False, allow_null=True),
    sentence=SentenceField(required=False),
)
CustomerSerializer = serializer_of(
    Customer,
    country=country_field(),
    vat_number=VatNumberField(max_length=32, required=False, allow_blank=True),
)


# A row of an import: what of a customer is in files of other programs.
ImportedCustomerSerializer = type(
    "ImportedCustomerSerializer",
    (CustomerSerializer,),
    dict.fromkeys(("bureau", "company", "group", "user", "vat_confirmed"))
    | {name: StrictText(max_length=200, required=False, allow_blank=True) for name in NAMED},
)


class CustomerImportSerializer(StrictSerializer):
    """Rows of customers, of which each is read by itself."""

    customers = serializers.ListField(
        child=serializers.DictField(), min_length=1, max_length=MAX_CUSTOMERS
    )


_CUSTOMERS = listing_of(Customer)
CUSTOMER_LISTING = replace(
    _CUSTOMERS,
    filters={**_CUSTOMERS.filters, "segment": SEGMENT},
    sort={**_CUSTOMERS.sort, "balance": "balance", "revenue": "revenue"},
    counted=("segment",),
)
WorkingCalendarSerializer = serializer_of(
    WorkingCalendar,
    time_zone=TimeZoneField(max_length=64, required=False),
    cut_off=WholeNumber(min_value=0, max_value=24, required=False),
    weekdays=serializers.ListField(
        child=WholeNumber(min_value=0, max_value=6), min_length=1, max_length=7, required=False
    ),
    holidays=DaysField(max_length=MAX_HOLIDAYS, required=False),
)


class ListDocumentSerializer(StrictSerializer):
    """A list as a document: materials and the like by their names."""

    includes_tax = StrictBoolean(required=False)
    percentages = Choice(choices=PERCENTAGES, required=False)
    since = serializers.DateField(required=False, allow_null=True)
    max_size = Number(min_value=0, max_value=LARGEST_MEASURE, required=False, allow_null=True)
    max_weight = Number(min_value=0, max_value=LARGEST_MEASURE, required=False, allow_null=True)
    terms = serializers.ListField(child=serializers.DictField(), max_length=MAX_TERMS)
    # A document that is put back is taken as it was answered.
    known_extras = ("name", "currency")


# ---------------------------------------------------------------- answers


class CustomerImportAnswer(TypedDict):
    """What became of the rows of an import."""

    results: Annotated[list[ImportResult], "One for each row, in the order of the request."]


class TriedAnswer(TypedDict):
    """What so many of a part cost by the list."""

    part: str
    quantity: int
    net: float | None
    before: Annotated[float | None, "Result of the previous version of the list."]
    review: list[str]


class ListWarningAnswer(TypedDict):
    """What a person should look at; `term` is null where all of the list is concerned."""

    term: str | None
    part: str
    title: str


class PriceListBeside(TypedDict):
    """What the columns of a price list do not say."""

    since: Day | None
    tried: list[TriedAnswer]
    warnings: list[ListWarningAnswer]


class PriceTermBeside(TypedDict):
    """What the columns of a term do not say."""

    breaks: list[Annotated[dict[str, float], SchemaHints(BREAK)]]
    countries: list[str]
    sentence: dict[str, str]


class TaxRuleBeside(TypedDict):
    """What the columns of a tax rule do not say."""

    since: Day | None
    sentence: dict[str, str]


class WorkingCalendarBeside(TypedDict):
    """What the columns of a calendar do not say."""

    weekdays: list[int]
    holidays: list[Day]


PriceListAnswer = answer_of(PriceList, PriceListBeside)
PriceTermAnswer = answer_of(PriceTerm, PriceTermBeside)
TaxRuleAnswer = answer_of(TaxRule, TaxRuleBeside)
WorkingCalendarAnswer = answer_of(WorkingCalendar, WorkingCalendarBeside)


class ListDocumentAnswer(TypedDict):
    """A list as a document: materials and the like by their names."""

    name: str
    currency: str
    includes_tax: bool
    percentages: Annotated[str, Literal[*PERCENTAGES]]
    since: Day | None
    max_size: float | None
    max_weight: float | None
    terms: list[FreeJson]
