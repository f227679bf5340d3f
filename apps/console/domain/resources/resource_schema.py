"""Fields of resources as the OpenAPI documents of the services describe them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from apps.console.domain.messages import JsonValue, Row
from apps.console.domain.resources.resource_kinds import kinds_named

Json = Row

LONG_TEXT = 1000  # characters; longer texts are typed in a text area
# Not shown beside the title: technical, or shown elsewhere.
HIDDEN = ("uri", "bureau", "user_uri")
UNIT = re.compile(r", (mm³|cm³|mm|g/cm³|s|h|g|kg|ml|°C|min|%)(?=[.:;,])")
NULL = re.compile(r"\bnull\b")  # what a form calls an empty field
RIGHT = re.compile(r"`([\w.]+)` on")
SORTED_BY = re.compile(r"Any of ([\w, .]+);")


@dataclass(frozen=True)
class Field:
    """A field of a resource.

    name     : with a dot where it is inside an object
    form     : "text", "long", "email", "number", "integer", "boolean", "choice", "choices", "date",
               "datetime", "reference", "references", "lines" (a list of texts or numbers), "rows"
               (a list of objects with the numbers that `choices` names) or "json"
    targets  : kinds that it refers to
    fixed    : whether it is set at creation only
    item     : type of the items of a list
    """

    name: str
    form: str
    help: str = ""
    unit: str = ""
    required: bool = False
    nullable: bool = False
    fixed: bool = False
    choices: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None
    default: Any = None
    item: str = "string"

    def value_of(self, row: Json) -> Any:
        """Return the value in a resource; None where it has none."""
        value: JsonValue = row
        for part in self.name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value


@dataclass(frozen=True)
class Schema:
    """What a document says of a kind.

    shown    : fields of its representation
    created  : fields of the body that creates one; None where none can be created
    changed  : fields of the body that changes one; None where none can be changed
    filters, searches, sorts, counts : fields that its list takes
    deletes  : whether it can be deleted
    right    : that creating one needs; empty where every member may
    """

    shown: tuple[Field, ...]
    created: tuple[Field, ...] | None
    changed: tuple[Field, ...] | None
    deletes: bool
    filters: frozenset[str]
    searches: tuple[str, ...]
    sorts: frozenset[str]
    counts: frozenset[str]
    right: str

    def field(self, name: str) -> Field | None:
        """Return the field of the representation that has this name."""
        return next((field for field in self.shown if field.name == name), None)


def schemas(document: Json) -> dict[str, Schema]:
    """Return the kinds of a document that have a list, by their names."""
    paths = document["paths"]
    kind_names = frozenset(path.strip("/") for path in paths if path.count("/") == 2)
    return {
        name: _schema(document, kind_names, paths[f"/{name}/"], paths.get(f"/{name}/{{uuid}}/", {}))
        for name in kind_names
        if "get" in paths[f"/{name}/"] and _listed(document, paths[f"/{name}/"])
    }


def _schema(document: Json, kind_names: frozenset[str], collection: Json, one: Json) -> Schema:
    def of(schema: Json | None) -> tuple[Field, ...] | None:
        return None if schema is None else tuple(_fields(document, kind_names, schema))

    created = _body(collection.get("post"))
    changed = of(_body(one.get("put")))
    required = {field.name for field in of(created) or () if field.required}
    arguments = {each["name"]: each for each in collection["get"].get("parameters", ())}
    right = RIGHT.search(collection.get("post", {}).get("x-right", ""))
    sorts = SORTED_BY.search(arguments.get("sort", {}).get("description", ""))
    return Schema(
        shown=of(_listed(document, collection)) or (),
        created=() if created is None and "post" in collection else of(created),
        changed=changed
        and tuple(replace(each, required=each.name in required) for each in changed),
        deletes="delete" in one,
        filters=frozenset(re.findall(r"filter\[([\w.]+)\]", " ".join(arguments))),
        searches=tuple(re.findall(r"search\[([\w.]+)\]", " ".join(arguments))),
        sorts=frozenset(sorts[1].split(", ")) if sorts else frozenset(),
        counts=frozenset(arguments.get("count_by", {}).get("schema", {}).get("enum", ())),
        right=right[1] if right else "",
    )


def _listed(document: Json, collection: Json) -> Json | None:
    """The schema of the items of a list; None where a path returns no list."""
    answer = collection["get"]["responses"]["200"].get("content", {}).get("application/json", {})
    page = _resolved(document, answer.get("schema", {}))
    items = page.get("properties", {}).get("resources", {}).get("items")
    return _resolved(document, items) if items else None


def _body(operation: Json | None) -> Json | None:
    content = (operation or {}).get("requestBody", {}).get("content", {})
    schema: Json | None = content.get("application/json", {}).get("schema")
    return schema


def _resolved(document: Json, schema: Json) -> Json:
    """The schema that a reference, or the only alternative that is not null, leads to."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return {
            **_resolved(document, document["components"]["schemas"][name]),
            **_description(schema),
        }
    for word in ("allOf", "anyOf", "oneOf"):
        rest = [each for each in schema.get(word, ()) if each.get("type") != "null"]
        if rest:
            nullable = len(rest) < len(schema[word])
            result = {**_resolved(document, rest[0]), **_description(schema)}
            return {**result, "nullable": True} if nullable else result
    return schema


def _description(schema: Json) -> Json:
    return {"description": schema["description"]} if "description" in schema else {}


def _fields(
    document: Json, kind_names: frozenset[str], schema: Json, within: str = ""
) -> Iterator[Field]:
    resolved = _resolved(document, schema)
    for name, property_schema in resolved.get("properties", {}).items():
        result = _resolved(document, property_schema)
        if "properties" in result and not within:
            yield from _fields(document, kind_names, result, f"{name}.")
            continue
        field = _field(document, kind_names, f"{within}{name}", result)
        is_required = not within and name in resolved.get("required", ())
        yield replace(field, required=is_required)


def _field(document: Json, kind_names: frozenset[str], name: str, schema: Json) -> Field:
    types = schema.get("type", "object")
    kinds = {types} if isinstance(types, str) else set(types)
    text = schema.get("description", "")
    unit = UNIT.search(text)
    field = Field(
        name=name,
        form=_form(kinds - {"null"}, schema),
        help=NULL.sub("empty", text),
        unit=unit[1] if unit else "",
        nullable="null" in kinds or schema.get("nullable", False),
        fixed="fixed at creation" in text,
        choices=tuple(each for each in schema.get("enum", ()) if each is not None),
        minimum=schema.get("minimum"),
        maximum=schema.get("maximum", schema.get("exclusiveMaximum")),
        max_length=schema.get("maxLength"),
        default=schema.get("default", True if "default true" in text else None),
    )
    if field.form == "list":
        return _list(document, kind_names, field, schema)
    targets = kinds_named(name, kind_names) if _is_uri(schema) else ()
    return replace(field, form="reference", targets=targets) if targets else field


def _list(document: Json, kind_names: frozenset[str], field: Field, schema: Json) -> Field:
    items = _resolved(document, schema.get("items", {}))
    targets = kinds_named(field.name, kind_names) if _is_uri(items) else ()
    if targets:
        return replace(field, form="references", targets=targets)
    if "enum" in items:
        return replace(field, form="choices", choices=tuple(items["enum"]))
    if items.get("type") in ("string", "integer", "number"):
        return replace(field, form="lines", item=items["type"])
    columns = items.get("properties", {})
    if columns and all(_is_number(each) for each in columns.values()):
        return replace(field, form="rows", choices=tuple(columns))
    return replace(field, form="json")


def _is_number(schema: Json) -> bool:
    types = schema.get("type", "")
    return "number" in ([types] if isinstance(types, str) else types)


def _is_uri(schema: Json) -> bool:
    return schema.get("format") == "uri" or schema.get("maxLength") == 2048


def _form(types: set[str], schema: Json) -> str:
    if "enum" in schema:
        return "choice"
    formats = {"date": "date", "date-time": "datetime", "email": "email"}
    if types == {"string"}:
        is_long = schema.get("maxLength", 0) > LONG_TEXT and not _is_uri(schema)
        return formats.get(schema.get("format", ""), "long" if is_long else "text")
    kind_names = {"array": "list", "boolean": "boolean", "integer": "integer", "number": "number"}
    return kind_names.get(next(iter(types)) if len(types) == 1 else "", "json")
