"""OpenAPI property descriptions from the glossary.toml files."""

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings

from core.api.openapi.response_types import JsonSchema

# Of the kernel's own answers, and beside each app's urls.
GLOSSARIES = (
    Path(__file__).with_name("glossary.toml"),
    *sorted((settings.BASE_DIR / "apps").glob("*/glossary.toml")),
)


@functools.cache
def glossary() -> Mapping[str, str]:
    """All sentences, by the name of their property: "status", or "Model.status" for one kind's.

    Raises ValueError where two glossaries say the same name differently.
    """
    said: dict[str, str] = {}
    for path in GLOSSARIES:
        for name, sentence in _read(tomllib.loads(path.read_text())):
            if said.setdefault(name, sentence) != sentence:
                raise ValueError(f"{path} says {name} otherwise than another glossary.")
    return said


def _read(table: Mapping[str, str | Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    for name, text in table.items():
        if isinstance(text, str):
            yield name, text
        else:
            yield from ((f"{name}.{inner}", sentence) for inner, sentence in text.items())


def properties(schemas: Mapping[str, JsonSchema]) -> Iterator[tuple[str, JsonSchema]]:
    """Every property of the components, those of objects within them too, as "Model.size.x"."""
    for component, schema in schemas.items():
        yield from _inside(kind_of(component), schema)


def _inside(path: str, schema: JsonSchema) -> Iterator[tuple[str, JsonSchema]]:
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}", inner
        yield from _inside(f"{path}.{name}", inner)
    for inner in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from _inside(path, inner)
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            yield from _inside(path, schema[word])


def kind_of(component: str) -> str:
    """Return the resource of a component: Model for Model, ModelRequest, PatchedModelRequest."""
    return re.sub(r"^Patched(?=.*Request$)|(?<=.)Request$", "", component)


def names_of(path: str) -> tuple[str, ...]:
    """Return the glossary keys of a property, the most specific first.

    A flat name contains dots: the last part of Model.analyses.manifold applies to all such names.
    """
    component, _, rest = path.partition(".")
    return (path, rest, rest.rpartition(".")[2]) if component else (rest,)


def explain(schemas: Mapping[str, JsonSchema]) -> None:
    """Add the glossary's description to each property that has none."""
    said = glossary()
    for path, schema in properties(schemas):
        if "description" not in schema:
            sentence = next((said[name] for name in names_of(path) if name in said), None)
            if sentence and "$ref" in schema:
                schema["allOf"] = [{"$ref": schema.pop("$ref")}]
            if sentence:
                schema["description"] = sentence
