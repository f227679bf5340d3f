"""Sales: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

VisitsFilters = TypedDict("VisitsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "storefront": Filter,
    "uri": Filter, "sort": str, "limit": int,
}, total=False)
Visit = TypedDict("Visit", {
    "uri": str, "created": str, "storefront": str, "bureau": str, "expires": str,
    "token": str | None, "secret": str | None,
})
VisitRequest = TypedDict("VisitRequest", {"storefront": str})


class Sales(Methods):
    """Sales to visitors of storefronts."""

    NAME = "sales"

    def visits(self, **asked: Unpack[VisitsFilters]) -> Iterator[Visit]:
        """List visits."""
        return self._list(self._at("/visit/"), asked)

    def visit(self, **fields: Unpack[VisitRequest]) -> Visit:
        """Begin a visit of a storefront."""
        return self._post(self._at("/visit/"), fields)

    def get_visit(self, visit: Ref) -> Visit:
        """Get a visit."""
        return self._get(visit)
