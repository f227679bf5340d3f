"""Configs as the contract spells them."""

import math
from typing import Annotated, Any, Literal, TypedDict, cast
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.slicing.configs.bundles import MAX_NAME_LENGTH
from apps.slicing.configs.parameters import PARAMETERS, Parameter, ParameterErrors, parse_parameters
from apps.slicing.domain.catalogue import Preset, is_outdated
from apps.slicing.models import Config, EngineName, PrinterGcode
from apps.slicing.services.differences import ComparedSettings, Differences
from core.api.fields import (
    Choice,
    StrictSerializer,
    StrictText,
    UriField,
    ValidatedData,
    WholeNumber,
)
from core.api.openapi.response_types import FreeJson, JsonSchema, OwnedAnswer, SchemaHints, Uri

TYPES = {"string": "string", "float": "number", "int": "integer", "bool": "boolean"}


def _schema_of(parameter: Parameter) -> JsonSchema:
    """Return a parameter's JSON Schema, without an enum: case is ignored."""
    lowest = "exclusiveMinimum" if parameter.above_lowest else "minimum"
    bounds = {lowest: parameter.lowest, "maximum": parameter.highest}
    words = " or ".join(parameter.choices) or parameter.unit
    return {
        "type": [TYPES[parameter.kind], "null"],
        **{name: bound for name, bound in bounds.items() if math.isfinite(bound)},
        **({"description": f"{words}."} if words else {}),
    }


CURATED = {
    "type": "object",
    "properties": {name: _schema_of(parameter) for name, parameter in PARAMETERS.items()},
    "additionalProperties": False,
}


@extend_schema_field(CURATED)
class CuratedParametersField(serializers.Field):
    """The curated parameters, by name; null or omitted where the service chooses.

    alone : whether they are the whole config, or override presets
    """

    def __init__(self, *, alone: bool = True, **options: Any):
        super().__init__(**options)
        self.alone = alone

    def to_internal_value(self, data: Any) -> ValidatedData:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Send an object with the parameters.", code="invalid")
        try:
            return parse_parameters(data, alone=self.alone)
        except ParameterErrors as refused:
            raise serializers.ValidationError(
                {
                    error.key: [serializers.ErrorDetail(error.title, code=error.code)]
                    for error in refused.errors
                }
            ) from refused


class ConfigNoteAnswer(TypedDict):
    """A setting of a raw config that is not used, or read as another value, and why."""

    line: int | None
    key: str
    title: str


class ConfigSerializer(StrictSerializer):
    """How to slice."""

    fixed_fields: tuple[str, ...] = ("engine", "parameters")

    engine = Choice(choices=EngineName.choices)
    description = StrictText(max_length=1000, required=False, allow_blank=True)
    parameters = CuratedParametersField(required=False)

    def validate(self, values: ValidatedData) -> ValidatedData:
        if self.instance is None and "parameters" in self.fields:
            values.setdefault("parameters", dict.fromkeys(PARAMETERS))
        return values


class RawConfigSerializer(ConfigSerializer):
    """A config of an engine's own config file; in responses, `content` is its URL."""

    content = StrictText(trim_whitespace=False)  # type: ignore[assignment]
    parameters = None  # type: ignore[assignment]  # they are read of the file


class BundleConfigSerializer(StrictSerializer):
    """A config of presets in a config bundle or a project; in responses, `content` is its URL."""

    content = StrictText(trim_whitespace=False, required=False, allow_blank=True)
    file = StrictText(required=False, allow_blank=True)
    model = UriField(required=False, allow_null=True)
    printer = StrictText(max_length=MAX_NAME_LENGTH, required=False, allow_blank=True)
    print = StrictText(max_length=MAX_NAME_LENGTH, required=False, allow_blank=True)
    filament = StrictText(max_length=MAX_NAME_LENGTH, required=False, allow_blank=True)
    nozzle = StrictText(max_length=MAX_NAME_LENGTH, required=False, allow_blank=True)
    material = StrictText(max_length=MAX_NAME_LENGTH, required=False, allow_blank=True)
    quality = StrictText(max_length=MAX_NAME_LENGTH, required=False, allow_blank=True)
    intent = StrictText(max_length=MAX_NAME_LENGTH, required=False, allow_blank=True)
    description = StrictText(max_length=1000, required=False, allow_blank=True)


class PresetConfigSerializer(ConfigSerializer):
    """A config of a manufacturer's presets, with overrides."""

    fixed_fields = ()

    engine = None  # type: ignore[assignment]  # the presets' own
    parameters = None  # type: ignore[assignment]  # what the overrides say
    printer = UriField()
    print = UriField(required=False, allow_null=True)
    filament = UriField(required=False, allow_null=True)
    extruder = WholeNumber(min_value=1, required=False, allow_null=True)
    overrides = CuratedParametersField(alone=False, required=False)
    printer_gcode = UriField(required=False, allow_null=True)

    def validate(self, values: ValidatedData) -> ValidatedData:
        values.setdefault("overrides", dict.fromkeys(PARAMETERS))
        return values


class ConfigEngineSerializer(StrictSerializer):
    """The slicer in a shop that is to slice by a config."""

    engine = UriField(allow_null=True, help_text="Slicer in a shop; null: that of the platform.")


class ConfigPresetAnswer(TypedDict):
    """The presets that a config was made of."""

    printer: Uri
    print: Uri
    filament: Uri
    names: dict[str, str]
    extruder: Annotated[int, "Extruder that prints the part, from 1."]
    vendor: str
    version: Annotated[str, "Version of the vendor's presets at creation of the config."]
    estimate_only: Annotated[
        bool, "Whether it only estimates: G-code of its slices is not handed out."
    ]
    printer_gcode: Annotated[
        Uri | None, "Confirmed start and end G-code of the printer that it prints with."
    ]
    outdated: Annotated[
        bool, "Whether the installed presets differ from those used, or are missing."
    ]


class ConfigAnswer(OwnedAnswer):
    """How to slice."""

    engine: Annotated[str, EngineName]
    kind: Annotated[str, Config.Kind]
    description: str | None
    parameters: Annotated[FreeJson, SchemaHints(CURATED)]
    content: Uri
    notes: list[ConfigNoteAnswer]
    preset: ConfigPresetAnswer | None
    estimate_only: Annotated[
        bool, "Whether it only estimates: G-code of its slices is not handed out."
    ]
    inherits: Annotated[
        list[Uri], "Presets that those of an uploaded file are made from, as far as installed."
    ]
    fitted: Annotated[
        bool, "Whether it was made from another config, for a printer type and its options."
    ]
    shop_engine: Annotated[
        Uri | None, "Slicer in a shop that makes its slices; null: that of the platform."
    ]


def config_resource(config: Config) -> ConfigAnswer:
    """Return the contract's config: every curated parameter, null where not specified."""
    is_made_of_presets = config.kind == Config.Kind.PRESET
    return {
        "uri": config.uri,
        "engine": config.engine,
        "kind": config.kind,
        "description": config.description or None,
        "parameters": config.parameters,
        "content": config.content_location(),
        "notes": config.notes,
        "preset": _preset(config.preset) if config.preset and is_made_of_presets else None,
        "estimate_only": config.estimate_only,
        "inherits": [Preset.uri_of(UUID(key)) for key in config.inherits],
        "fitted": config.fitted,
        "shop_engine": config.agent_engine.uri if config.agent_engine else None,
        "user_uri": config.owner.uri,
        "created": config.created,
        "updated": config.updated,
    }


class ComparedAnswer(TypedDict):
    """A config or a preset that is compared with another."""

    uri: Uri
    name: Annotated[str | None, "Description of a config, or names of its presets; null if none."]
    version: Annotated[str | None, "Version of the vendor's presets; null if there is none."]


class DifferenceAnswer(TypedDict):
    """A setting with different values."""

    kind: Annotated[str, Literal["printer", "print", "filament"]]
    key: Annotated[str, "Name of the setting in the engine."]
    first: Annotated[str | None, "Value in the first; null where it is not set."]
    second: Annotated[str | None, "Value in the second; null where it is not set."]
    shortened: Annotated[bool, "Whether a value is cut to 2,000 characters."]


class DifferencesAnswer(TypedDict):
    """The settings in which two configs or presets differ."""

    first: ComparedAnswer
    second: ComparedAnswer
    count: Annotated[int, "Number of settings with different values."]
    equal: Annotated[int, "Number of settings with the same value."]
    differences: Annotated[list[DifferenceAnswer], "At most 1,000, by kind and name."]


def differences_resource(result: Differences) -> DifferencesAnswer:
    """Return a comparison as JSON."""
    return {
        "first": _compared(result.first),
        "second": _compared(result.second),
        "count": result.count,
        "equal": result.equal,
        "differences": [cast(DifferenceAnswer, row._asdict()) for row in result.listed],
    }


def _compared(side: ComparedSettings) -> ComparedAnswer:
    return {"uri": side.uri, "name": side.name or None, "version": side.version or None}


def _preset(stored: dict[str, Any]) -> ConfigPresetAnswer:
    rows = stored["presets"]
    uris = {kind: Preset.uri_of(UUID(row["key"])) for kind, row in rows.items()}
    gcode = stored.get("printer_gcode")
    return {
        "printer": uris["printer"],
        "print": uris["print"],
        "filament": uris["filament"],
        "names": {kind: row["name"] for kind, row in rows.items()},
        "extruder": stored.get("extruder", 1),
        "vendor": stored["vendor"],
        "version": stored["version"],
        "estimate_only": bool(stored.get("estimate_only")),
        "printer_gcode": PrinterGcode.uri_of(UUID(gcode)) if gcode else None,
        "outdated": is_outdated(rows.values()),
    }
