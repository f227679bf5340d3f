"""An invoice of some line items of an order, or a credit note of some lines of an invoice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.domain import production_status
from apps.console.domain.production_status import CHANGEABLE
from apps.console.views.base.page import PageContext, handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from apps.console.views.orders.order_documents import (
    billed_quantities,
    documents_in,
    quantities_left,
    title_of,
)

if TYPE_CHECKING:
    from manufacturing.generated.erp import Document, Order

MAX_LINES = 1000  # of a document


class OpenLine(NamedTuple):
    """A line item, and how many of its pieces can be on the document."""

    uri: str
    name: str
    quantity: int


class LinesForm(forms.Form):
    """How many pieces of each line item are on a document."""

    key = forms.CharField(widget=forms.HiddenInput)

    lines: Sequence[tuple[OpenLine, str]] = ()

    def add_lines(self, lines: Sequence[OpenLine]) -> None:
        """Add a quantity for each line."""
        self.lines = [(line, f"n-{uuid_of(line.uri)}") for line in lines]
        for line, name in self.lines:
            self.fields[name] = forms.IntegerField(
                label=line.name,
                min_value=0,
                max_value=line.quantity,
                initial=line.quantity,
                required=False,
                widget=forms.NumberInput({"class": "quantity"}),
            )

    def quantities(self) -> list[tuple[forms.BoundField, int]]:
        """The field of each line, with the number of its open pieces."""
        return [(self[name], line.quantity) for line, name in self.lines]

    def clean(self) -> dict[str, object]:
        values = self.cleaned_data
        if not self.errors and not any(values.get(name) for _line, name in self.lines):
            raise forms.ValidationError(_("Enter a quantity for at least one part."))
        return values

    def chosen(self) -> list[dict[str, object]] | None:
        """The lines of the document; None if it has all that is open."""
        values = self.cleaned_data
        if all(values[name] == line.quantity for line, name in self.lines):
            return None
        return [
            {"line_item": line.uri, "quantity": values[name]}
            for line, name in self.lines
            if values[name]
        ]


@page("GET", "POST")
def partial_document(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The form of an invoice; of a credit note where the address names an invoice, `corrects`."""
    order = visit.api.get(api_uri("order", uuid))
    visit.require("price.all", shop=order["bureau"])
    rows = documents_in(visit, order)
    invoice = _invoice(rows, visit.request.GET.get("corrects", ""))
    lines = _lines_of_invoice(invoice, rows) if invoice else _lines_of_order(visit, order, rows)
    form = LinesForm(visit.request.POST if visit.posted else None, initial={"key": visit.form_key})
    form.add_lines(lines)

    def issue() -> HttpResponse:
        body: dict[str, object] = {"order": order["uri"], "type": "invoice"}
        if invoice:
            body |= {"type": "credit-note", "corrects": invoice["uri"]}
        if (chosen := form.chosen()) is not None:
            body["lines"] = chosen
        visit.make("erp", "document", body, key=key_of(form))
        return visit.go(order["uri"], done="issued")

    done, status = handle_form(form, issue) if visit.posted else (None, 200)
    return done or visit.show(
        "partial-document",
        status,
        order={**order, "path": page_path(order["uri"])},
        form=form,
        corrects=title_of("invoice", invoice["number"]) if invoice else "",
    )


def _invoice(rows: Sequence[Document], key: str) -> Document | None:
    """The invoice that is corrected. Raises Http404 for one of another order."""
    if not key:
        return None
    for row in rows:
        if row["type"] == "invoice" and uuid_of(row["uri"]) == key:
            return row
    raise Http404


def _lines_of_order(visit: PageContext, order: Order, rows: Sequence[Document]) -> list[OpenLine]:
    """What of the confirmed line items is on no invoice."""
    billed = billed_quantities(rows)
    items = visit.all_of("line-item", order=order["uri"], limit=MAX_LINES)
    lines = [
        OpenLine(
            item["uri"],
            production_status.part_name(item["name"]),
            item["quantity"] - billed[item["uri"]],
        )
        for item in reversed(items)
        if item["status"] not in (*CHANGEABLE, "cancelled")
    ]
    return [line for line in lines if line.quantity > 0]


def _lines_of_invoice(invoice: Document, rows: Sequence[Document]) -> list[OpenLine]:
    """What of an invoice is on no credit note."""
    left = quantities_left(invoice, rows)
    return [
        OpenLine(line["line_item"], line["name"], left[line["line_item"]])
        for line in invoice["lines"]
        if line["line_item"] and left[line["line_item"]]
    ]
