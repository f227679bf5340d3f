"""Response types (TypedDict) and the JSON Schema made from them.

An answer is a TypedDict beside the function that makes it; its component has its name, without
"Answer". Annotated adds what a type cannot express: a description, keywords of its schema, or
another type that restricts the values, such as its choices.
"""

import functools
import types
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from uuid import UUID

from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent

from core.api.openapi.schema_hints import Email as Email
from core.api.openapi.schema_hints import FreeJson as FreeJson
from core.api.openapi.schema_hints import JsonSchema as JsonSchema
from core.api.openapi.schema_hints import SchemaHints as SchemaHints
from core.api.openapi.schema_hints import Uri as Uri

PLAIN: dict[Any, JsonSchema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number", "format": "double"},
    Decimal: {"type": "number", "format": "double"},
    UUID: {"type": "string", "format": "uuid"},
    datetime: {"type": "string", "format": "date-time"},
    Any: {},
}


class ResourceAnswer(TypedDict):
    """Properties of every resource: its URI, and when it was created and last changed."""

    uri: Uri
    created: datetime
    updated: datetime


class OwnedAnswer(ResourceAnswer):
    """Properties of a user's resource: also its owner."""

    user_uri: Uri


class ErrorAnswer(TypedDict):
    """One fault of a request, or of the work on a resource."""

    code: str
    title: Annotated[str, "Human-readable message: what is wrong and what to do."]
    field: NotRequired[Annotated[str, "Dotted name of the invalid field."]]
    details: NotRequired[FreeJson]


class ErrorsAnswer(TypedDict):
    """Every error of every service: all faults of a request together."""

    errors: list[ErrorAnswer]


class CallbackAnswer(TypedDict):
    """The callback of state changes."""

    url: str
    method: Annotated[str, Literal["GET", "POST", "PUT"]]


@functools.cache
def members_of(answer: Any) -> frozenset[str]:
    """The names of an answer's members."""
    return frozenset(get_type_hints(answer)) if is_typeddict(answer) else frozenset()


def is_answer(hint: Any) -> bool:
    """Whether this is a type of answers, and not a serializer or a schema."""
    return is_typeddict(hint) or get_origin(hint) is not None


def name_of(answer: Any) -> str:
    """The component's name of an answer; of one of several kinds all of theirs."""
    kinds = get_args(answer) or (answer,)
    return "Or".join(kind.__name__.removesuffix("Answer") for kind in kinds)


def schema_of(hint: Any, components: ComponentRegistry) -> JsonSchema:
    """Return the JSON schema of a type; named types are added to `components`."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(inner[0], hint.__metadata__, components)
    if origin is NotRequired:
        return schema_of(inner[0], components)
    if origin in (Union, types.UnionType):
        return _any_of([schema_of(kind, components) for kind in inner])
    if origin is Literal:
        return _choice(inner)
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": schema_of(inner[0], components)}
    if origin is dict or hint is dict:
        return {
            "type": "object",
            "additionalProperties": schema_of(inner[1] if inner else Any, components),
        }
    if hint is types.NoneType:
        return {"type": "null"}
    if is_typeddict(hint):
        return _component(hint, components)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice([member.value for member in hint])
    return dict(PLAIN[hint])


def _choice(words: Sequence[Any]) -> JsonSchema:
    return {"type": "string", "enum": list(words)}


def _annotated(hint: Any, more: Sequence[Any], components: ComponentRegistry) -> JsonSchema:
    beside: JsonSchema = {}
    for said in more:
        if isinstance(said, str):
            beside["description"] = said
        elif isinstance(said, SchemaHints):
            beside |= said.schema
        else:
            hint = said if types.NoneType not in get_args(hint) else Union[said, None]  # noqa: UP007
    schema = schema_of(hint, components)
    return {"allOf": [schema], **beside} if beside and "$ref" in schema else schema | beside


def _any_of(kinds: list[JsonSchema]) -> JsonSchema:
    """One of several kinds; where only null is added to a plain one, in the short form."""
    null = {"type": "null"}
    if null in kinds and len(kinds) == 2:
        (kind,) = [kind for kind in kinds if kind != null]
        if not kind:  # anything, null too
            return {}
        if "type" in kind:
            choice = {"enum": [*kind["enum"], None]} if "enum" in kind else {}
            return {**kind, "type": [kind["type"], "null"], **choice}
    return {"anyOf": kinds}


def _component(answer: Any, components: ComponentRegistry) -> JsonSchema:
    component = ResolvedComponent(name_of(answer), ResolvedComponent.SCHEMA, object=answer)
    if component not in components:
        components.register(component)
        hints = get_type_hints(answer, include_extras=True)
        component.schema = {
            "type": "object",
            "properties": {name: schema_of(hint, components) for name, hint in hints.items()},
            "required": sorted(answer.__required_keys__),
        }
    return component.ref
