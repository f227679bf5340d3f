"""Orders, line items, quotes and price tables for readers who may not see prices: amounts are null.

Names, quantities, units and reasons stay: they say how a part is made, and what is missing for it.
"""

from apps.erp.orders.domain.order_totals import OrderTotals
from apps.erp.orders.domain.quote_lines import Plain

_LINE = dict.fromkeys(("amount", "conversion", "price"))
_QUOTE = dict.fromkeys(("amount", "net", "gross"))
_CELL = dict.fromkeys(("unit", "unit_of", "net", "tax", "gross"))
_TERM = dict.fromkeys(("price", "factor", "amount"))


def estimates_without_costs(estimates: Plain | None) -> Plain | None:
    """Return estimates with times and material, and null for each amount."""
    if estimates is None:
        return None
    hidden = {"cost": _unknown(estimates["cost"]), "conversion": None}
    each = estimates["per_piece"]
    return {
        **estimates,
        **hidden,
        "per_piece": {**each, "cost": _unknown(each["cost"])},
        "terms": _terms(estimates["terms"]),
    }


def quote_without_prices(quote: Plain) -> Plain:
    """Return a quote's representation with its lines, and null for each amount."""
    lines = [{**line, **_LINE, "terms": _terms(line["terms"])} for line in quote["lines"]]
    totals: OrderTotals = {
        "parts": None,
        "charges": None,
        "net": None,
        "taxes": [],
        "gross": None,
        "currency": quote["currency"],
    }
    return {**quote, **_QUOTE, "taxes": [], "lines": lines, "totals": totals}


def cells_without_prices(cells: list[Plain]) -> list[Plain]:
    """Return the cells of a price table with null for each amount, and no terms."""
    return [{**cell, **_CELL, "terms": []} for cell in cells]


def _terms(terms: list[Plain]) -> list[Plain]:
    return [{**term, **_TERM} for term in terms]


def _unknown(cost: Plain) -> Plain:
    return {**cost, "amount": None}
