"""Orders, line items and quotes for readers who may not see prices: amounts are null.

Names, quantities, units and reasons stay: they say how a part is made, and what is missing for it.
"""

from collections.abc import Iterable

from apps.erp.orders.domain.prices.order_totals import OrderTotals
from apps.erp.orders.domain.response_types import (
    CostAnswer,
    EstimatesAnswer,
    LineAnswer,
    TermAnswer,
)
from core.api.openapi.response_types import FreeJson

_LINE = dict.fromkeys(("amount", "conversion", "price"))
_QUOTE = dict.fromkeys(("amount", "net", "gross"))


def estimates_without_costs(estimates: EstimatesAnswer | None) -> EstimatesAnswer | None:
    """Return estimates with times and material, and null for each amount."""
    if estimates is None:
        return None
    each = estimates["per_piece"]
    return {
        **estimates,
        "cost": _unknown(estimates["cost"]),
        "conversion": None,
        "per_piece": {**each, "cost": _unknown(each["cost"])},
        "terms": _terms(estimates["terms"]),
    }


def quote_without_prices(quote: FreeJson) -> FreeJson:
    """Return a quote's representation with its lines, and null for each amount."""
    lines: list[LineAnswer] = quote["lines"]
    totals: OrderTotals = {
        "parts": None,
        "charges": None,
        "net": None,
        "taxes": [],
        "gross": None,
        "currency": quote["currency"],
    }
    hidden = [{**line, **_LINE, "terms": _terms(line["terms"])} for line in lines]
    return {**quote, **_QUOTE, "taxes": [], "lines": hidden, "totals": totals}


def _terms(terms: Iterable[TermAnswer]) -> list[TermAnswer]:
    return [{**term, "price": None, "factor": None, "amount": None} for term in terms]


def _unknown(cost: CostAnswer) -> CostAnswer:
    return {**cost, "amount": None}
