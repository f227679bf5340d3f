"""Columns of the list of customers beside their fields: orders, revenue, balance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import JsonValue
from apps.console.domain.production_status import money
from apps.console.domain.resources.resource_values import MISSING, Value
from apps.console.views.generic.summary_columns import Row, SummaryColumns

if TYPE_CHECKING:
    from manufacturing.generated.erp import CustomerAmounts, CustomerSummary

ORDERS, REVENUE = gettext_lazy("Orders"), gettext_lazy("Revenue, 12 months")
BALANCE = gettext_lazy("Balance")


class CustomerColumns(SummaryColumns["CustomerSummary"]):
    """The columns of the list of customers."""

    kind = "customer"
    labels = (ORDERS, REVENUE, BALANCE)
    figures = (ORDERS, REVENUE)
    omitted = ("email", "company", "group", "vat_number")
    sorts: Mapping[str | Promise, str] = {REVENUE: "revenue", BALANCE: "balance"}

    def fill(
        self, resource: JsonValue, row: Row, summary: CustomerSummary
    ) -> tuple[Row, Sequence[Value]]:
        """The row with the e-mail address, and the values of the columns."""
        return replace(row, note=resource["email"]), _values(summary)


def _values(summary: CustomerSummary) -> Sequence[Value]:
    amounts = summary["amounts"] or []
    revenue = [money(each["revenue"], each["currency"]) for each in amounts if each["revenue"]]
    return (
        Value(str(summary["orders"]), number=True),
        Value(" · ".join(revenue) or MISSING, number=True),
        _balance(amounts),
    )


def _balance(amounts: list[CustomerAmounts]) -> Value:
    """What is overdue, or else open, in the first currency in which anything is."""
    for each in amounts:
        if each["overdue"]:
            amount = money(each["overdue"], each["currency"])
            return Value(_("%(amount)s overdue") % {"amount": amount}, tone="bad")
    for each in amounts:
        if each["open"]:
            amount = money(each["open"], each["currency"])
            return Value(_("%(amount)s open") % {"amount": amount}, tone="warn")
    return Value(_("Paid"), tone="ok") if amounts else Value(MISSING)
