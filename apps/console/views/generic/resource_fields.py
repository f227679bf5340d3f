"""Choices of the fields that refer to other resources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from apps.console.domain.messages import Context, JsonValue, Row
from apps.console.domain.resources.resource_forms import FIND, Choices
from apps.console.domain.resources.resource_kinds import BY_NAME, OFFERED, UNLISTED, service_of
from apps.console.views.base.names import Names, schemas_of
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from apps.console.domain.resources.resource_schema import Field
    from apps.console.views.base.page import PageContext

MAX_OFFERED = 200  # names in a select; more are found by their text
OWNED = ("membership-bureau", "membership-location")  # whose people are not members yet


def choices_of(
    visit: PageContext,
    kind: str,
    fields: Iterable[Field],
    names: Names,
    values: Row,
) -> dict[str, Choices]:
    """Return the choices of each field that refers to resources, and the searches of long ones.

    values : of the form, which stay among the choices
    """
    result: dict[str, Choices] = {}
    for field in fields:
        if not field.targets or field.targets[0] in UNLISTED or field.name == "bureau":
            continue
        if field.targets == ("users",) and kind in OWNED:
            continue
        sought = str(values.get(f"{FIND}{field.name}") or "")
        offered, is_long = _offered(visit, field, names, sought)
        offered += _selected(names, values.get(field.name), {uri for uri, _name in offered})
        result[field.name] = offered
        if is_long:
            result[f"{FIND}{field.name}"] = [(sought, "")]
    return result


def _offered(
    visit: PageContext, field: Field, names: Names, sought: str
) -> tuple[list[tuple[str, Any]], bool]:
    """The resources that a field may refer to, and whether these are not all."""
    if field.targets == ("users",):
        return [(row["uri"], row["name"] or row["username"]) for row in visit.members], False
    groups: list[tuple[str, Any]] = []
    is_long = bool(sought)
    for target in field.targets:
        rows, count = _rows(visit, target, field.name, sought)
        is_long |= count > len(rows)
        names.load(_within(target, rows))
        group = [(row["uri"], names.title(target, row)) for row in rows]
        title = str(BY_NAME[target].title) if target in BY_NAME else target
        groups += [(title, group)] if len(field.targets) > 1 else group
    return groups, is_long


def _rows(visit: PageContext, kind: str, field: str, sought: str) -> tuple[list[JsonValue], int]:
    """The first resources of a kind in the current shop that have these words in their name."""
    service = service_of(kind)
    query: Context = {"page[limit]": MAX_OFFERED, **OFFERED.get(field, {})}
    if sought:
        query["search[name]"] = sought
    schema = schemas_of(visit, service).get(kind) if service in ("erp", "callbacks") else None
    if schema and visit.shop and "bureau" in schema.filters:
        query["filter[bureau]"] = visit.shop["uri"]
    if schema and "name" in schema.sorts:
        query["sort"] = "name"
    if schema and "name" not in schema.searches:
        query.pop("search[name]", None)
    try:
        result = visit.api.list(service, f"/{kind}/", **query)
    except ApiError:  # a kind that the visitor may not read
        return [], 0
    return result["resources"], result["meta"]["count"]


def _within(kind: str, rows: Iterable[Row]) -> list[str]:
    titles = BY_NAME[kind].titles if kind in BY_NAME else ()
    return [row[name] for row in rows for name in titles if isinstance(row.get(name), str)]


def _selected(names: Names, value: JsonValue, offered: set[str]) -> list[tuple[str, Any]]:
    """The values that a form has already and that are not among the choices."""
    values = value if isinstance(value, list) else [value]
    missing = [each for each in values if isinstance(each, str) and each and each not in offered]
    missing = [each for each in missing if each.startswith("http")]
    names.load(missing)
    return [(uri, names.text(uri)) for uri in missing]
