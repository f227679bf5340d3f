"""Visits as JSON, and back."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Literal, TypedDict

from django.utils import timezone
from rest_framework import serializers

from apps.erp import interface as erp
from apps.sales.models import Visit
from core.api.fields import (
    Choice,
    EmailText,
    Number,
    PatternText,
    StrictSerializer,
    StrictText,
    UriField,
    WholeNumber,
)
from core.api.openapi.response_types import Uri

MAX_CELLS = 100
MAX_FILES = 20
MAX_FINISHES = 20


class ChoiceSerializer(StrictSerializer):
    """A cell of a price table of the visit."""

    price_table = UriField()
    cell = WholeNumber(min_value=0, max_value=1000)


class VisitSerializer(StrictSerializer):
    """The storefront that is visited; of a change, the cart."""

    storefront = StrictText(max_length=63)
    cart = serializers.ListField(child=ChoiceSerializer(), required=False, max_length=MAX_CELLS)


class VisitSignInSerializer(StrictSerializer):
    """The session of a customer."""

    token = serializers.UUIDField()
    secret = StrictText(max_length=200)


class VisitTableSerializer(StrictSerializer):
    """Parts of the visit, and how many of each."""

    models = serializers.ListField(child=UriField(), min_length=1, max_length=MAX_FILES)
    quantities = serializers.ListField(
        child=WholeNumber(min_value=1, max_value=10_000),
        required=False,
        min_length=1,
        max_length=12,
    )
    finishes = serializers.ListField(
        child=serializers.ListField(child=UriField(), max_length=MAX_FINISHES),
        required=False,
        min_length=1,
        max_length=MAX_FINISHES,
    )
    support_strategy = Choice(("auto", "on", "off"), required=False, allow_null=True)
    infill_strategy = StrictText(max_length=16, required=False, allow_null=True)
    layer_thickness = Number(required=False, allow_null=True, above=0)


class AddressSerializer(StrictSerializer):
    """Where the parts go."""

    street = StrictText(max_length=200)
    postcode = StrictText(max_length=20)
    city = StrictText(max_length=200)
    country = PatternText(
        r"^[A-Z]{2}$", error_messages={"invalid": "Send a country as two letters, such as DE."}
    )


class VisitOrderSerializer(StrictSerializer):
    """Who orders the cart."""

    name = StrictText(max_length=200)
    email = EmailText(max_length=254)
    company = StrictText(max_length=200, required=False, allow_blank=True)
    address = AddressSerializer()
    billing_address = AddressSerializer(required=False, allow_null=True)
    vat_number = erp.VatNumberField(max_length=32, required=False, allow_blank=True)
    note = StrictText(max_length=2000, required=False, allow_blank=True)
    language = Choice(choices=("en", "de"), required=False)
    needed_by = serializers.DateField(required=False, allow_null=True)

    def validate_needed_by(self, day: date | None) -> date | None:
        """Refuse a day that is over."""
        if day and day < timezone.now().date():
            title = f"{day} is in the past: send a later date, or none."
            raise serializers.ValidationError(title, code="property-value-not-in-allowed-values")
        return day

    def buyer(self) -> erp.storefront_orders.Buyer:
        """The valid values."""
        values = self.validated_data
        address, billing = values["address"], values.get("billing_address")
        return erp.storefront_orders.Buyer(
            name=values["name"],
            email=values["email"],
            company=values.get("company") or "",
            address=_address_text(address),
            country=address["country"],
            billing_address=_address_text(billing) if billing else "",
            billing_country=billing["country"] if billing else "",
            vat_number=values.get("vat_number") or "",
            note=values.get("note") or "",
            language=values.get("language") or "",
            needed_by=values.get("needed_by"),
        )


def _address_text(address: Mapping[str, str]) -> str:
    """The lines of an address."""
    place = f"{address['postcode']} {address['city']}"
    return "\n".join((address["street"], place, address["country"]))


class ReorderSerializer(StrictSerializer):
    """An order whose parts are ordered again, or some of them."""

    token = StrictText(max_length=100)
    line_items = serializers.ListField(
        child=serializers.UUIDField(), required=False, min_length=1, max_length=MAX_CELLS
    )


class ReorderedPartAnswer(TypedDict):
    """A part of an order, and whether it is in the cart."""

    name: str
    price_table: Uri | None
    cell: int | None
    reason: Annotated[str | None, Literal["file-gone", "not-offered", "no-price"]]


class ReorderAnswer(TypedDict):
    """Parts of an order that is ordered again."""

    parts: list[ReorderedPartAnswer]


class ReviewReasonAnswer(TypedDict):
    """Why a person must look before there is a price."""

    code: str
    title: str


class VisitCellAnswer(TypedDict):
    """What a part costs in a material and quantity; amounts are null under review."""

    model: Uri
    material: Uri
    finish: list[Uri]
    quantity: int
    unit: Annotated[float | None, "Price of `unit_of` pieces."]
    unit_of: int | None
    includes_tax: Annotated[bool, "Whether `unit` includes tax."]
    net: float | None
    tax: float | None
    gross: float | None
    ready: Annotated[str | None, "Estimated delivery date; null if no time is known."]
    basis: Annotated[str | None, Literal["slice", "estimate"]]
    within: Annotated[float | None, "Maximum error of the estimate, percent; 0 for a slice."]
    review: list[ReviewReasonAnswer] | None


class VisitTableAnswer(TypedDict):
    """Prices of parts of a visit."""

    uri: Uri
    updated: datetime
    status: Annotated[str, Literal["pending", "estimated", "mixed", "exact", "error"]]
    currency: str
    support_strategy: str | None
    infill_strategy: str | None
    layer_thickness: float | None
    cells: list[VisitCellAnswer]


class CartLineAnswer(TypedDict):
    """A chosen cell."""

    price_table: Uri
    cell: int


class VisitAnswer(TypedDict):
    """A visit."""

    uri: Uri
    created: datetime
    storefront: str
    bureau: Uri
    expires: datetime
    cart: list[CartLineAnswer]
    totals: Annotated[
        erp.OrderTotals | None, "What an order of the cart comes to; null if unknown."
    ]
    is_signed_in: Annotated[bool, "Whether prices are those of a signed-in customer."]
    token: Annotated[str | None, "Key of the visit's API token; only in the answer of creation."]
    secret: Annotated[str | None, "Secret of the token; only in the answer of creation."]


class PlacedOrderAnswer(TypedDict):
    """A new order."""

    number: int
    link: Annotated[str, "Address of the order's page; returned only here."]
    token: Annotated[str, "Token of the share link; returned only here."]
    review: Annotated[bool, "Whether a person reviews the order before it is confirmed."]
    totals: erp.OrderTotals
    mailed: bool


def table_uri(visit: Visit, key: str) -> str:
    """The address of a price table of a visit."""
    return f"{visit.uri}price-table/{key}/"


def visit_resource(row: Visit) -> VisitAnswer:
    """A visit as JSON."""
    return {
        "uri": row.uri,
        "created": row.created,
        "storefront": row.storefront,
        "bureau": row.bureau,
        "expires": row.expires,
        "cart": [
            {"price_table": table_uri(row, each["table"]), "cell": each["cell"]}
            for each in row.cart
        ],
        "totals": row.totals,
        "is_signed_in": row.is_signed_in,
        "token": row.token,
        "secret": row.secret,
    }


def reorder_resource(row: Visit, lines: list[erp.reorders.ReorderedLine]) -> ReorderAnswer:
    """The parts of an order that is ordered again."""
    return {
        "parts": [
            {
                "name": line.name,
                "price_table": table_uri(row, str(line.cell.table)) if line.cell else None,
                "cell": line.cell.cell if line.cell else None,
                "reason": line.reason or None,
            }
            for line in lines
        ]
    }


def table_resource(visit: Visit, table: erp.PriceTable) -> VisitTableAnswer:
    """A price table as its visitor sees it."""
    options = table.asked.get("options", {})
    return {
        "uri": table_uri(visit, str(table.pk)),
        "updated": table.updated,
        "status": table.status,
        "currency": table.currency,
        "support_strategy": options.get("support_strategy"),
        "infill_strategy": options.get("infill_strategy"),
        "layer_thickness": options.get("layer_thickness"),
        "cells": [_cell(cell) for cell in erp.storefront_orders.offered_cells(table)],
    }


def _cell(cell: erp.storefront_orders.CellAnswer) -> VisitCellAnswer:
    reasons = cell["review"] or ()
    reviews: list[ReviewReasonAnswer] = [
        {"code": one["code"], "title": one["title"]} for one in reasons
    ]
    return {
        "model": cell["model"],
        "material": cell["material"],
        "finish": cell["finish"],
        "quantity": cell["quantity"],
        "unit": cell["unit"],
        "unit_of": cell["unit_of"],
        "includes_tax": cell.get("includes_tax", False),
        "net": cell["net"],
        "tax": cell["tax"],
        "gross": cell["gross"],
        "ready": cell["ready"],
        "basis": cell["basis"],
        "within": cell["within"],
        "review": reviews or None,
    }
