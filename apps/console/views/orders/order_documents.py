"""Documents of an order: issue and download them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from apps.console.domain.messages import Context
from apps.console.domain.production_status import money
from apps.console.domain.value_labels import VALUES
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path, sent_uri, uuid_of

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau, Order
    from manufacturing.generated.sales import SharedDocument

MAX_DOCUMENTS = 100  # that the page of an order shows
ICONS = {"invoice": "file-invoice", "credit-note": "file-invoice", "delivery-note": "truck"}
ISSUED = ("quote", "confirmation", "invoice", "delivery-note")  # by a button
DECIMALS = 6  # of an amount
CONFIRMED = ("confirmed", "in-progress", "complete")


def documents_of(visit: PageContext, order: Order, shop: Bureau | None) -> Context | None:
    """The documents of an order, and those that can be issued; None for who does not sell."""
    if "price.all" not in visit.rights:
        return None
    query = {"filter[order]": order["uri"], "sort": "-created", "page[limit]": MAX_DOCUMENTS}
    rows = visit.api.list("erp", "/document/", **query)["resources"]
    quotes = {row["quote"] for row in rows}
    credited: dict[str, float] = defaultdict(float)  # gross, by invoice
    for row in rows:
        credited[row["corrects"]] += (row["gross"] or 0) if row["corrects"] else 0
    is_confirmed = order["status"] in CONFIRMED
    types = ["quote"] if order["quote"] and order["quote"] not in quotes else []
    types += ["confirmation", "invoice"] if is_confirmed else []
    has_tax = bool(order["totals"] and order["totals"]["taxes"])
    is_complete = shop is None or bool(shop["address"] and shop["vat_number"])
    return {
        "rows": [
            {
                **row,
                "path": page_path(row["uri"]),
                "key": uuid_of(row["uri"]),
                "title": title_of(row["type"], row["number"]),
                "icon": ICONS.get(row["type"], "file-text"),
                "day": date.fromisoformat(row["issued_on"]),
                "sum": "" if row["gross"] is None else money(row["gross"], row["currency"] or ""),
                "can_credit": row["type"] == "invoice"
                and round((row["gross"] or 0) - credited[row["uri"]], DECIMALS) > 0,
            }
            for row in rows
        ],
        "types": [(name, VALUES[name]) for name in types],
        "can_invoice": is_confirmed and has_tax,
        "is_incomplete": is_confirmed and not is_complete,
        "busy": any(row["status"] == "processing" for row in rows),
    }


def shared_documents(rows: list[SharedDocument]) -> list[Context]:
    """The documents that a customer sees."""
    return [
        {
            **row,
            "title": title_of(row["type"], row["number"]),
            "icon": ICONS.get(row["type"], "file-text"),
            "day": date.fromisoformat(row["issued_on"]),
        }
        for row in rows
    ]


def title_of(kind: str, number: str | None) -> str:
    """What a document is called: Invoice INV-2026-0001."""
    return f"{VALUES[kind]} {number or ''}".strip()


def issue(kind: str) -> Callable[[PageContext, Order], None]:
    """Return the action that issues a document of this type."""

    def act(visit: PageContext, order: Order) -> None:
        body = {"order": order["uri"], "type": kind}
        if kind == "delivery-note":
            body["shipment"] = sent_uri("shipment", visit.request.POST.get("shipment", ""))
        visit.make("erp", "document", body, key=visit.request.POST.get("key", ""))

    return act
