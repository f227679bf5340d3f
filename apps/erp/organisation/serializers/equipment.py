"""Types of printers as JSON, and back."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from apps.erp.base.serializers.resources import input_of, serializer_of
from apps.erp.organisation.models.equipment import PrinterType
from core.api.fields import StrictSerializer, UriField, ValidatedData

MAX_FILAMENTS = 1000


class BuildVolumeSerializer(StrictSerializer):
    """How far a printer reaches, mm."""

    x = input_of(PrinterType._meta.get_field("build_x"))
    y = input_of(PrinterType._meta.get_field("build_y"))
    z = input_of(PrinterType._meta.get_field("build_z"))


class FilamentSerializer(StrictSerializer):
    """A material, and the preset of the filament that it is."""

    material = UriField()
    preset = UriField()


class PrinterTypeSerializer(
    serializer_of(  # type: ignore[misc]
        PrinterType,
        build_volume=BuildVolumeSerializer(required=False),
        filaments=serializers.ListField(
            child=FilamentSerializer(), max_length=MAX_FILAMENTS, required=False
        ),
    )
):
    """A model of printer; its build volume is that of its preset where it is left out."""

    def to_internal_value(self, data: Any) -> ValidatedData:
        if self.instance is None and isinstance(data, Mapping):
            self.fields["build_volume"].required = not data.get("preset")
        return super().to_internal_value(data)
