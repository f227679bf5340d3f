"""Presets of the catalogue."""

from typing import Any

from rest_framework import serializers

from apps.slicing.domain.catalogue import Catalogue, Preset
from core.api.fields import StrictSerializer


class OutlineSerializer(serializers.Serializer):
    """A build volume: the bed's corners, [x, y] each, and how high it goes, mm."""

    outline = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    height = serializers.FloatField(allow_null=True)


class PresetSerializer(StrictSerializer):
    """What a maker says of a printer, of a way to print, or of a filament."""

    uri = serializers.CharField(read_only=True)
    name = serializers.CharField(read_only=True)
    kind = serializers.ChoiceField(choices=["printer", "print", "filament"], read_only=True)
    vendor = serializers.CharField(read_only=True)
    version = serializers.CharField(read_only=True, help_text="Of the vendor's presets.")
    engine = serializers.CharField(read_only=True)
    engine_version = serializers.CharField(read_only=True)
    usable = serializers.BooleanField(read_only=True)
    reasons = serializers.ListField(child=serializers.CharField(), read_only=True)
    notes = serializers.ListField(child=serializers.CharField(), read_only=True)
    printer_model = serializers.CharField(read_only=True, allow_null=True)
    nozzle_diameter = serializers.FloatField(read_only=True, allow_null=True)
    extruders = serializers.IntegerField(read_only=True, allow_null=True)
    bed = OutlineSerializer(read_only=True, allow_null=True)
    firmware = serializers.CharField(read_only=True, allow_null=True)
    thumbnails = serializers.ListField(
        child=serializers.CharField(), read_only=True, allow_null=True
    )
    limits = serializers.DictField(read_only=True, allow_null=True)
    default_print = serializers.CharField(read_only=True, allow_null=True)
    default_filament = serializers.CharField(read_only=True, allow_null=True)
    layer_height = serializers.FloatField(read_only=True, allow_null=True)
    supports = serializers.BooleanField(read_only=True, allow_null=True)
    brim = serializers.FloatField(read_only=True, allow_null=True)
    filament_type = serializers.CharField(read_only=True, allow_null=True)
    filament_diameter = serializers.FloatField(read_only=True, allow_null=True)
    density = serializers.FloatField(read_only=True, allow_null=True)
    cost_per_kg = serializers.FloatField(read_only=True, allow_null=True)
    temperatures = serializers.DictField(read_only=True, allow_null=True)


def preset_resource(preset: Preset, catalogue: Catalogue) -> dict[str, Any]:
    """A preset; what only other kinds have is null."""
    print_, filament = (None, None)
    if preset.kind == "printer":
        print_, filament = catalogue.defaults_of(preset)
    told = {name: getattr(preset, name, None) for name in PresetSerializer._declared_fields}
    return {
        **told,
        **preset.facts,
        "default_print": print_ and print_.uri,
        "default_filament": filament and filament.uri,
    }
