"""Price list and price tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Shown, error_message
from apps.console.domain.price_table import UNITS, quantities_of
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, page_path, uri_choices, uuid_of
from apps.console.views.base.print_options import PrintOptionsForm, options_of
from apps.console.views.orders.orders import make_order
from apps.console.views.orders.price_matrix import matrix_of
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import Customer, Material, PriceList, PriceTable, PrinterType

PRICES = "price.all"
MAX_MATERIALS = 20


class TableChoices(TypedDict):
    """What a shop offers for a price table."""

    materials: list[Material]
    printer_types: list[PrinterType]
    customers: list[Customer]


def table_form(visit: PageContext, shop: str, *, table: PriceTable | None = None) -> TableForm:
    """The form of a price table in a shop; `table`: with the values of that one."""
    choices: TableChoices = {
        "materials": visit.all_of("material", limit=MAX_MATERIALS, bureau=shop, type="base"),
        "printer_types": visit.all_of("printer-type", bureau=shop),
        "customers": visit.all_of("customer", bureau=shop),
    }
    initial = {}
    if table:
        initial = {
            **options_of(table).initial,
            "materials": list(dict.fromkeys(cell["material"] for cell in table["cells"])),
            "quantities": ", ".join(map(str, quantities_of(table))),
            "printer_type": table["printer_type"],
            "customer": table["customer"],
        }
    data = visit.request.POST if visit.posted else None
    return TableForm(data, choices=choices, initial=initial)


class QuantitiesField(forms.CharField):
    """Whole numbers between commas."""

    def clean(self, value: Any) -> list[int]:
        said = super().clean(value).replace(",", " ").replace(";", " ").split()
        if not all(word.isascii() and word.isdigit() and len(word) < 6 for word in said):
            raise forms.ValidationError(_("Comma-separated integers."))
        return list(dict.fromkeys(int(word) for word in said))


class TableForm(PrintOptionsForm):
    """Of which materials and how many, on which printers and for whom; with print options."""

    materials = forms.MultipleChoiceField(
        label=_("Materials"),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
    )
    quantities = QuantitiesField(label=_("Quantities"), initial="1, 5, 20, 100", max_length=200)
    printer_type = forms.ChoiceField(label=_("Printer type"), required=False)
    customer = forms.ChoiceField(label=_("Customer"), required=False)

    def __init__(self, *args: Any, choices: TableChoices, **options: Any):
        super().__init__(*args, **options)
        field: Any = self.fields["materials"]
        field.choices = uri_choices(choices["materials"])
        field.initial = [row["uri"] for row in choices["materials"]]
        field = self.fields["printer_type"]
        field.choices = [("", _("Automatic")), *uri_choices(choices["printer_types"])]
        field = self.fields["customer"]
        field.choices = [("", "–"), *uri_choices(choices["customers"])]

    def request(self) -> Shown:
        """The members of a request for a price table."""
        data = self.cleaned_data
        return {
            "materials": data["materials"],
            "quantities": data["quantities"],
            "printer_type": data["printer_type"] or None,
            "customer": data["customer"] or None,
            **self.wishes(),
        }


class ListForm(forms.Form):
    """The prices of a new shop: more terms are added to the list later."""

    cc = forms.FloatField(label=_("Price per cm³"), initial=0.4, min_value=0)
    hour = forms.FloatField(label=_("Price per machine hour"), initial=4, min_value=0)
    line = forms.FloatField(label=_("Setup fee (per part)"), initial=5, min_value=0)
    order = forms.FloatField(label=_("Packing and shipping (per order)"), initial=6, min_value=0)
    country = forms.CharField(
        label=_("Seller country"),
        initial="DE",
        min_length=2,
        max_length=2,
        help_text=_("ISO 3166 code, e.g. DE."),
    )
    rate = forms.FloatField(label=_("Tax rate (%)"), initial=19, min_value=0, max_value=100)
    includes_tax = forms.BooleanField(label=_("Prices include tax"), required=False)
    percentages = forms.TypedChoiceField(
        label=_("Percentages"),
        choices=[("multiply", _("Multiply")), ("add", _("Add up"))],
        initial="multiply",
        required=False,
        empty_value="multiply",
    )
    max_size = forms.FloatField(
        label=_("Manual review above (mm, longest side)"), min_value=0, required=False
    )
    max_weight = forms.FloatField(
        label=_("Manual review above (g)"),
        min_value=0,
        required=False,
        help_text=_("Requires the density of materials."),
    )
    since = forms.DateField(
        label=_("Valid from"), widget=forms.DateInput({"type": "date"}), required=False
    )
    key = forms.CharField(widget=forms.HiddenInput)


# Fields of the form that are the list's own.
OPTIONS = ("includes_tax", "percentages", "max_size", "max_weight", "since")
# What a new list consists of, by the fields of its form.
TERMS: dict[str, dict[str, object]] = {
    "cc": {"step": "piece", "unit": "cc", "name": _("Material")},
    "hour": {"step": "piece", "unit": "hour", "name": _("Machine time")},
    "line": {"step": "line", "name": _("Setup")},
    "order": {"step": "order", "name": _("Packing and shipping")},
}


@page("GET", "POST")
def ask(visit: PageContext, uuid: UUID) -> HttpResponse:
    """What a model costs: in which materials, and how many."""
    model = visit.api.get(api_uri("model", uuid))
    shop = visit.shop_with_key(visit.request.GET.get("bureau", "")) or visit.shop
    if shop is None:
        return visit.go("/bureau/")
    visit.require(PRICES, shop=shop["uri"])
    form = table_form(visit, shop["uri"])
    is_for_part = "part" in visit.request.POST  # sent by the page of the part, which shows them

    def make() -> HttpResponse:
        body = {"bureau": shop["uri"], "models": [model["uri"]], **form.request()}
        made = visit.make("erp", "price-table", body, key="")
        part = f"{page_path(model['uri'])}?table={uuid_of(made)}"
        return visit.go(part if is_for_part else made)

    done, status = handle_form(form, make)
    if done:
        return done
    return visit.show(
        "price-form",
        status,
        form=form,
        model={**model, "path": page_path(model["uri"])},
        shop={**shop, "path": page_path(shop["uri"])},
        others=visit.shops_beside(shop),
        is_for_part=is_for_part,
    )


@page("GET", "POST")
def price_list(visit: PageContext, uuid: UUID) -> HttpResponse:
    """What a shop sells by; the form makes its first list."""
    shop = visit.api.get(api_uri("bureau", uuid))
    visit.require(PRICES, shop=shop["uri"])
    lists = visit.all_of("price-list", bureau=shop["uri"], is_default="true")
    form = ListForm(visit.request.POST if visit.posted else None, initial={"key": visit.form_key})

    def make() -> HttpResponse:
        _make_list(visit, shop["uri"], form.cleaned_data)
        return visit.go(page_path(shop["uri"]) + "prices/", done="priced")

    done, status = handle_form(form, make)
    if done:
        return done
    sold_by = _current(lists)
    terms = visit.all_of("price-term", price_list=sold_by["uri"]) if sold_by else []
    for term in terms:
        term["unit"] = UNITS.get(term["unit"], term["unit"])
    return visit.show(
        "price-list",
        status,
        form=form,
        shop={**shop, "path": page_path(shop["uri"])},
        sold_by=sold_by,
        since=date.fromisoformat(sold_by["since"]) if sold_by and sold_by["since"] else None,
        terms=sorted(terms, key=lambda term: term["position"]),
    )


def _current(lists: Sequence[PriceList]) -> PriceList | None:
    """The list that holds today; else the one that will hold first."""
    today = timezone.now().date().isoformat()
    in_order = sorted(lists, key=lambda row: row["since"] or "")
    valid = [row for row in in_order if (row["since"] or "") <= today]
    return next(iter([*valid[-1:], *in_order]), None)


def _make_list(visit: PageContext, shop: str, data: Mapping[str, Any]) -> None:
    def make(kind: str, **body: Any) -> str:
        return visit.make("erp", kind, body, key=data["key"])

    country = data["country"].upper()
    name = str(_("Tax"))
    make("tax-rule", bureau=shop, name=name, category="S", country=country, rate=data["rate"])
    name = str(_("Prices"))
    options = {field: data[field] for field in OPTIONS}
    made = make("price-list", bureau=shop, name=name, country=country, is_default=True, **options)
    for at, (field, term) in enumerate(TERMS.items()):
        if data[field]:
            body = {**term, "name": str(term["name"]), "amount": data[field], "position": at}
            make("price-term", price_list=made, **body)


# ---------------------------------------------------------------- a table


@page("GET", "POST")
def price_table(visit: PageContext, uuid: UUID) -> HttpResponse:
    """What models cost in many ways; what is ticked becomes an order."""
    table = visit.api.get(api_uri("price-table", uuid))
    visit.require(PRICES, shop=table["bureau"])
    chosen = visit.request.POST.getlist("cells")
    if not visit.posted:
        return _shown(visit, table)
    if not chosen or not all(at.isascii() and at.isdigit() and len(at) < 6 for at in chosen):
        return _shown(visit, table, [_("Select items.")], 400)
    cells = [int(at) for at in chosen]
    try:
        if draft := visit.request.POST.get("order"):
            _add(visit, table, cells, draft)
            return visit.go(draft, done="added")
        return visit.go(_order(visit, table, cells), done="ordered")
    except ApiError as declined:
        refused = [error_message(error) for error in declined.errors]
        return _shown(visit, table, refused, declined.http_status)


def _add(visit: PageContext, table: PriceTable, cells: list[int], order: str) -> None:
    """Add cells to a draft order; of a form that is sent twice, once.

    The form says how many line items the table had made when it was drawn.
    """
    made = visit.request.POST.get("made", "")
    uris = table["line_items"][int(made) :] if made.isascii() and made.isdigit() else []
    items = visit.all_of("line-item", uri=",".join(uris), order=order) if uris else []
    there = {(item["quantity"], item["materials"]["base"]) for item in items}
    wanted = [table["cells"][at] for at in cells if at < len(table["cells"])]
    if there and all((cell["quantity"], cell["material"]) in there for cell in wanted):
        return
    visit.api.ask("PUT", table["uri"], {"order": order, "cells": cells})


def _order(visit: PageContext, table: PriceTable, cells: list[int]) -> str:
    """The URI of an order of these cells; of a form that is sent twice, the same."""
    name = f"{_('Order of')} {date_format(timezone.localdate(), 'SHORT_DATE_FORMAT')}"
    body = {"bureau": table["bureau"], "name": name, "customer": table["customer"]}
    key = f"{table['uri']} {visit.request.POST.get('key', '')} {sorted(cells)}"

    def fill(made: str) -> None:
        if not visit.all_of("line-item", limit=1, order=made):
            visit.api.ask("PUT", table["uri"], {"order": made, "cells": cells})

    return make_order(visit, body, fill, key=key)


def _shown(
    visit: PageContext, table: PriceTable, refused: list[Any] | None = None, status: int = 200
) -> HttpResponse:
    matrix = matrix_of(visit, table)
    return visit.show(
        "price-table",
        status,
        refused=refused or [],
        matrix=matrix,
        kind="checkbox",
        key=visit.form_key,
        busy=matrix["is_waiting"],
    )
