"""Viewset for collections that live in memory instead of a table."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Q
from rest_framework.request import Request

from core.api.lists.list_queries import ListQuery
from core.api.lists.pagination import asked_url, page_of
from core.api.renderers import Response
from core.api.views import ResourceViewSet
from core.errors import NotFound

Item = TypeVar("Item")

_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "exact": lambda value, wanted: value == wanted,
    "in": lambda value, wanted: value in wanted,
    "lt": lambda value, wanted: value is not None and value < wanted,
    "lte": lambda value, wanted: value is not None and value <= wanted,
    "gt": lambda value, wanted: value is not None and value > wanted,
    "gte": lambda value, wanted: value is not None and value >= wanted,
    # A list's search asks for a part alone; what it made of it is turned back.
    "like": lambda value, wanted: _part(wanted) in str(value or "").casefold(),
}


class InMemoryViewSet(ResourceViewSet):
    """Read-only viewset of items in memory that have the columns of a table as attributes."""

    def held(self) -> Iterable[Any]:
        """What the caller may read."""
        raise NotImplementedError

    def list(self, request: Request, **keys: Any) -> Response:
        arguments = request.query_params
        asked = self.listing.read(arguments, kind=self.kind_listed())
        found, links, meta = page_of(
            chosen(self.held(), asked), asked, url=asked_url(request._request), arguments=arguments
        )
        return Response({"links": links, "meta": meta, "resources": self.represent_all(found)})

    def row(self, uuid: UUID) -> Any:
        for item in self.held():
            if item.uuid == uuid:
                return item
        raise NotFound("There is no such resource, or not for you.")


def chosen(items: Iterable[Item], asked: ListQuery) -> list[Item]:
    """Return the items that match, in the requested order; items without a value are last."""
    found = [item for item in items if _holds(asked.conditions, item)]
    for name in reversed(asked.order):
        column = name.lstrip("-")
        found.sort(key=lambda item: _place(_value(item, column)), reverse=name.startswith("-"))
    return found


def _holds(condition: Any, item: Any) -> bool:
    if not isinstance(condition, Q):
        lookup, wanted = condition
        column, _, comparison = lookup.partition("__")
        return _COMPARED[comparison or "exact"](_value(item, column), wanted)
    several = any if condition.connector == Q.OR else all
    holds = several(_holds(child, item) for child in condition.children) or not condition.children
    return holds != condition.negated


def _value(item: Any, column: str) -> Any:
    return getattr(item, "uuid" if column == "pk" else column)


def _place(value: Any) -> tuple[bool, Any]:
    return value is None, 0 if value is None else value


def _part(pattern: str) -> str:
    r"""Return the text of `%text%`, in which `\` escapes a literal wildcard."""
    words = pattern[1:-1]
    for letter in ("%", "_", "\\"):
        words = words.replace(f"\\{letter}", letter)
    return words.casefold()
