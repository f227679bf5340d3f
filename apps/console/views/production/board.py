"""Board view of the production queue: line items by how far they have come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext as _

from apps.console.domain.messages import Context
from apps.console.domain.model_report import BAD, CARE
from apps.console.domain.production_status import part_name
from apps.console.domain.work_queue import due_state
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path
from apps.console.views.printers.farm import rows_of, show_printers

if TYPE_CHECKING:
    from apps.console.views.printers.farm import ShownPrinter
    from manufacturing.generated.erp import Bureau, LineItem, Unscheduled

MAX_CARDS = 20  # of a column


def board_columns(
    visit: PageContext,
    shop: Bureau,
    rows: Sequence[Unscheduled],
    finishing: Sequence[Unscheduled],
    printers: list[ShownPrinter],
) -> list[Context]:
    """The columns of the board, each with its cards."""
    unscheduled = [*rows[:MAX_CARDS], *finishing[:MAX_CARDS]]
    items = rows_of(visit, "line-item", (row["line_item"] for row in unscheduled))
    planned, planned_count = _with_status(visit, shop, "queued")
    printing, printing_count = _with_status(visit, shop, "printing")
    finished, finished_count = _with_status(visit, shop, "post-processing,shipping")
    # What is printed waits for its next step, and is still in the state printing.
    through = {row["line_item"]: row["count"] for row in finishing}
    at_work = [item for item in printing if through.get(item["uri"], 0) < item["quantity"]]
    running = {item["uri"] for item in finished}
    waits = [row for row in finishing if row["line_item"] not in running]
    every = [*items.values(), *planned, *printing, *finished]
    orders = rows_of(visit, "order", (item["order"] for item in every))
    materials = rows_of(visit, "material", (item["materials"]["base"] for item in every))

    def card(item: LineItem, count: int) -> Context:
        return _card(item, count, orders, materials)

    def cards_of(rows: Sequence[Unscheduled]) -> list[Context]:
        # One that was deleted meanwhile, or cannot be shown, has no card.
        shown = [row for row in rows[:MAX_CARDS] if row["line_item"] in items]
        return [card(items[row["line_item"]], row["count"]) for row in shown]

    attention = _attention(visit, printers)
    shown = [
        (_("To plan"), len(rows), cards_of(rows)),
        (_("Planned"), planned_count, [card(item, item["quantity"]) for item in planned]),
        (
            _("Printing"),
            printing_count - len(printing) + len(at_work),
            [card(item, item["quantity"]) for item in at_work],
        ),
        (_("Waiting for a person"), len(attention), attention[:MAX_CARDS]),
        (
            _("Finishing"),
            finished_count + len(waits),
            [*(card(item, item["quantity"]) for item in finished), *cards_of(waits)],
        ),
    ]
    return [
        {"title": title, "count": count, "cards": cards, "more": max(0, count - len(cards))}
        for title, count, cards in shown
    ]


def _with_status(visit: PageContext, shop: Bureau, status: str) -> tuple[list[LineItem], int]:
    """The oldest line items in these states, and how many there are."""
    query = {"filter[bureau]": shop["uri"], "filter[status]": status, "sort": "created"}
    result = visit.api.list("erp", "/line-item/", **query, **{"page[limit]": MAX_CARDS})
    return result["resources"], result["meta"]["count"]


def _card(item: LineItem, count: int, orders: Context, materials: Context) -> Context:
    order = orders.get(item["order"] or "")
    material = materials.get(item["materials"]["base"] or "")
    due = datetime.fromisoformat(order["due_date"]) if order and order["due_date"] else None
    return {
        "title": part_name(item["name"]),
        "path": page_path(item["order"]) if item["order"] else page_path(item["uri"]),
        "picture": item["snapshot"],
        "order_number": order["number"] if order else None,
        "count": count,
        "hold": item["hold"],
        "material": material["name"] if material else "",
        "color": material["color"] if material else "",
        "due": due,
        "due_state": due_state(due, timezone.now()),
    }


def _attention(visit: PageContext, printers: list[ShownPrinter]) -> list[Context]:
    """The builds on printers that wait for a person."""
    show_printers(visit, printers)
    return [
        {
            "title": row["run"]["name"],
            "path": row["path"],
            "picture": row["run"]["picture"],
            "printer": row["name"],
            "state": row["state"],
        }
        for row in printers
        if row["run"] and row["state"].sign in (BAD, CARE)
    ]
