"""Status labels of orders, line items, pieces and runs; cost rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import LocalizedText, Row, duration
from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT

if TYPE_CHECKING:
    from manufacturing.generated.erp import LineItem, SlicedWith, Term, Totals


@dataclass(frozen=True)
class State:
    """A state as a sign (GOOD, CARE, BAD or WAIT) and a word."""

    sign: str
    words: str | Promise


BUSY = ("new", "calculating_estimates")  # line items whose estimate is awaited
CHANGEABLE = (*BUSY, "pending", "error")  # those that are not confirmed
LINE_ITEMS = {
    "new": State(WAIT, gettext_lazy("Estimating")),
    "calculating_estimates": State(WAIT, gettext_lazy("Estimating")),
    "pending": State(CARE, gettext_lazy("Awaiting confirmation")),
    "confirmed": State(WAIT, gettext_lazy("Ready for production")),
    "queued": State(WAIT, gettext_lazy("Scheduled")),
    "printing": State(WAIT, gettext_lazy("Printing")),
    "post-processing": State(WAIT, gettext_lazy("Post-processing")),
    "shipping": State(WAIT, gettext_lazy("Shipping")),
    "complete": State(GOOD, gettext_lazy("Completed")),
    "cancelled": State(BAD, gettext_lazy("Cancelled")),
    "error": State(BAD, gettext_lazy("Failed")),
}
ORDERS = {
    "new": State(CARE, gettext_lazy("Unconfirmed")),
    "confirmed": State(WAIT, gettext_lazy("Confirmed")),
    "in-progress": State(WAIT, gettext_lazy("In production")),
    "complete": State(GOOD, gettext_lazy("Completed")),
    "cancelled": State(BAD, gettext_lazy("Cancelled")),
}
# Steps of an order, as its customer sees them.
STAGES = {
    "review": ORDERS["new"],
    "quote": State(CARE, gettext_lazy("Quote sent")),
    "confirmed": ORDERS["confirmed"],
    "production": ORDERS["in-progress"],
    "ready": State(CARE, gettext_lazy("Ready to ship")),
    "shipped": ORDERS["complete"],
    "cancelled": ORDERS["cancelled"],
}
PIECES = {
    "created": State(WAIT, gettext_lazy("Unscheduled")),
    "queued": State(WAIT, gettext_lazy("Scheduled")),
    "in-progress": State(WAIT, gettext_lazy("In production")),
    "complete": State(GOOD, gettext_lazy("Completed")),
    "error": State(BAD, gettext_lazy("Rejected")),
    "cancelled": State(BAD, gettext_lazy("Cancelled")),
}
RUNS = {
    "created": State(WAIT, gettext_lazy("Queued for packing")),
    "calculating": State(WAIT, gettext_lazy("Packing")),
    "calculated": State(GOOD, gettext_lazy("Packed")),
    "queued": State(WAIT, gettext_lazy("Queued for printing")),
    "in-progress": State(WAIT, gettext_lazy("In progress")),
    "complete": State(GOOD, gettext_lazy("Completed")),
    "error": State(BAD, gettext_lazy("Failed")),
}
PREPARED = State(GOOD, gettext_lazy("Ready"))  # a build of uploaded G-code, which is not packed
RECEIVED = {
    "processing": State(WAIT, gettext_lazy("Processing")),
    "waiting": State(CARE, gettext_lazy("Waiting")),
    "done": State(GOOD, gettext_lazy("Received")),
    "error": State(BAD, gettext_lazy("Failed")),
}
DOCUMENTS = {
    "processing": State(WAIT, gettext_lazy("Creating PDF")),
    "processed": State(GOOD, gettext_lazy("Issued")),
    "error": State(BAD, gettext_lazy("PDF failed")),
}
SHIPMENTS = {
    "open": State(WAIT, gettext_lazy("Packed")),
    "shipped": State(GOOD, gettext_lazy("Shipped")),
    "cancelled": State(BAD, gettext_lazy("Cancelled")),
}
PRINTERS = {
    "idle": State(GOOD, gettext_lazy("Ready")),
    "printing": State(WAIT, gettext_lazy("Printing")),
    "offline": State(CARE, gettext_lazy("Offline")),
    "error": State(BAD, gettext_lazy("Error")),
    "unknown": State(CARE, gettext_lazy("Unknown")),
}
# What an estimate consists of, by the API's names.
TERMS: dict[str, Promise] = {
    "material": gettext_lazy("Material"),
    "support_material": gettext_lazy("Supports"),
    "machine_time": gettext_lazy("Machine time"),
    "energy": gettext_lazy("Energy"),
    "overhead": gettext_lazy("Setup"),
    "post_processing": gettext_lazy("Post-processing"),
    "shipping": gettext_lazy("Shipping"),
}
UNITS: dict[str, str | Promise] = {
    "cc": "cm³",
    "h": "h",
    "piece": gettext_lazy("pieces"),
    "shipment": gettext_lazy("parcels"),
}


def state_of_run(run: Row) -> State:
    """The state of a build."""
    is_prepared = run["status"] == "calculated" and run["gcode"]
    return PREPARED if is_prepared else RUNS[run["status"]]


def money(amount: float, currency: str) -> str:
    """An amount as the API tells it, with the signs of the page's language."""
    return f"{number_format(amount, 2, force_grouping=True)} {currency}"


def costs(item: LineItem) -> list[tuple[Any, str]]:
    """What a line item takes and costs: label and figure of each that is known."""
    estimates = item["estimates"]
    if not estimates:
        return []
    lines: list[tuple[Any, str]] = []
    if price := item["price"]:
        lines.append((_("Price excl. tax"), money(price["net"], price["currency"])))
    if estimates["cost"]["amount"] is not None:
        lines.append((_("Cost"), money(estimates["cost"]["amount"], estimates["cost"]["currency"])))
    if estimates["print_time"]:
        lines.append((_("Print time"), duration(estimates["print_time"])))
    if estimates["material"] is not None:
        lines.append((_("Material"), f"{number_format(estimates['material'], 1)} cm³"))
    return [*lines, *_assumptions(estimates.get("sliced_with"))]


def _assumptions(sliced: SlicedWith | None) -> list[tuple[Any, str]]:
    """What an estimate assumes: label and value."""
    lines: list[tuple[Any, str]] = []
    if sliced is None:
        return lines
    if sliced["layer_height"] is not None:
        lines.append((_("Layer height"), f"{number_format(sliced['layer_height'])} mm"))
    if (infill := sliced.get("infill")) is not None:
        lines.append((_("Infill"), f"{number_format(round(infill))} %"))
    if (supports := sliced.get("supports")) is not None:
        lines.append((_("Supports"), _("On") if supports else _("Off")))
    return lines


def totals(figures: Totals | None) -> list[tuple[Any, str]]:
    """What an order or a quote comes to: label and figure of each row, the total last."""
    if figures is None or figures["gross"] is None:
        return []
    currency = figures["currency"]
    rows = [(_("Parts"), figures["parts"]), (_("Charges of the order"), figures["charges"])]
    if figures["taxes"]:
        rows.append((_("Net"), figures["net"]))
    for tax in figures["taxes"]:
        rate = int(tax["rate"]) if tax["rate"] == int(tax["rate"]) else tax["rate"]
        rows.append((_("Tax %(rate)s %%") % {"rate": number_format(rate)}, tax["amount"]))
    rows.append((_("Total incl. tax") if figures["taxes"] else _("Total"), figures["gross"]))
    return [(label, money(amount or 0, currency)) for label, amount in rows]


def terms(item: LineItem) -> list[tuple[Any, str, LocalizedText]]:
    """What its cost consists of: label, how it is computed, and the amount or why there is none.

    Without the terms whose amounts the person may not see.
    """
    return [
        (TERMS.get(term["name"], term["name"]), _how(term), _amount(term))
        for term in (item["estimates"]["terms"] if item["estimates"] else ())
        if term["amount"] is not None or term["reason"]
    ]


def _how(term: Term) -> str:
    if term["quantity"] is None or term["price"] is None or term["factor"] is None:
        return ""
    factor = "" if term["factor"] == 1 else f" × {term['factor']:g}"
    if term["name"] == "energy":
        factor = f" × {number_format(term['factor'])} kW"
    unit = UNITS.get(term["unit"], term["unit"])
    return f"{number_format(term['quantity'], 2)} {unit} × {number_format(term['price'])}{factor}"


def _amount(term: Term) -> LocalizedText:
    if term["amount"] is not None:
        return LocalizedText(number_format(term["amount"], 2))
    reason = LocalizedText(term["reason"] or "–")
    reason.lang = "en"
    return reason


def part_name(name: str | None) -> str:
    """What a page calls a line item, also one without a model that was given no name."""
    return name or _("Unnamed part")
