"""Columns of the list of orders beside their fields: status, total, progress, payment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.console.domain.messages import JsonValue
from apps.console.domain.production_status import STAGES, money
from apps.console.domain.resources.resource_values import MISSING, Value
from apps.console.views.generic.summary_columns import Row, SummaryColumns

if TYPE_CHECKING:
    from manufacturing.generated.erp import OrderSummary

OVER = ("shipped", "cancelled")  # stages in which an order is no longer late
TOTAL = _("Total")
PAYMENTS = {"paid": (_("Paid"), "ok"), "open": (_("Not paid"), "warn")}


class OrderColumns(SummaryColumns["OrderSummary"]):
    """The columns of the list of orders."""

    kind = "order"
    labels = (_("Status"), TOTAL, _("Production"), _("Payment"))
    figures = (TOTAL,)

    def fill(
        self, resource: JsonValue, row: Row, summary: OrderSummary
    ) -> tuple[Row, Sequence[Value]]:
        """The row with picture and contents, late dates marked; and the values of the columns."""
        cells = row.cells
        if _is_late(resource, summary):
            cells = [(label, replace(value, is_late=True)) for label, value in cells]
        return (
            replace(
                row,
                cells=cells,
                note=_contents(summary),
                is_pictured=True,
                picture=summary["picture"],
                color=summary["color"],
            ),
            _values(summary),
        )


def _values(summary: OrderSummary) -> Sequence[Value]:
    stage = STAGES[summary["stage"]]
    payment, tone = PAYMENTS.get(summary["payment"] or "", (MISSING, None))
    made, pieces, total = summary["made"], summary["pieces"], summary["gross"]
    amount = MISSING if total is None else money(total, summary["currency"])
    return (
        Value(stage.words, tone=stage.sign),
        Value(amount, number=True),
        Value(f"{made} / {pieces}", progress=(made, pieces)) if pieces else Value(MISSING),
        Value(payment, tone=tone),
    )


def _contents(summary: OrderSummary) -> str:
    """How many parts an order has, and how many pieces of them."""
    parts, pieces = summary["line_items"], summary["pieces"]
    of_parts = ngettext("%(count)s part", "%(count)s parts", parts) % {"count": parts}
    return f"{of_parts}, " + ngettext("%(n)s piece", "%(n)s pieces", pieces) % {"n": pieces}


def _is_late(order: JsonValue, summary: OrderSummary) -> bool:
    """Whether the due date has passed before the order was completed."""
    due = order["due_date"]
    is_over = summary["stage"] in OVER
    return bool(due) and not is_over and datetime.fromisoformat(due) < timezone.now()
