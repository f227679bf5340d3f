"""Transformations as the contract spells them: a type, and the parameter object of that type."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from rest_framework import serializers

from core.api.fields import (
    CallbackSerializer,
    Choice,
    Faults,
    Number,
    StrictSerializer,
    ValidatedData,
)
from core.api.openapi.response_types import FreeJson

MAX_STEPS = 100
# The parameter object of each type.
MEMBERS = {
    "bracket": "parametersBrackets",
    "auto-rotate": "parametersAutoRotate",
    "rotate": "parametersRotate",
    "auto-scale": "parametersAutoScale",
    "scale": "parametersScale",
    "auto-translate": "parametersAutoTranslate",
    "translate": "parametersTranslate",
}
# Of these the parameter object may be left out.
WITHOUT = ("auto-translate",)


class VectorSerializer(StrictSerializer):
    """A number for each axis: mm, or degrees where it turns."""

    x = Number()
    y = Number()
    z = Number()


class PositiveSerializer(StrictSerializer):
    """A number above 0 for each axis: mm of a build volume, or percent."""

    x = Number(above=0)
    y = Number(above=0)
    z = Number(above=0)


class BuildSerializer(StrictSerializer):
    """The build volume that the model is to fit into, mm."""

    build = PositiveSerializer()


class BracketsSerializer(StrictSerializer):
    """A frame around the model, mm."""

    width = Number(above=0)
    gap = Number(min_value=0)
    thickness = Number(above=0)


class StepSerializer(StrictSerializer):
    """One step: its type, and the parameter object of that type and no other."""

    type = Choice(choices=list(MEMBERS))
    parametersBrackets = BracketsSerializer(required=False)
    parametersAutoRotate = BuildSerializer(required=False)
    parametersRotate = VectorSerializer(required=False)
    parametersAutoScale = BuildSerializer(required=False)
    parametersScale = PositiveSerializer(required=False)
    parametersAutoTranslate = BuildSerializer(required=False)
    parametersTranslate = VectorSerializer(required=False)

    def to_internal_value(self, data: Any) -> ValidatedData:
        """Report the faults of the step's members together with the faults within them."""
        faults: Faults = {}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            faults = dict(error.detail)  # type: ignore[arg-type]
            values = {}
        if isinstance(data, Mapping):
            faults = {**faults, **_member_faults(data)}
        if faults:
            raise serializers.ValidationError(faults)
        return values


def _member_faults(step: Mapping[str, Any]) -> Faults:
    kind = step.get("type")
    if not isinstance(kind, str) or kind not in MEMBERS:
        return {}
    own = MEMBERS[kind]
    faults: Faults = {
        name: [serializers.ErrorDetail(f"The parameters of {kind} are {own}.", code="unknown")]
        for name in MEMBERS.values()
        if name in step and name != own
    }
    if own not in step and kind not in WITHOUT:
        words = f"A step of type {kind} needs {own}."
        faults[own] = [serializers.ErrorDetail(words, code="required")]
    return faults


class TransformationsSerializer(StrictSerializer):
    """The steps that make a child model, applied in order."""

    takes_back = False

    transformations = serializers.ListField(
        child=StepSerializer(),
        allow_empty=False,
        max_length=MAX_STEPS,
        error_messages={"empty": "Give at least one transformation."},
    )
    callback = CallbackSerializer(required=False, allow_null=True)


# ---------------------------------------------------------------- what was done


class VectorAnswer(TypedDict):
    """A number for each axis."""

    x: float
    y: float
    z: float


class BuildAnswer(TypedDict):
    """The build volume, mm."""

    build: VectorAnswer


class BracketsAnswer(TypedDict):
    """A frame around the model, mm."""

    width: float
    gap: float
    thickness: float


class AppliedAnswer(TypedDict):
    """A step that made a child, with the parameters of its type."""

    type: Annotated[str, Literal[*MEMBERS]]
    parametersBrackets: NotRequired[BracketsAnswer]
    parametersAutoRotate: NotRequired[BuildAnswer]
    parametersRotate: NotRequired[VectorAnswer]
    parametersAutoScale: NotRequired[BuildAnswer]
    parametersScale: NotRequired[VectorAnswer]
    parametersAutoTranslate: NotRequired[BuildAnswer]
    parametersTranslate: NotRequired[VectorAnswer]
    result: Annotated[FreeJson | None, "Result of the step; null until applied."]
