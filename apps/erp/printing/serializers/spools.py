"""Spools of Spoolman, as agents send and get them."""

from collections.abc import Mapping
from typing import Annotated, TypedDict

from django.core.validators import MinValueValidator
from rest_framework import serializers

from apps.erp.base.serializers.resources import AmountField, shown_amount
from core.api import fields
from core.api.fields import StrictBoolean, StrictSerializer

MAX_SPOOLS, MAX_SPOOL = 10_000, 2**31 - 1


class SpoolSerializer(StrictSerializer):
    """What Spoolman says of a spool."""

    id = fields.WholeNumber(min_value=1, max_value=MAX_SPOOL)
    left = AmountField(
        required=False,
        allow_null=True,
        default=None,
        validators=[MinValueValidator(0)],
        help_text="Remaining filament, g; null if unknown to Spoolman.",
    )


class SpoolsSerializer(StrictSerializer):
    """What Spoolman says of the spools that it was asked for."""

    spools = serializers.ListField(
        child=SpoolSerializer(), max_length=MAX_SPOOLS, required=False, default=list
    )
    writes = StrictBoolean(
        required=False, default=True, help_text="Whether the agent may write to Spoolman."
    )


class SpoolAnswer(TypedDict):
    """A spool that a lot names."""

    id: int
    left: Annotated[float | None, "Remaining filament to write to Spoolman, g."]


class SpoolsAnswer(TypedDict):
    """The spools that lots at the agent's location name."""

    spools: list[SpoolAnswer]


def spools_of(found: Mapping[int, int | None]) -> SpoolsAnswer:
    """Spools, as an agent gets them."""
    return {"spools": [{"id": key, "left": shown_amount(left)} for key, left in found.items()]}
