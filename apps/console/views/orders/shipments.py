"""Shipments of an order: create, ship and cancel them; what the customer sees of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.console.domain import production_status
from apps.console.domain.messages import Context
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path, sent_uri, uuid_of
from apps.console.views.orders.quantities import PREFIX, QuantitiesForm

if TYPE_CHECKING:
    from manufacturing.generated.erp import Order
    from manufacturing.generated.sales import SharedShipment

MAX_SHIPMENTS = 100  # that the page of an order shows
MAX_DIGITS = 10
CREATE = "create-shipment"
# Whose tracking pages the API knows.
CARRIERS = (
    *("DHL", "DPD", "GLS", "UPS", "FedEx", "USPS", "Deutsche Post", "PostNL"),
    *("Royal Mail", "Hermes"),
)


class ShipmentForm(QuantitiesForm):
    """How many pieces of each part are in a parcel, and by which carrier it goes."""

    carrier = forms.CharField(
        label=_("Carrier"),
        required=False,
        max_length=200,
        widget=forms.TextInput({"list": "carriers", "autocomplete": "off"}),
    )
    tracking_number = forms.CharField(label=_("Tracking number"), required=False, max_length=200)
    tracking_url = forms.CharField(
        label=_("Tracking page"),
        required=False,
        max_length=500,
        help_text=_("Filled in for known carriers."),
        widget=forms.TextInput({"type": "url", "placeholder": "https://"}),
    )
    is_shipped = forms.BooleanField(
        label=_("Mark as shipped and inform the customer"), required=False, initial=True
    )


def shipments_of(visit: PageContext, order: Order, *, may_change: bool) -> Context | None:
    """The shipments of an order, and the form of a new one; None before it is confirmed."""
    fulfilment = order["fulfilment"] or []
    query = {"filter[order]": order["uri"], "sort": "number", "page[limit]": MAX_SHIPMENTS}
    rows = visit.api.list("erp", "/shipment/", **query)["resources"]
    if not rows and not any(row["ready"] or row["shipped"] for row in fulfilment):
        return None
    is_sent = visit.posted and visit.request.POST.get("action") == CREATE
    form = ShipmentForm(visit.request.POST if is_sent else None, initial={"key": visit.form_key})
    form.add_lines(
        (row["line_item"], row["name"], row["ready"]) for row in fulfilment if row["ready"]
    )
    return {
        "rows": [
            {
                **row,
                "path": page_path(row["uri"]),
                "key": uuid_of(row["uri"]),
                "state": production_status.SHIPMENTS[row["status"]],
                "at": datetime.fromisoformat(row["shipped"] or row["created"]),
            }
            for row in rows
        ],
        "form": form if may_change and form.quantities() else None,
        "carriers": CARRIERS,
        "is_sent": is_sent,
        "shipped": sum(row["shipped"] for row in fulfilment),
        "quantity": sum(row["quantity"] for row in fulfilment),
    }


def shared_shipments(rows: list[SharedShipment]) -> list[Context]:
    """The shipments that a customer sees."""
    return [{**row, "at": datetime.fromisoformat(row["shipped"])} for row in rows]


def create(visit: PageContext, order: Order) -> None:
    """Create the shipment of the form; what is wrong with it is answered by the API."""
    sent = visit.request.POST
    quantities = {name: sent[name].strip() for name in sent if name.startswith(PREFIX)}
    lines = [
        {
            "line_item": sent_uri("line-item", name.removeprefix(PREFIX)),
            "quantity": _quantity(text),
        }
        for name, text in quantities.items()
        if text.strip("0")
    ]
    texts = {name: sent.get(name, "") for name in ("carrier", "tracking_number", "tracking_url")}
    status = {"status": "shipped"} if "is_shipped" in sent else {}
    body = {"order": order["uri"], "lines": lines, **texts, **status}
    visit.make("erp", "shipment", body, key=sent.get("key", ""))


def move(status: str) -> Callable[[PageContext, Order], None]:
    """Return the action that ships or cancels the shipment that the form names."""

    def act(visit: PageContext, order: Order) -> None:
        uri = sent_uri("shipment", visit.request.POST.get("shipment", ""))
        visit.api.ask("PUT", uri, {"status": status})

    return act


def _quantity(text: str) -> int | str:
    """A number as such; any other text is left to the API to refuse."""
    return int(text) if text.isdecimal() and len(text) < MAX_DIGITS else text


# By the word that a button sends: what is asked of the API, and what is said of it afterwards.
ACTIONS = {
    CREATE: (create, "shipment-created"),
    "ship": (move("shipped"), "shipment-shipped"),
    "cancel-shipment": (move("cancelled"), "cancelled"),
}
