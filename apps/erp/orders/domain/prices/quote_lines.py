"""Lines of a quote: what is offered of each line item, and asked once of the order."""

from collections.abc import Iterable, Sequence

from apps.erp.orders.domain.prices import cost_terms, line_prices
from apps.erp.orders.domain.prices.cost_estimate import number, term_json
from apps.erp.orders.domain.response_types import (
    ConvertedAnswer,
    LineAnswer,
    LinePriceAnswer,
    TermAnswer,
)
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.organisation.models.master_data import Material
from apps.erp.organisation.models.workflows import Workflow
from core.money import rounded
from pricing.making import CostTerm
from pricing.manual_review import ReviewAnswer


def lines_of(
    order: Order, items: Iterable[LineItem], sold: line_prices.Sum | None
) -> list[LineAnswer]:
    """What is offered: one a line item, and one for what is asked once of the order.

    At cost that is its own way of shipping, where no line item's workflow has a step that ships;
    by a list of prices what the list says.
    """
    lines = [_line(item) for item in items]
    if sold is not None:
        return [*lines, _order_line(order, sold)] if _asks_once(sold) else lines
    shipped = any(term["name"] == "shipping" for line in lines for term in line["terms"])
    if order.shipping is None or shipped:
        return lines
    return [*lines, _shipping_line(order, cost_terms.shipping_term(order.shipping))]


def _line(item: LineItem) -> LineAnswer:
    found = item.estimates or {}
    base, support = item.base_material_id, item.support_material_id
    return {
        "line_item": item.uri,
        "name": item.name,
        "quantity": item.quantity,
        "model": item.model_uri,
        "materials": {
            "base": Material.uri_of(base) if base else None,
            "support": Material.uri_of(support) if support else None,
        },
        "workflow": Workflow.uri_of(item.workflow_id) if item.workflow_id else None,
        "config": item.config_uri,
        "amount": _amount_of(item),
        "lead_time": found.get("lead_time"),
        "lead_time_reason": found.get("lead_time_reason"),
        "terms": found.get("terms", []),
        "conversion": found.get("conversion"),
        "price": item.price,
        "review": for_customers(item.review),
    }


def _amount_of(item: LineItem) -> float | None:
    """What it is sold for; at cost where no list sells it."""
    if item.price is not None:
        return item.price["net"]
    cost = (item.estimates or {}).get("cost", {})
    return None if item.review else cost.get("amount")


def for_customers(review: list[ReviewAnswer] | None) -> list[ReviewAnswer] | None:
    """Return why there is no price, without what only the bureau may see."""
    return review and [{"code": each["code"], "title": each["title"]} for each in review]


def _asks_once(sold: line_prices.Sum) -> bool:
    return bool(sold.review) or (sold.once is not None and bool(sold.once.terms))


def _order_line(order: Order, sold: line_prices.Sum) -> LineAnswer:
    if sold.once is None:
        review = [each.for_customer() for each in sold.review]
        return _own_line("order", amount=None, review=review)
    price: LinePriceAnswer = {
        "net": float(sold.once_net or 0),
        "currency": order.currency,
        "terms": [
            {"step": term.step, "sentence": term.sentence, "amount": float(term.amount)}
            for term in sold.once.terms
        ],
    }
    return _own_line("order", amount=price["net"], price=price)


def _shipping_line(order: Order, term: CostTerm) -> LineAnswer:
    rate = cost_terms.rate_of(order.bureau, order.currency)
    amount = rate.convert(term.amount)
    return _own_line(
        "shipping",
        amount=None if amount is None else number(rounded(amount, order.currency)),
        terms=[term_json(term)],
        conversion=rate.as_json(),
    )


def _own_line(
    name: str,
    *,
    amount: float | None,
    terms: Sequence[TermAnswer] = (),
    conversion: ConvertedAnswer | None = None,
    price: LinePriceAnswer | None = None,
    review: list[ReviewAnswer] | None = None,
) -> LineAnswer:
    """Return a line that is no line item's."""
    return {
        "line_item": None,
        "name": name,
        "quantity": 1,
        "model": None,
        "materials": {"base": None, "support": None},
        "workflow": None,
        "config": None,
        "amount": amount,
        "lead_time": 0,
        "lead_time_reason": None,
        "terms": list(terms),
        "conversion": conversion,
        "price": price,
        "review": review,
    }
