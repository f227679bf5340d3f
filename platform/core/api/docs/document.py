"""View model of an OpenAPI document: resources, operations, schema tables.

Pure functions on documents: nothing of Django, and no request.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

VERBS = ("get", "post", "put", "delete")
_JSON = "application/json"
_WORDS = {
    ("string", "uri"): "URI",
    ("string", "uuid"): "UUID",
    ("string", "date-time"): "time",
    ("string", "date"): "date",
    ("string", None): "text",
    ("integer", None): "whole number",
    ("number", None): "number",
    ("boolean", None): "true or false",
    ("object", None): "object",
    ("null", None): "null",
}
_WRITTEN = ("text", "URI", "UUID", "time", "date")  # as text, in a form
_FORMS = {"whole number": "number", "number": "number", "true or false": "boolean"}
# How a caller is known, by the document's security schemes.
_KNOWN = {
    "session": "a session",
    "apiToken": "an API token",
    "deviceToken": "an agent's token",
}


@dataclass(frozen=True)
class Field:
    """A row of a table of properties.

    of   : the table of its properties, where it is an object
    form : the input type: text, number, boolean or json
    """

    name: str
    kind: str
    words: str
    required: bool
    of: str
    form: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Reply:
    """A response: its status, the table of its properties, and whether it is a list of them.

    example : an example of it
    """

    status: str
    words: str
    of: str
    listed: bool
    headers: tuple[str, ...]
    example: Any


@dataclass(frozen=True)
class Operation:
    """One method of one path.

    who    : the authentication; empty for public operations
    right  : the right that is needed besides
    events : events of the resource, by type
    bodies : the fields of a request body, for each of its kinds
    sent   : an example of a request body
    """

    name: str
    verb: str
    path: str
    summary: str
    words: str
    who: str
    right: str
    events: tuple[str, ...]
    inputs: tuple[Field, ...]
    query: tuple[Field, ...]
    headers: tuple[Field, ...]
    bodies: tuple[tuple[Field, ...], ...]
    sent: Any
    answers: tuple[Reply, ...]

    @property
    def writes(self) -> bool:
        """Whether it may change something."""
        return self.verb != "GET"


@dataclass(frozen=True)
class ResourcePage:
    """A resource: its operations, and the tables that they speak of, by name."""

    name: str
    operations: tuple[Operation, ...]
    tables: Mapping[str, tuple[Field, ...]]


def pages(document: Mapping[str, Any]) -> dict[str, ResourcePage]:
    """The pages of a document, by the names of their resources."""
    found: dict[str, list[Operation]] = {}
    for path, verbs in document["paths"].items():
        for verb in VERBS:
            if operation := verbs.get(verb):
                name = operation["tags"][0].replace(".", "-")
                found.setdefault(name, []).append(_operation(document, path, verb, operation))
    return {
        name: ResourcePage(name, tuple(operations), _tables(document, operations))
        for name, operations in sorted(found.items())
    }


def search(known: Mapping[str, ResourcePage], words: str) -> list[tuple[str, Operation]]:
    """Return the operations that contain all these words: page and operation, best first.

    Matches in the path or the summary rank above those in fields, answers and codes.
    """
    wanted = words.lower().split()
    found: list[tuple[int, str, Operation]] = []
    for name, page in known.items():
        for one in page.operations if wanted else ():
            heading = f"{one.verb} {one.path} {one.summary}".lower()
            fields = (
                *one.inputs,
                *one.query,
                *one.headers,
                *(each for b in one.bodies for each in b),
            )
            fields += tuple(
                field for answer in one.answers for field in page.tables.get(answer.of, ())
            )
            texts = [f"{field.name} {field.words}" for field in fields]
            texts += [f"{answer.status} {answer.words}" for answer in one.answers]
            text = " ".join([heading, one.words, one.right, *one.events, *texts]).lower()
            if all(word in text for word in wanted):
                found.append((sum(word not in heading for word in wanted), name, one))
    return [(name, one) for _, name, one in sorted(found, key=lambda each: each[0])]


def _operation(
    document: Mapping[str, Any], path: str, verb: str, operation: Mapping[str, Any]
) -> Operation:
    given = {
        place: tuple(
            _field(
                document,
                one["name"],
                one["schema"],
                one.get("description", ""),
                required=one.get("required", False),
            )
            for one in operation.get("parameters", ())
            if one["in"] == place
        )
        for place in ("path", "query", "header")
    }
    content = operation.get("requestBody", {}).get("content", {}).get(_JSON, {})
    body = content.get("schema")
    return Operation(
        name=operation["operationId"],
        verb=verb.upper(),
        path=path,
        summary=operation["summary"],
        words=operation.get("description", ""),
        who=_who(operation.get("security", ())),
        right=operation.get("x-right", ""),
        events=tuple(operation.get("x-events", ())),
        inputs=given["path"],
        query=given["query"],
        headers=given["header"],
        bodies=tuple(_bodies(document, body)) if body else (),
        sent=content.get("example"),
        answers=tuple(_answers(document, operation["responses"])),
    )


def _who(security: Any) -> str:
    known = [_KNOWN[name] for one in security for name in one]
    return "" if {} in security else " or ".join(known)


def _bodies(document: Mapping[str, Any], schema: Any) -> Iterator[tuple[Field, ...]]:
    schema = _resolved(document, schema)
    kinds = schema.get("anyOf") or schema.get("oneOf")
    for kind in kinds or [schema]:
        if fields := _fields(document, kind):
            yield fields


def _answers(document: Mapping[str, Any], responses: Mapping[str, Any]) -> Iterator[Reply]:
    for status, response in sorted(responses.items()):
        schema = response.get("content", {}).get(_JSON, {}).get("schema", {})
        of = _named(schema)
        inside = _resolved(document, schema).get("properties", {}).get("resources", {})
        listed = _named(inside.get("items", {})) if of.startswith("Paginated") else ""
        headers = tuple(response.get("headers", {}))
        words = response.get("description", "")
        example = response.get("content", {}).get(_JSON, {}).get("example")
        yield Reply(status, words, listed or of, bool(listed), headers, example)


def _tables(
    document: Mapping[str, Any], operations: list[Operation]
) -> dict[str, tuple[Field, ...]]:
    """The tables that these operations name, and those that they name in turn."""
    wanted = [answer.of for one in operations for answer in one.answers]
    wanted += [
        field.of
        for one in operations
        for fields in (*one.bodies, one.query, one.headers)
        for field in fields
    ]
    found: dict[str, tuple[Field, ...]] = {}
    while wanted:
        name = wanted.pop(0)
        if name and name not in found:
            found[name] = _fields(document, document["components"]["schemas"][name])
            wanted += [field.of for field in found[name]]
    return {name: fields for name, fields in found.items() if fields}


def _fields(document: Mapping[str, Any], schema: Any) -> tuple[Field, ...]:
    schema = _resolved(document, schema)
    needed = schema.get("required", ())
    return tuple(
        _field(document, name, one, one.get("description", ""), required=name in needed)
        for name, one in schema.get("properties", {}).items()
    )


def _field(
    document: Mapping[str, Any], name: str, schema: Any, words: str, *, required: bool
) -> Field:
    kinds = list(dict.fromkeys(_kinds(document, schema)))
    choices = tuple(str(one) for one in schema.get("enum", ()) if one is not None)
    plain = [kind for kind in kinds if kind != "null"]
    text = choices or all(kind in _WRITTEN for kind in plain)
    return Field(
        name=name,
        kind=" or ".join(kinds) or "anything",
        words=words,
        required=required,
        of=next(_objects(schema), ""),
        form="text" if text else _FORMS.get("".join(plain), "json"),
        choices=choices,
    )


def _kinds(document: Mapping[str, Any], schema: Any) -> Iterator[str]:
    """Yield the types that a value may have, in words."""
    for one in schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or ():
        yield from _kinds(document, one)
    if "$ref" in schema:
        inside = _resolved(document, schema)
        yield "object" if "properties" in inside else next(_kinds(document, inside), "anything")
        return
    if choices := schema.get("enum"):
        yield "one of " + ", ".join(str(one) for one in choices if one is not None)
        return
    kinds = schema.get("type", ())
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == "array":
            inside = " or ".join(_kinds(document, schema.get("items", {})))
            yield f"list of {inside or 'anything'}"
        else:
            key = (kind, schema.get("format"))
            yield _WORDS.get(key) or _WORDS.get((kind, None)) or kind


def _objects(schema: Any) -> Iterator[str]:
    """The names of the schemas that a value is made of."""
    if name := _named(schema):
        yield name
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from _objects(one)
    if "items" in schema:
        yield from _objects(schema["items"])


def _named(schema: Any) -> str:
    return schema.get("$ref", "").rpartition("/")[2]


def _resolved(document: Mapping[str, Any], schema: Any) -> Any:
    name = _named(schema)
    return document["components"]["schemas"][name] if name else schema
