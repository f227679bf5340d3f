"""Documents of an order: issue and download them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from apps.console.domain.messages import Context
from apps.console.domain.production_status import money
from apps.console.domain.value_labels import VALUES
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path, uuid_of
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau, Document, Order
    from manufacturing.generated.sales import SharedDocument

MAX_DOCUMENTS = 100  # that the page of an order shows
ICONS = {"invoice": "file-invoice", "credit-note": "file-invoice", "delivery-note": "truck"}
ISSUED = ("quote", "confirmation", "invoice", "delivery-note")  # by a button
SIGNS = {"invoice": 1, "credit-note": -1}  # by which their lines count as invoiced
CONFIRMED = ("confirmed", "in-progress", "complete")


def documents_of(visit: PageContext, order: Order, shop: Bureau | None) -> Context | None:
    """The documents of an order, and those that can be issued; None for who does not sell."""
    if "price.all" not in visit.rights:
        return None
    rows = documents_in(visit, order)
    quotes = {row["quote"] for row in rows}
    is_confirmed = order["status"] in CONFIRMED
    types = ["quote"] if order["quote"] and order["quote"] not in quotes else []
    types += ["confirmation", "invoice"] if is_confirmed else []
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
                and any(left for uri, left in quantities_left(row, rows).items() if uri),
            }
            for row in rows
        ],
        "types": [(name, VALUES[name]) for name in types],
        "is_confirmed": is_confirmed,
        "is_incomplete": is_confirmed and not is_complete,
        "busy": any(row["status"] == "processing" for row in rows),
    }


def documents_in(visit: PageContext, order: Order) -> list[Document]:
    """The documents of an order, newest first."""
    query = {"filter[order]": order["uri"], "sort": "-created", "page[limit]": MAX_DOCUMENTS}
    return visit.api.list("erp", "/document/", **query)["resources"]


def billed_quantities(rows: Sequence[Document]) -> Counter[str]:
    """Pieces of each line item on the invoices, without those on credit notes; by URI."""
    billed: Counter[str] = Counter()
    for row in rows:
        for line in row["lines"]:
            billed[line["line_item"] or ""] += SIGNS.get(row["type"], 0) * line["quantity"]
    return billed


def quantities_left(invoice: Document, rows: Sequence[Document]) -> Counter[str]:
    """Pieces of each line of an invoice that are on no credit note; by URI, "" for charges."""
    return billed_quantities(
        [row for row in rows if invoice["uri"] in (row["uri"], row["corrects"])]
    )


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
            shipment = visit.request.POST.get("shipment", "")
            body["shipment"] = f"{base_url('erp')}/shipment/{shipment}/"
        visit.make("erp", "document", body, key=visit.request.POST.get("key", ""))

    return act
