"""Columns of the list of orders beside their fields: status, total, progress, payment."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.console.domain.messages import Context, Row
from apps.console.domain.production_status import STAGES, money
from apps.console.domain.resources.resource_values import MISSING, Value
from apps.console.views.base.page import PageContext

if TYPE_CHECKING:
    from manufacturing.generated.erp import OrderSummary

OVER = ("shipped", "cancelled")  # stages in which an order is no longer late
TOTAL = _("Total")
LABELS = (_("Status"), TOTAL, _("Production"), _("Payment"))
PAYMENTS = {"paid": (_("Paid"), "ok"), "open": (_("Not paid"), "warn")}


def summaries_by_order(visit: PageContext, rows: list[Row]) -> dict[str, OrderSummary]:
    """The summaries of these orders of the visitor's shop, by URI."""
    if not rows or not visit.shop:
        return {}
    uris = ",".join(row["uri"] for row in rows)
    answer = visit.api.get(f"{visit.shop['uri']}order-summaries/?orders={uris}")
    return {each["order"]: each for each in answer["summaries"]}


def summary_cells(summary: OrderSummary | None) -> list[tuple[str, Value]]:
    """The columns of a summary: label and value of each."""
    if summary is None:  # the order was deleted meanwhile
        return [(str(label), Value(MISSING)) for label in LABELS]
    stage = STAGES[summary["stage"]]
    payment, tone = PAYMENTS.get(summary["payment"] or "", (MISSING, None))
    made, pieces, total = summary["made"], summary["pieces"], summary["gross"]
    amount = MISSING if total is None else money(total, summary["currency"])
    values = (
        Value(stage.words, tone=stage.sign),
        Value(amount, number=True),
        Value(f"{made} / {pieces}", progress=(made, pieces)) if pieces else Value(MISSING),
        Value(payment, tone=tone),
    )
    return [(str(label), value) for label, value in zip(LABELS, values, strict=True)]


def summary_heads() -> list[Context]:
    """The heads of these columns."""
    return [{"label": label, "number": label == TOTAL} for label in LABELS]


def contents(summary: OrderSummary) -> str:
    """How many parts an order has, and how many pieces of them."""
    parts, pieces = summary["line_items"], summary["pieces"]
    of_parts = ngettext("%(count)s part", "%(count)s parts", parts) % {"count": parts}
    return f"{of_parts}, " + ngettext("%(n)s piece", "%(n)s pieces", pieces) % {"n": pieces}


def is_late(order: Row, summary: OrderSummary) -> bool:
    """Whether the due date has passed before the order was completed."""
    due = order["due_date"]
    is_over = summary["stage"] in OVER
    return bool(due) and not is_over and datetime.fromisoformat(due) < timezone.now()
