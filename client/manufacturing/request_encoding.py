"""Encodes arguments as bodies, filters and references."""

import json
from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

JsonObject = dict[str, Any]  # what the API tells or takes without naming its members
Resource = JsonObject
Ref = str | Mapping[str, Any]  # a URI, or the resource itself
Filter = Ref | float | date | Collection[str] | Collection[Mapping[str, Any]] | None
COMPARED = {"_from": ">", "_to": "<"}  # as endings of filters: what follows is "="


def uri_of(resource: Ref) -> str:
    """The URI of a resource, or what is one already."""
    return resource if isinstance(resource, str) else str(resource["uri"])


def body_of(fields: Mapping[str, Any]) -> bytes:
    """The JSON of a body."""
    return json.dumps({name: referred(value) for name, value in fields.items()}).encode()


def referred(value: Any) -> Any:
    """A resource, also one in a list, as other resources refer to it; anything else as it is."""
    if isinstance(value, list | tuple):
        return [referred(each) for each in value]
    if not isinstance(value, dict):
        return value.isoformat() if isinstance(value, date) else value
    is_resource = "uri" in value and ("created" in value or "kind" in value or len(value) == 1)
    return value["uri"] if is_resource else {name: referred(each) for name, each in value.items()}


def nested(fields: Mapping[str, Any], names: Collection[str]) -> JsonObject:
    """A body in which these fields stand among its `parameters`."""
    within = {name: value for name, value in fields.items() if name in names}
    beside = {name: value for name, value in fields.items() if name not in names}
    if within:
        beside["parameters"] = {**(beside.get("parameters") or {}), **within}
    return beside


def list_query(
    *,
    sort: str = "",
    limit: int = 0,
    search: Mapping[str, str] | None = None,
    plain: Mapping[str, Any] | None = None,
    **filters: Any,
) -> dict[str, str]:
    """The arguments of a list."""
    query = {filter_name(name): query_text(value) for name, value in filters.items()}
    query |= {f"search[{name}]": value for name, value in (search or {}).items()}
    query |= {name: query_text(value) for name, value in (plain or {}).items()}
    query |= {"sort": sort} if sort else {}
    return query | ({"page[limit]": str(limit)} if limit else {})


def filter_name(name: str) -> str:
    """`created_from` asks for `filter[created]>=`, anything else for the field itself."""
    for ending, sign in COMPARED.items():
        if name.endswith(ending):
            return f"filter[{name.removesuffix(ending)}]{sign}"
    return f"filter[{name}]"


def query_text(value: Any) -> str:
    """A value of a filter, or several."""
    if isinstance(value, list | tuple | set):
        return ",".join(query_text(each) for each in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return uri_of(value) if isinstance(value, Mapping) else str(value)
