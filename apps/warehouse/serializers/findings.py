"""What was found out about a model: the kernel's own fields, in the answer and in the document."""

from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from rest_framework import serializers

from core.api.schema import ErrorSerializer
from geometry.analysis import Analysis
from geometry.printability import Printability

PLAIN: dict[Any, type[serializers.Field]] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    str: serializers.CharField,
    dict: serializers.DictField,
}


def field_of(hint: Any) -> serializers.Field:
    """The field of a figure with this type; each is null where it was not measured."""
    if hasattr(hint, "_fields"):
        return serializer_of(hint)(allow_null=True)
    inner = [kind for kind in get_args(hint) if kind not in (NoneType, ...)]
    if get_origin(hint) in (tuple, list):
        return serializers.ListField(child=field_of(inner[0]), allow_null=True)
    if get_origin(hint) is dict:
        return serializers.DictField(allow_null=True)
    return field_of(inner[0]) if inner else PLAIN[hint](allow_null=True)


def serializer_of(found: Any, **more: serializers.Field) -> type[serializers.Serializer]:
    """The serializer of a named tuple of the kernel, and of more fields beside its own."""
    fields: dict[str, Any] = {name: field_of(kind) for name, kind in get_type_hints(found).items()}
    words = {"__doc__": f"What {found.__name__.lower()} says; null where nothing was measured."}
    return type(f"{found.__name__}Serializer", (serializers.Serializer,), fields | more | words)


PrintabilitySerializer = serializer_of(
    Printability, errors=ErrorSerializer(many=True, allow_null=True)
)
AnalysesSerializer = serializer_of(Analysis, printability=PrintabilitySerializer(allow_null=True))

_NO_ANALYSES = dict.fromkeys((*Analysis._fields, "printability"))
_NO_PRINTABILITY = dict.fromkeys((*Printability._fields, "errors"))


def found_out(
    analyses: dict[str, Any] | None, printability: dict[str, Any] | None
) -> dict[str, Any]:
    """The `analyses` of a model: every figure, null where it is not there yet."""
    assessed = printability and {**_NO_PRINTABILITY, **printability}
    return {**_NO_ANALYSES, **(analyses or {}), "printability": assessed}
