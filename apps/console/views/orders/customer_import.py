"""Import of customers from a CSV file: upload, preview of each row, confirmation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import orjson
from django import forms
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.customer_csv import (
    MAX_BYTES,
    CsvCustomers,
    CsvRow,
    UnreadableCsv,
    decoded,
    read_customers,
)
from apps.console.domain.messages import Context, LocalizedText, error_message
from apps.console.domain.resources.resource_labels import field_label
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import page_path
from core.api.lists.csv_export import table

if TYPE_CHECKING:
    from manufacturing.generated.erp import ImportResult

PATH = "/customer/import/"
MAX_SHOWN = 200  # rows that a page shows, those with errors first
MAX_VALUE = 80  # characters of a value that is shown
OUTCOMES = {
    "error": (gettext_lazy("Error"), "bad"),
    "new": (gettext_lazy("New"), "ok"),
    "updated": (gettext_lazy("Updated"), "run"),
    "unchanged": (gettext_lazy("Unchanged"), ""),
}
# Headings of the sample file, and two customers.
SAMPLE = (
    ("reference", gettext_lazy("Customer number"), "K-1001", "K-1002"),
    ("name", gettext_lazy("Name"), "Hansa Maritime GmbH", "Ada Petersen"),
    ("contact", gettext_lazy("Contact person"), "Kai Reimers", ""),
    ("email", gettext_lazy("E-mail"), "k.reimers@hansa.example", "ada@petersen.example"),
    ("phone", gettext_lazy("Phone"), "0421 555 0117", ""),
    ("address", gettext_lazy("Address"), "Überseetor 14, 28217 Bremen", "Kaistr. 2, 20457 Hamburg"),
    ("country", gettext_lazy("Country"), "DE", "DE"),
    ("vat", gettext_lazy("VAT ID"), "DE136695976", ""),
)


class CustomerFileForm(forms.Form):
    """A file; or its text, once it was shown."""

    file = forms.FileField(
        label=gettext_lazy("CSV file"),
        required=False,
        help_text=gettext_lazy(
            "At most 2 MB and 5,000 rows, separated by semicolon, comma or tab."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,.tsv,text/csv"}),
    )
    text = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)

    def clean(self) -> Context:
        """Set `customers` to what the file has."""
        values = self.cleaned_data
        file = values.get("file")
        if file and file.size > MAX_BYTES:
            self.add_error("file", _("The file is larger than 2 MB. Divide it."))
            return values
        text = decoded(file.read()) if file else values.get("text", "")
        if not file and not text and "file" not in self.errors:
            self.add_error("file", _("Choose a CSV file."))
        elif text or file:
            try:
                values |= {"text": text, "customers": read_customers(text)}
            except UnreadableCsv as error:
                self.add_error("file", str(error.text))
        return values


@dataclass(frozen=True)
class ShownRow:
    """A row with its result; `path` leads to the customer where there is one."""

    line: int
    name: str
    email: str
    label: str | Promise
    tone: str
    path: str
    errors: Sequence[LocalizedText]


@page("GET", "POST")
def import_customers(visit: PageContext) -> HttpResponse:
    """The form for a file; then a preview with the result of each row; then the results."""
    if not visit.person:
        return visit.to_sign_in()
    if not visit.shop:
        return visit.go("/bureau/")
    visit.require("customer.all")
    if not visit.posted:
        return visit.show("customer-import", form=CustomerFileForm())
    form = CustomerFileForm(visit.request.POST, visit.request.FILES)
    if not form.is_valid():
        return visit.show("customer-import", 400, form=form)
    customers: CsvCustomers = form.cleaned_data["customers"]
    is_confirmed = "confirm" in visit.request.POST and not form.cleaned_data["file"]
    results = _results(visit, customers.rows, dry_run=not is_confirmed)
    counts = Counter(each["outcome"] for each in results)
    context: Context = {
        "customers": customers,
        "counts": [
            {"label": label, "tone": tone, "count": counts[outcome]}
            for outcome, (label, tone) in OUTCOMES.items()
            if counts[outcome]
        ],
        "rows": _shown(customers.rows, results),
        "more": max(len(results) - MAX_SHOWN, 0),
        "is_done": is_confirmed,
        "to_write": counts["new"] + counts["updated"],
        "total": len(results),
    }
    return visit.show("customer-import-rows", text=form.cleaned_data["text"], **context)


def _results(visit: PageContext, rows: Sequence[CsvRow], *, dry_run: bool) -> list[ImportResult]:
    """The results of the rows, by the API."""
    shop = visit.shop["uri"] if visit.shop else ""
    path = f"{shop}customer-import/{'?dry_run=true' if dry_run else ''}"
    answer = visit.api.ask("POST", path, {"customers": [row.values for row in rows]})
    results: list[ImportResult] = orjson.loads(answer.content)["results"]
    return results


def _shown(rows: Sequence[CsvRow], results: Sequence[ImportResult]) -> list[ShownRow]:
    """The rows that a page shows: those with errors first, then in the order of the file."""
    order = list(OUTCOMES)
    pairs = list(zip(rows, results, strict=True))
    pairs.sort(key=lambda pair: order.index(pair[1]["outcome"]) > 0)
    return [_shown_row(row, result) for row, result in pairs[:MAX_SHOWN]]


def _shown_row(row: CsvRow, result: ImportResult) -> ShownRow:
    label, tone = OUTCOMES[result["outcome"]]
    texts = []
    for error in result["errors"]:
        message = error_message(error)
        field = error["field"] or ""
        value = row.values.get(field, "")[:MAX_VALUE]
        where = f"{field_label(field)} “{value}”: " if value else f"{field_label(field)}: "
        text = LocalizedText(f"{where if field else ''}{message}")
        text.lang = message.lang
        texts.append(text)
    return ShownRow(
        line=row.line,
        name=row.values.get("name", "")[:MAX_VALUE] or "–",
        email=row.values.get("email", "")[:MAX_VALUE],
        label=label,
        tone=tone,
        path=page_path(result["customer"]) if result["customer"] else "",
        errors=texts,
    )


@page("GET")
def sample_file(visit: PageContext) -> HttpResponse:
    """A file with two customers, with headings in the language of the page."""
    heads = [str(label) for _name, label, *_values in SAMPLE]
    rows = zip(*(values for _name, _label, *values in SAMPLE), strict=True)
    return cast(
        HttpResponse,
        table("customers", heads, rows, lambda row: dict(zip(heads, row, strict=True))),
    )
