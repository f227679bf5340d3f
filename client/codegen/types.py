"""Generates TypedDicts from OpenAPI schemas."""

import json
from collections.abc import Iterable

from manufacturing.request_encoding import JsonObject

WIDTH = 100
SCALARS = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "JsonObject",
}
MARKS = {True: "NotRequired", False: "Required"}
Schema = JsonObject


def class_name(component: str) -> str:
    """Return the class name of a component; bodies of changes end in `Change`."""
    if component.startswith("Patched"):
        component = component.removeprefix("Patched").removesuffix("Request") + "Change"
    return "".join(word[0].upper() + word[1:] for word in component.split("_"))


class Types:
    """TypedDicts of the schemas that the operations of a document use."""

    def __init__(self, document: Schema):
        self.schemas = document["components"]["schemas"]
        self.made: dict[str, str] = {}
        self._begun: set[str] = set()

    def name(self, schema: Schema, field: str = "", *, sent: bool) -> str:
        """Return the type of a schema.

        field : name of the property
        sent  : whether it is part of a request body, whose choices are listed and whose URIs may
                be resources; a response may have more choices tomorrow
        """
        if "$ref" in schema:
            return self._component(schema["$ref"].rpartition("/")[2], sent=sent)
        if "allOf" in schema:
            return self.name(schema["allOf"][0], field, sent=sent)
        if "anyOf" in schema:
            return either(self.name(kind, field, sent=sent) for kind in schema["anyOf"])
        if "enum" in schema and sent:
            choices = ", ".join(json.dumps(each) for each in schema["enum"] if each is not None)
            return f"Literal[{choices}]" + (" | None" if None in schema["enum"] else "")
        kinds = schema.get("type", "")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        return either(self._plain(kind, schema, field, sent=sent) for kind in kinds)

    def _plain(self, kind: str, schema: Schema, field: str, *, sent: bool) -> str:
        if kind == "array":
            return f"list[{self.name(schema.get('items', {}), field, sent=sent)}]"
        if kind == "object" and schema.get("additionalProperties"):
            return f"dict[str, {self.name(schema['additionalProperties'], field, sent=sent)}]"
        if kind == "string" and sent and is_reference(schema, field):
            return "Ref"
        return SCALARS.get(kind, "Any")

    def _component(self, component: str, *, sent: bool) -> str:
        name, schema = class_name(component), self.schemas[component]
        if name in self.made:
            return name
        if name in self._begun:  # recursive
            return "JsonObject"
        if "properties" not in schema:
            return self.name(schema, sent=sent)
        return self._object(name, schema, sent=sent)

    def fields(self, component: str, name: str, *, required: bool = True) -> str:
        """Return the type of a body as keyword arguments; those of `parameters` are flattened."""
        schema_of_body = self.schemas[component]
        inner = schema_of_body["properties"].get("parameters", {}).get("properties", {})
        beside = {"parameters": {"type": "object"}} if inner else {}
        required_fields = [each for each in schema_of_body.get("required", ()) if required]
        schema = {
            "properties": {**schema_of_body["properties"], **beside, **inner},
            "required": required_fields,
        }
        return self._object(name, schema, sent=True)

    def _object(self, name: str, schema: Schema, *, sent: bool) -> str:
        self._begun.add(name)
        fields = {
            field: self.name(inner, field, sent=sent)
            for field, inner in schema["properties"].items()
        }
        return self.dictionary(name, fields, set(schema.get("required", ())))

    def dictionary(self, name: str, fields: dict[str, str], required: set[str]) -> str:
        """Add a TypedDict and return its name."""
        total = 2 * len(required & set(fields)) > len(fields)
        marks = {field: "" if (field in required) == total else MARKS[total] for field in fields}
        marked = {
            field: f"{marks[field]}[{kind}]" for field, kind in fields.items() if marks[field]
        }
        inner = [f'"{field}": {kind}' for field, kind in (fields | marked).items()]
        end = "}" if total else "}, total=False"
        self.made.setdefault(name, statement(f'{name} = TypedDict("{name}", {{', inner, f"{end})"))
        return name


def either(kinds: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(each for kind in kinds for each in kind.split(" | ")))
    return "Any" if "Any" in distinct else " | ".join(distinct)


def is_reference(schema: Schema, field: str) -> bool:
    """Whether a string of a body is the URI of a resource, and not any web address."""
    long = schema.get("format") == "uri" or schema.get("maxLength") == 2048
    return long and not field.endswith(("url", "link"))


def statement(begin: str, inner: list[str], end: str) -> str:
    """Return the statement on one line, or its items wrapped on lines of their own."""
    if len(line := begin + ", ".join(inner) + end) <= WIDTH:
        return line
    indent = " " * (len(begin) - len(begin.lstrip()))
    lines = [begin]
    for item in inner:
        longer = f"{lines[-1]} {item},"
        fits = len(lines) > 1 and len(longer) <= WIDTH
        lines[-1:] = [longer] if fits else [lines[-1], f"{indent}    {item},"]
    return "\n".join([*lines, indent + end])
