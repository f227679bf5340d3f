"""Sales: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

CustomerShop = TypedDict("CustomerShop", {
    "name": str, "introduction": str, "language": str, "email": str, "phone": str, "website": str,
    "address": str, "logo": str | None, "style": str | None,
})
Step = TypedDict("Step", {"name": str, "done": bool, "at": str | None})
SharedLine = TypedDict("SharedLine", {
    "name": str, "picture": str | None, "material": str, "quantity": int, "net": float | None,
})
Totals = TypedDict("Totals", {
    "parts": float | None, "charges": float | None, "net": float | None, "taxes": list[JsonObject],
    "gross": float | None, "currency": str,
})
SharedQuote = TypedDict("SharedQuote", {
    "status": str, "valid_until": str, "totals": Totals, "accepted_by": str,
    "accepted_at": str | None,
})
SharedOrder = TypedDict("SharedOrder", {
    "number": int, "status": str, "steps": list[Step], "lines": list[SharedLine], "totals": Totals,
    "due_date": str | None, "quote": SharedQuote | None, "can_accept": bool,
})
OrderOfShareLink = TypedDict("OrderOfShareLink", {"shop": CustomerShop, "order": SharedOrder})
AcceptQuoteRequest = TypedDict("AcceptQuoteRequest", {"name": str})
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

    def get_o(self, o: Ref) -> OrderOfShareLink:
        """Read an order by a share link."""
        return self._get(o)

    def o_accept(self, o: Ref, /, **fields: Unpack[AcceptQuoteRequest]) -> None:
        """Accept the quote of an order by a share link."""
        self._post(self._at("accept/", o), fields)

    def visits(self, **asked: Unpack[VisitsFilters]) -> Iterator[Visit]:
        """List visits."""
        return self._list(self._at("/visit/"), asked)

    def visit(self, **fields: Unpack[VisitRequest]) -> Visit:
        """Begin a visit of a storefront."""
        return self._post(self._at("/visit/"), fields)

    def get_visit(self, visit: Ref) -> Visit:
        """Get a visit."""
        return self._get(visit)
