"""Price tables: what is asked for one, what it tells, and ordering by it."""

from typing import Any

from rest_framework import serializers

from apps.erp.models import Bureau, Customer, Material, Order, PostProcessorType, PriceTable
from apps.erp.serializers.estimates import ReviewSerializer
from apps.erp.serializers.prices import VatNumberField, country_field
from apps.erp.serializers.rows import LinkField, LinksField
from apps.erp.services.price_tables import MOST_CELLS, MOST_MODELS
from core.api.fields import StrictSerializer, UriField, WholeNumber
from core.api.money import CurrencyField

MOST_EACH = 100


class CellTermSerializer(serializers.Serializer):
    """A part of a cell's net."""

    sentence = serializers.CharField()
    amount = serializers.FloatField()


class CellSerializer(serializers.Serializer):
    """What one part costs in one way; all numbers are null where `review` says why."""

    model = serializers.CharField()
    material = serializers.CharField()
    quantity = serializers.IntegerField()
    finish = serializers.ListField(child=serializers.CharField())
    due = serializers.DateField(allow_null=True)
    unit = serializers.FloatField(allow_null=True, help_text="The price of `unit_of` pieces.")
    unit_of = serializers.IntegerField(allow_null=True)
    net = serializers.FloatField(allow_null=True)
    tax = serializers.FloatField(allow_null=True)
    gross = serializers.FloatField(allow_null=True)
    terms = CellTermSerializer(many=True)
    ready = serializers.DateField(allow_null=True, help_text="A forecast.")
    basis = serializers.CharField(allow_null=True, help_text="`slice` or `estimate`.")
    within = serializers.FloatField(allow_null=True, help_text="How far off, per cent.")
    review = ReviewSerializer(many=True, allow_null=True)


class PriceTableSerializer(StrictSerializer):
    """What parts cost in many ways."""

    bureau = LinkField(Bureau)
    models = serializers.ListField(
        child=UriField(), min_length=1, max_length=MOST_MODELS, write_only=True
    )
    materials = LinksField(Material, most=MOST_EACH, min_length=1, write_only=True)
    quantities = serializers.ListField(
        child=WholeNumber(min_value=1, max_value=10_000),
        min_length=1,
        max_length=MOST_EACH,
        write_only=True,
    )
    finishes = serializers.ListField(
        child=LinksField(PostProcessorType, most=MOST_EACH),
        required=False,
        min_length=1,
        max_length=MOST_EACH,
        write_only=True,
    )
    due = serializers.ListField(
        child=serializers.DateField(allow_null=True),
        required=False,
        min_length=1,
        max_length=MOST_EACH,
        write_only=True,
    )
    customer = LinkField(Customer, required=False, allow_null=True)
    country = country_field()
    vat_number = VatNumberField(max_length=32, required=False, allow_blank=True, write_only=True)
    currency = CurrencyField(required=False)
    order = LinkField(Order, required=False, write_only=True)
    cells = serializers.ListField(
        child=WholeNumber(min_value=0, max_value=MOST_CELLS),
        required=False,
        min_length=1,
        max_length=MOST_CELLS,
        write_only=True,
    )
    uri = serializers.CharField(read_only=True)


class PriceTableAnswer(StrictSerializer):
    """A price table, as it is told."""

    uri = serializers.CharField(read_only=True)
    bureau = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)
    status = serializers.CharField(read_only=True)
    currency = serializers.CharField(read_only=True)
    customer = serializers.CharField(read_only=True, allow_null=True)
    cells = CellSerializer(many=True, read_only=True)
    line_items = serializers.ListField(child=serializers.CharField(), read_only=True)
    expires = serializers.DateTimeField(read_only=True)


def price_table_resource(row: PriceTable) -> dict[str, Any]:
    """A table as JSON."""
    return {
        "uri": row.uri,
        "bureau": Bureau.uri_of(row.bureau_id),
        "created": row.created,
        "updated": row.updated,
        "status": row.status,
        "currency": row.currency,
        "customer": Customer.uri_of(row.customer_id) if row.customer_id else None,
        "cells": row.cells,
        "line_items": row.line_items,
        "expires": row.expires,
    }
