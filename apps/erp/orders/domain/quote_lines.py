"""Lines of a quote: what is offered of each line item, and asked once of the order."""

from collections.abc import Iterable
from typing import Any

from apps.erp.orders.domain import cost_terms, line_prices
from apps.erp.orders.domain.cost_estimate import number, term_json
from apps.erp.orders.models.orders import LineItem, Order
from core.money import rounded
from pricing.making import CostTerm

Plain = dict[str, Any]  # a line, or a part of one, as JSON


def lines_of(order: Order, items: Iterable[LineItem], sold: line_prices.Sum | None) -> list[Plain]:
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


def _line(item: LineItem) -> Plain:
    found = item.estimates or {}
    links = {
        name: getattr(item, name).uri if getattr(item, name) else None
        for name in ("base_material", "support_material", "workflow")
    }
    return {
        "line_item": item.uri,
        "name": item.name,
        "quantity": item.quantity,
        "model": item.model_uri,
        "materials": {"base": links["base_material"], "support": links["support_material"]},
        "workflow": links["workflow"],
        "config": item.config_uri,
        "amount": _amount_of(item),
        "lead_time": found.get("lead_time"),
        "lead_time_reason": found.get("lead_time_reason"),
        "terms": found.get("terms", []),
        "conversion": found.get("conversion"),
        "price": item.price,
        "review": _for_customers(item.review),
    }


def _amount_of(item: LineItem) -> float | None:
    """What it is sold for; at cost where no list sells it."""
    if item.price is not None:
        return item.price["net"]
    cost = (item.estimates or {}).get("cost", {})
    return None if item.review else cost.get("amount")


def _for_customers(review: list[Plain] | None) -> list[Plain] | None:
    """Return why there is no price, without what only the bureau may see."""
    return review and [{"code": each["code"], "title": each["title"]} for each in review]


def _asks_once(sold: line_prices.Sum) -> bool:
    return bool(sold.review) or (sold.once is not None and bool(sold.once.terms))


def _order_line(order: Order, sold: line_prices.Sum) -> Plain:
    price, review = None, None
    if sold.once is not None:
        terms = sold.once.terms
        price = {
            "net": number(sold.once_net),
            "currency": order.currency,
            "terms": [
                {"step": term.step, "sentence": term.sentence, "amount": number(term.amount)}
                for term in terms
            ],
        }
    else:
        review = [{"code": each.code, "title": each.title} for each in sold.review]
    return {
        **_ORDERS_OWN,
        "name": "order",
        "amount": price and price["net"],
        "terms": [],
        "conversion": None,
        "price": price,
        "review": review,
    }


# Of a line that is no line item's.
_ORDERS_OWN: Plain = {
    "line_item": None,
    "quantity": 1,
    "model": None,
    "materials": {"base": None, "support": None},
    "workflow": None,
    "config": None,
    "lead_time": 0,
    "lead_time_reason": None,
}


def _shipping_line(order: Order, term: CostTerm) -> Plain:
    rate = cost_terms.rate_of(order.bureau, order.currency)
    amount = rate.convert(term.amount)
    return {
        **_ORDERS_OWN,
        "name": "shipping",
        "amount": None if amount is None else number(rounded(amount, order.currency)),
        "terms": [term_json(term)],
        "conversion": rate.as_json(),
        "price": None,
        "review": None,
    }
