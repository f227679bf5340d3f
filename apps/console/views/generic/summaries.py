"""Kinds whose lists and pages show summaries of their resources."""

from __future__ import annotations

from typing import Any

from apps.console.views.generic.customer_rows import CustomerColumns
from apps.console.views.generic.order_rows import OrderColumns
from apps.console.views.generic.summary_columns import SummaryColumns

SUMMARY_COLUMNS: dict[str, SummaryColumns[Any]] = {
    columns.kind: columns for columns in (OrderColumns(), CustomerColumns())
}
