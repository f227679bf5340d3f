"""Status labels of orders, line items, pieces and runs; cost rows."""

from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import Told, duration
from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT


@dataclass(frozen=True)
class State:
    """A state as a sign (GOOD, CARE, BAD or WAIT) and a word."""

    sign: str
    words: str | Promise


LINE_ITEMS = {
    "new": State(WAIT, gettext_lazy("It is being estimated.")),
    "calculating_estimates": State(WAIT, gettext_lazy("It is being estimated.")),
    "pending": State(CARE, gettext_lazy("It waits to be confirmed.")),
    "confirmed": State(WAIT, gettext_lazy("It waits to be printed.")),
    "queued": State(WAIT, gettext_lazy("It is in a run.")),
    "printing": State(WAIT, gettext_lazy("It is being printed.")),
    "post-processing": State(WAIT, gettext_lazy("It is being finished.")),
    "shipping": State(WAIT, gettext_lazy("It is being sent.")),
    "complete": State(GOOD, gettext_lazy("It is complete.")),
    "cancelled": State(BAD, gettext_lazy("It is cancelled.")),
    "error": State(BAD, gettext_lazy("It cannot be made.")),
}
ORDERS = {
    "new": State(CARE, gettext_lazy("not confirmed")),
    "confirmed": State(WAIT, gettext_lazy("confirmed")),
    "in-progress": State(WAIT, gettext_lazy("being made")),
    "complete": State(GOOD, gettext_lazy("complete")),
    "cancelled": State(BAD, gettext_lazy("cancelled")),
}
PIECES = {
    "created": State(WAIT, gettext_lazy("waits for a run")),
    "queued": State(WAIT, gettext_lazy("in a run")),
    "in-progress": State(WAIT, gettext_lazy("being made")),
    "complete": State(GOOD, gettext_lazy("complete")),
    "error": State(BAD, gettext_lazy("went wrong")),
    "cancelled": State(BAD, gettext_lazy("cancelled")),
}
RUNS = {
    "created": State(WAIT, gettext_lazy("It waits to be packed.")),
    "calculating": State(WAIT, gettext_lazy("It is being packed.")),
    "calculated": State(GOOD, gettext_lazy("It is packed.")),
    "queued": State(WAIT, gettext_lazy("It waits for its printer.")),
    "in-progress": State(WAIT, gettext_lazy("It is being made.")),
    "complete": State(GOOD, gettext_lazy("It is complete.")),
    "error": State(BAD, gettext_lazy("It went wrong.")),
}
PRINTERS = {
    "idle": State(GOOD, gettext_lazy("free")),
    "printing": State(WAIT, gettext_lazy("prints")),
    "offline": State(CARE, gettext_lazy("not connected")),
    "error": State(BAD, gettext_lazy("needs help")),
    "unknown": State(CARE, gettext_lazy("not known how it is")),
}
# What an estimate consists of, by the API's names.
TERMS: dict[str, Promise] = {
    "material": gettext_lazy("Material"),
    "support_material": gettext_lazy("Supports"),
    "machine_time": gettext_lazy("Machine time"),
    "overhead": gettext_lazy("Setting up"),
    "post_processing": gettext_lazy("Finishing"),
    "shipping": gettext_lazy("Shipping"),
}
UNITS: dict[str, str | Promise] = {
    "cc": "cm³",
    "h": "h",
    "piece": gettext_lazy("pieces"),
    "shipment": gettext_lazy("parcels"),
}


def money(amount: float, currency: str) -> str:
    """An amount as the API tells it, with the signs of the page's language."""
    return f"{number_format(amount, 2, force_grouping=True)} {currency}"


def costs(item: dict[str, Any]) -> list[tuple[Any, str]]:
    """What a line item takes and costs: label and figure of each that is known."""
    found = item["estimates"]
    if not found:
        return []
    lines: list[tuple[Any, str]] = []
    if price := item["price"]:
        lines.append((_("Price"), money(price.get("gross", price["net"]), price["currency"])))
    if found["cost"]["amount"] is not None:
        lines.append((_("Costs you"), money(found["cost"]["amount"], found["cost"]["currency"])))
    if found["print_time"]:
        lines.append((_("Printing takes"), duration(found["print_time"])))
    if found["material"] is not None:
        lines.append((_("Material"), f"{number_format(found['material'], 1)} cm³"))
    return lines


def terms(item: dict[str, Any]) -> list[tuple[Any, str, Told]]:
    """What its cost consists of: label, how it is computed, and the amount or why there is none."""
    return [
        (TERMS.get(term["name"], term["name"]), _how(term), _amount(term))
        for term in (item["estimates"] or {}).get("terms", [])
    ]


def _how(term: dict[str, Any]) -> str:
    if term["quantity"] is None or term["price"] is None:
        return ""
    factor = "" if term["factor"] == 1 else f" × {term['factor']:g}"
    unit = UNITS.get(term["unit"], term["unit"])
    return f"{number_format(term['quantity'], 2)} {unit} × {number_format(term['price'])}{factor}"


def _amount(term: dict[str, Any]) -> Told:
    if term["amount"] is not None:
        return Told(number_format(term["amount"], 2))
    reason = Told(term["reason"] or "–")
    reason.lang = "en"
    return reason
