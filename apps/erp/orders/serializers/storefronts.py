"""Storefronts: what a request body may have, and what is returned beside the columns."""

from typing import Annotated, Literal, TypedDict

from rest_framework import serializers

from apps.erp.base.serializers.resources import answer_of, serializer_of
from apps.erp.orders.domain.print_options import PERCENT, THICKEST_LAYER
from apps.erp.orders.models.storefronts import Storefront
from core.api.fields import Choice, Number, PatternText

SLUG = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])\Z"
SUPPORTS = ("auto", "on", "off")
MAX_CHOICES = 10  # of a print option

StorefrontSerializer = serializer_of(
    Storefront,
    slug=PatternText(
        SLUG,
        max_length=63,
        error_messages={
            "invalid": "Send 2 to 63 lower-case letters, digits and hyphens, such as nordform-3d."
        },
    ),
    support_strategies=serializers.ListField(
        child=Choice(SUPPORTS), max_length=len(SUPPORTS), required=False
    ),
    infill_strategies=serializers.ListField(
        child=PatternText(
            PERCENT, max_length=16, error_messages={"invalid": "Send a percentage, such as 20%%."}
        ),
        max_length=MAX_CHOICES,
        required=False,
    ),
    layer_thicknesses=serializers.ListField(
        child=Number(above=0, max_value=THICKEST_LAYER), max_length=MAX_CHOICES, required=False
    ),
)


class StorefrontBeside(TypedDict):
    """What the columns of a storefront do not say."""

    support_strategies: list[Annotated[str, Literal[*SUPPORTS]]]
    infill_strategies: list[str]
    layer_thicknesses: list[float]


StorefrontAnswer = answer_of(Storefront, StorefrontBeside)
