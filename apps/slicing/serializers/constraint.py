"""Constraints, and what they bind, as the contract spells them."""

from typing import Annotated, Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.slicing.configs.parameters import PARAMETERS, ParameterErrors
from apps.slicing.domain.constraints import SPELLINGS, parse_rules
from apps.slicing.models import Association, Constraint
from core.api.fields import StrictSerializer, StrictText, UriField, ValidatedData
from core.api.openapi.response_types import FreeJson, OwnedAnswer, SchemaHints, Uri

# A list for `_in`, and a value of the parameter's own type for every other operator.
_RULE = {
    "type": "object",
    "minProperties": 1,
    "properties": {operator: {} for operator in SPELLINGS},
    "additionalProperties": False,
}


_RULES = {
    "type": "object",
    "minProperties": 1,
    "properties": dict.fromkeys(PARAMETERS, _RULE),
    "additionalProperties": False,
}


@extend_schema_field(_RULES)
class RulesField(serializers.Field):
    """Parameter -> operator -> value."""

    def to_internal_value(self, data: Any) -> ValidatedData:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Send an object of parameters.", code="invalid")
        try:
            return parse_rules(data)
        except ParameterErrors as refused:
            raise serializers.ValidationError(_nested(refused)) from refused


def _nested(refused: ParameterErrors) -> Any:
    """The errors by their dotted keys; of the whole field without one."""
    details = {
        error.key: [serializers.ErrorDetail(error.title, code=error.code)]
        for error in refused.errors
    }
    return details.pop("", None) or details


class ConstraintSerializer(StrictSerializer):
    """Rules that a config must meet."""

    fixed_fields = ("parameters",)

    name = StrictText(max_length=255)
    description = StrictText(max_length=1000, required=False, allow_blank=True)
    parameters = RulesField()


class ConstraintAnswer(OwnedAnswer):
    """Rules that a config must meet."""

    name: str
    description: str | None
    parameters: Annotated[FreeJson, SchemaHints(_RULES)]


def constraint_resource(constraint: Constraint) -> ConstraintAnswer:
    """The contract's constraint."""
    return {
        "uri": constraint.uri,
        "name": constraint.name,
        "description": constraint.description or None,
        "parameters": constraint.parameters,
        "user_uri": constraint.owner.uri,
        "created": constraint.created,
        "updated": constraint.updated,
    }


class AssociationSerializer(StrictSerializer):
    """A constraint that binds a model."""

    fixed_fields = ("constraint", "model_uri")

    constraint = UriField()
    model_uri = UriField()


class AssociationAnswer(OwnedAnswer):
    """A constraint that binds a model."""

    constraint: Uri
    model_uri: Uri


def association_resource(association: Association) -> AssociationAnswer:
    """The contract's constraint-model."""
    return {
        "uri": association.uri,
        "constraint": association.constraint.uri,
        "model_uri": association.model_uri,
        "user_uri": association.owner.uri,
        "created": association.created,
        "updated": association.updated,
    }
