"""Configs as the contract spells them."""

import math
from typing import Annotated, Any, TypedDict

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.slicing.configs.parameters import PARAMETERS, Parameter, ParameterErrors, parse_parameters
from apps.slicing.models import Config, EngineName
from core.api.answers import OwnedAnswer, Uri, Words
from core.api.fields import Choice, StrictSerializer, StrictText

TYPES = {"string": "string", "float": "number", "int": "integer", "bool": "boolean"}


def _schema_of(parameter: Parameter) -> dict[str, Any]:
    """A parameter's JSON Schema. Its words are taken in any case, which no enum says."""
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
    """The curated parameters, by name; null or left out where the service may choose."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Send an object with the parameters.", code="invalid")
        try:
            return parse_parameters(data)
        except ParameterErrors as refused:
            raise serializers.ValidationError(
                {
                    error.key: [serializers.ErrorDetail(error.title, code=error.code)]
                    for error in refused.errors
                }
            ) from refused


class ConfigNoteAnswer(TypedDict):
    """A setting of a raw config that is not used, and why."""

    line: int | None
    key: str
    title: str


class ConfigSerializer(StrictSerializer):
    """How to slice."""

    fixed_fields = ("engine", "parameters")

    engine = Choice(choices=EngineName.choices)
    description = StrictText(max_length=1000, required=False, allow_blank=True)
    parameters = CuratedParametersField(required=False)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if self.instance is None and "parameters" in self.fields:
            values.setdefault("parameters", dict.fromkeys(PARAMETERS))
        return values


class RawConfigSerializer(ConfigSerializer):
    """How to slice, as an engine's own config file says it; read back, `content` is its URL."""

    content = StrictText(trim_whitespace=False)  # type: ignore[assignment]
    parameters = None  # type: ignore[assignment]  # they are read of the file


class ConfigAnswer(OwnedAnswer):
    """How to slice."""

    engine: Annotated[str, EngineName]
    kind: Annotated[str, Config.Kind]
    description: str | None
    parameters: Annotated[dict[str, Any], Words(CURATED)]
    content: Uri
    notes: list[ConfigNoteAnswer]


def config_resource(config: Config) -> ConfigAnswer:
    """The contract's config: every curated parameter, null where nothing was given."""
    return {
        "uri": config.uri,
        "engine": config.engine,
        "kind": config.kind,
        "description": config.description or None,
        "parameters": config.parameters,
        "content": config.content_location(),
        "notes": config.notes,
        "user_uri": config.owner.uri,
        "created": config.created,
        "updated": config.updated,
    }
