"""Price tables: what is asked for one, what it tells, and ordering by it."""

from datetime import datetime
from typing import Annotated, Any

from rest_framework import serializers

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.serializers.resources import LinkField, LinksField, RowSerializer
from apps.erp.orders.domain.print_options import PERCENT, THICKEST_LAYER
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.prices import Customer, PriceTable
from apps.erp.orders.serializers.prices import VatNumberField, country_field
from apps.erp.organisation.models.equipment import PostProcessorType, PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.erp.price_tables.domain.response_types import CellAnswer
from apps.erp.price_tables.services.price_tables import MAX_CELLS, MAX_MODELS, OPTIONS
from core.api.fields import (
    Choice,
    Number,
    PatternText,
    StrictBoolean,
    UriField,
    ValidatedData,
    WholeNumber,
    same_value,
)
from core.api.money import CurrencyField
from core.api.openapi.response_types import ErrorAnswer, ResourceAnswer, Uri

MAX_EACH = 100


class PriceTableSerializer(RowSerializer):
    """What parts cost in many ways; of a change, which cells an order is to have."""

    fixed_fields = ("bureau", "currency", "customer", "printer_type", *OPTIONS)

    bureau = LinkField(Bureau)
    models = serializers.ListField(child=UriField(), min_length=1, max_length=MAX_MODELS)
    materials = LinksField(Material, most=MAX_EACH, min_length=1)
    quantities = serializers.ListField(
        child=WholeNumber(min_value=1, max_value=10_000),
        min_length=1,
        max_length=MAX_EACH,
    )
    finishes = serializers.ListField(
        child=LinksField(PostProcessorType, most=MAX_EACH),
        required=False,
        min_length=1,
        max_length=MAX_EACH,
    )
    due = serializers.ListField(
        child=serializers.DateField(allow_null=True),
        required=False,
        min_length=1,
        max_length=MAX_EACH,
    )
    customer = LinkField(Customer, required=False, allow_null=True)
    country = country_field()
    vat_number = VatNumberField(max_length=32, required=False, allow_blank=True)
    currency = CurrencyField(required=False)
    nested = StrictBoolean(required=False)
    printer_type = LinkField(PrinterType, required=False, allow_null=True)
    support_strategy = Choice(["auto", "on", "off"], required=False, allow_null=True)
    infill_strategy = PatternText(PERCENT, max_length=16, required=False, allow_null=True)
    layer_thickness = Number(required=False, allow_null=True, above=0, max_value=THICKEST_LAYER)
    orientation = Choice(LineItem.Orientation, required=False, allow_null=True)
    order = LinkField(Order, required=False)
    cells = serializers.ListField(
        child=WholeNumber(min_value=0, max_value=MAX_CELLS),
        required=False,
        min_length=1,
        max_length=MAX_CELLS,
    )

    def to_internal_value(self, data: Any) -> ValidatedData:
        """The values; cells as they were answered, in a table that is put back, say nothing new."""
        if isinstance(data, dict) and self.instance is not None and "order" not in data:
            current = self.context["current"]()
            if same_value(data.get("uri"), current["uri"]):
                data = {name: value for name, value in data.items() if name != "cells"}
        return super().to_internal_value(data)

    def _current(self, name: str) -> Any:
        """A fixed field's value; what the request for the table said is no column of it."""
        if name not in ("printer_type", *OPTIONS):
            return super()._current(name)
        value = self.context["current"]()[name]
        if name == "printer_type" and value:
            return PrinterType.objects.filter(pk__in=PrinterType.keys_of(value)).first()
        return value


class PriceTableAnswer(ResourceAnswer):
    """A price table, as it is answered."""

    bureau: Uri
    status: Annotated[str, PriceTable.Status]
    currency: str
    customer: Uri | None
    printer_type: Uri | None
    support_strategy: str | None
    infill_strategy: str | None
    layer_thickness: float | None
    orientation: Annotated[str | None, LineItem.Orientation]
    cells: list[CellAnswer]
    line_items: list[Uri]
    errors: list[ErrorAnswer] | None
    expires: datetime


def price_table_resource(row: PriceTable, *, priced: bool) -> PriceTableAnswer:
    """A table as JSON.

    priced : whether the caller may see amounts
    """
    options, printer_type = row.asked.get("options", {}), row.asked.get("printer_type")
    return {
        "uri": row.uri,
        "bureau": Bureau.uri_of(row.bureau_id),
        "created": row.created,
        "updated": row.updated,
        "status": row.status,
        "currency": row.currency,
        "customer": Customer.uri_of(row.customer_id) if row.customer_id else None,
        "printer_type": PrinterType.uri_of(printer_type) if printer_type else None,
        "support_strategy": options.get("support_strategy"),
        "infill_strategy": options.get("infill_strategy"),
        "layer_thickness": options.get("layer_thickness"),
        "orientation": options.get("orientation"),
        "cells": row.cells if priced else _without_prices(row.cells),
        "line_items": row.line_items,
        "errors": row.errors,
        "expires": row.expires,
    }


def _without_prices(cells: list[CellAnswer]) -> list[CellAnswer]:
    """Return the cells of a price table with null for each amount, and no terms."""
    return [
        {
            **cell,
            "unit": None,
            "unit_of": None,
            "net": None,
            "tax": None,
            "gross": None,
            "terms": [],
        }
        for cell in cells
    ]
