"""An invoice of some line items of an order, or a credit note of some lines of an invoice."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.views.base.page import PageContext, handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, page_path, sent_uri
from apps.console.views.orders.order_documents import title_of
from apps.console.views.orders.quantities import PREFIX, QuantitiesForm

if TYPE_CHECKING:
    from manufacturing.generated.erp import Document, OpenLines, Order


class LinesForm(QuantitiesForm):
    """How many pieces of each line item are on a document."""

    def clean(self) -> dict[str, object]:
        values, names = self.cleaned_data, [field.name for field in self.quantities()]
        if names and not self.errors and not any(values[name] for name in names):
            raise forms.ValidationError(_("Enter a quantity for at least one part."))
        return values

    def lines(self) -> list[dict[str, object]] | None:
        """The lines of the document; None where it has all that is open."""
        pieces = {field.name: field.field.initial for field in self.quantities()}
        chosen = {name: self.cleaned_data[name] or 0 for name in pieces}
        if chosen == pieces:
            return None
        return [
            {"line_item": api_uri("line-item", UUID(name.removeprefix(PREFIX))), "quantity": number}
            for name, number in chosen.items()
            if number
        ]


@page("GET", "POST")
def partial_document(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The form of an invoice; of a credit note where the address names an invoice, `corrects`."""
    order = visit.api.get(api_uri("order", uuid))
    visit.require("price.all", shop=order["bureau"])
    invoice = _invoice(visit, order)
    lines: OpenLines = visit.api.get(f"{(invoice or order)['uri']}open-lines/")
    form = LinesForm(visit.request.POST if visit.posted else None, initial={"key": visit.form_key})
    form.add_lines(
        (line["line_item"], line["name"], line["quantity"])
        for line in lines["lines"]
        if line["line_item"]
    )

    def issue() -> HttpResponse:
        body: dict[str, object] = {"order": order["uri"], "type": "invoice"}
        if invoice:
            body |= {"type": "credit-note", "corrects": invoice["uri"]}
        if (chosen := form.lines()) is not None:
            body["lines"] = chosen
        visit.make("erp", "document", body, key=key_of(form))
        return visit.go(order["uri"], done="issued")

    done, status = handle_form(form, issue) if visit.posted else (None, 200)
    return done or visit.show(
        "partial-document",
        status,
        order={**order, "path": page_path(order["uri"])},
        form=form,
        is_open=bool(lines["lines"]),
        has_charges=any(line["line_item"] is None for line in lines["lines"]),
        corrects=title_of("invoice", invoice["number"]) if invoice else "",
    )


def _invoice(visit: PageContext, order: Order) -> Document | None:
    """The invoice that is corrected. Raises Http404 for one of another order."""
    key = visit.request.GET.get("corrects", "")
    if not key:
        return None
    document: Document = visit.api.get(sent_uri("document", key))
    if document["type"] != "invoice" or document["order"] != order["uri"]:
        raise Http404
    return document
