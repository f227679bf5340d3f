"""The numbers and dates of an OpenAPI document's request bodies and queries, and their extremes."""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

NUMBERS = (
    -(2.0**1023),
    -1,
    0,
    5e-324,
    0.5,
    1,
    2**31,
    10**12 - 1,
    10**16 - 1,
    2**64,
    2.0**1023,
)
DATES = ("0001-01-01", "1582-10-15", "9999-12-31", "10000-01-01")
TIMES = (
    "0001-01-01T00:00:00+14:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-14:00",
)


class NumericInput(NamedTuple):
    """A number or a date of a request: where it stands, and what its schema says."""

    place: tuple[str | int, ...]
    schema: dict[str, Any]

    @property
    def extremes(self) -> tuple[Any, ...]:
        """Values at the ends of every range that code and columns may have, and of its own."""
        if self.schema.get("format") == "date":
            return DATES
        if self.schema.get("format") == "date-time":
            return TIMES + DATES
        bounds = (self.schema.get("minimum"), self.schema.get("maximum"))
        return (*NUMBERS, *(bound for bound in bounds if bound is not None))


def inputs_of(document: dict[str, Any], schema: dict[str, Any]) -> Iterator[NumericInput]:
    """All numbers and dates of a schema, however deep."""
    yield from _walk(document, schema, (), ())


def _walk(
    document: dict[str, Any], schema: dict[str, Any], place: tuple, above: tuple
) -> Iterator[NumericInput]:
    name = schema.get("$ref", "").rpartition("/")[2]
    if name:
        if name in above:
            return
        schema, above = document["components"]["schemas"][name], (*above, name)
    kinds = schema.get("type", ())
    kinds = {kinds} if isinstance(kinds, str) else set(kinds)
    if kinds & {"number", "integer"} or schema.get("format") in ("date", "date-time"):
        yield NumericInput(place, schema)
    for part in (*schema.get("allOf", ()), *schema.get("oneOf", ()), *schema.get("anyOf", ())):
        yield from _walk(document, part, place, above)
    for name, inner in schema.get("properties", {}).items():
        if not inner.get("readOnly"):
            yield from _walk(document, inner, (*place, name), above)
    if "items" in schema:
        yield from _walk(document, schema["items"], (*place, 0), above)


def with_value(body: Any, place: tuple[str | int, ...], value: Any) -> Any:
    """The body with this value at this place; what is not there on the way to it is made."""
    changed = body = copy.deepcopy(body)
    for step, following in zip(place, (*place[1:], None), strict=True):
        inner = value if following is None else [] if isinstance(following, int) else {}
        if isinstance(step, int):
            if not changed:
                changed.append(inner)
            elif following is None:
                changed[0] = value
        elif following is None or not isinstance(changed.get(step), type(inner)):
            changed[step] = inner
        changed = changed[step]
    return body
