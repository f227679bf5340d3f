"""Price lists, their terms, customers and the like: what they have beside their columns."""

from datetime import date
from typing import Any
from zoneinfo import available_timezones

from rest_framework import serializers

from apps.erp.models import Customer, PriceList, PriceTerm, TaxRule, WorkingCalendar
from apps.erp.serializers.rows import serializer_of
from core.api.fields import PatternText, StrictSerializer, StrictText, WholeNumber
from core.api.money import RateField
from pricing.tax import is_number
from pricing.terms import MOST_BREAKS, MOST_TERMS

MOST_HOLIDAYS = 400


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

    def to_representation(self, data: Any) -> Any:
        return data


class SentenceField(serializers.DictField):
    """{language: text}."""

    child = serializers.CharField(max_length=200)


class TriedSerializer(serializers.Serializer):
    """What so many of a part cost by the list."""

    part = serializers.CharField()
    quantity = serializers.IntegerField()
    net = serializers.FloatField(allow_null=True)
    before = serializers.FloatField(allow_null=True, help_text="By the list as it was before.")
    review = serializers.ListField(child=serializers.CharField())


class ListWarningSerializer(serializers.Serializer):
    """What a person should look at; `term` is null where the whole list is concerned."""

    term = serializers.CharField(allow_null=True)
    part = serializers.CharField()
    title = serializers.CharField()


class ManualPriceSerializer(StrictSerializer):
    """What somebody said that it costs."""

    net = RateField(free=True)
    note = StrictText(max_length=1000, required=False, allow_blank=True)
    by = serializers.CharField(read_only=True)
    # A price that is put back is taken as it was told.
    known_extras = ("by",)


PriceListSerializer = serializer_of(
    PriceList,
    country=country_field(),
    tried=TriedSerializer(many=True, read_only=True),
    warnings=ListWarningSerializer(many=True, read_only=True),
)
PriceTermSerializer = serializer_of(
    PriceTerm,
    breaks=serializers.ListField(
        child=serializers.DictField(), max_length=MOST_BREAKS, required=False
    ),
    countries=serializers.ListField(child=serializers.CharField(max_length=2), required=False),
    sentence=SentenceField(required=False),
)
TaxRuleSerializer = serializer_of(
    TaxRule,
    country=country_field(),
    since=serializers.DateField(required=False, allow_null=True),
    sentence=SentenceField(required=False),
)
CustomerSerializer = serializer_of(
    Customer,
    country=country_field(),
    vat_number=VatNumberField(max_length=32, required=False, allow_blank=True),
)
WorkingCalendarSerializer = serializer_of(
    WorkingCalendar,
    time_zone=TimeZoneField(max_length=64, required=False),
    cut_off=WholeNumber(min_value=0, max_value=24, required=False),
    weekdays=serializers.ListField(
        child=WholeNumber(min_value=0, max_value=6), min_length=1, max_length=7, required=False
    ),
    holidays=DaysField(max_length=MOST_HOLIDAYS, required=False),
)


class ListDocumentSerializer(StrictSerializer):
    """A list as a document: materials and the like by their names."""

    name = serializers.CharField(read_only=True)
    currency = serializers.CharField(read_only=True)
    terms = serializers.ListField(child=serializers.DictField(), max_length=MOST_TERMS)
    known_extras = ("name", "currency")
