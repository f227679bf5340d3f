"""Storefront of a shop: upload parts, see prices, choose, check out; without an account."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import orjson
from babel import Locale
from django import forms
from django.http import HttpResponse
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from apps.console.domain.message_labels import LANGUAGES
from apps.console.domain.messages import Context, Shown
from apps.console.domain.model_report import is_awaited, printability
from apps.console.domain.price_table import cell, chosen_labels, day_of_all
from apps.console.views.models import TYPES, DropForm, described_model
from apps.console.views.order_link import total_rows
from apps.console.views.page import handle_form, key_of, page
from apps.console.views.page_urls import api_uri, uuid_of
from apps.console.views.print_options import OfferedOptionsForm, offered_options
from apps.console.views.store_context import VisitContext
from core.files.signed_urls import upload_url
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.models import Model
    from manufacturing.generated.sales import CartLine, VisitCell, VisitTable

# Codes of Unicode's list that are of unions, of oceans, of tests and of nothing.
NO_COUNTRIES = ("EU", "EZ", "QO", "UN", "XA", "XB", "ZZ")
MAX_FILES = 100  # that a page shows
READY = "processed"


class CheckoutForm(forms.Form):
    """Who orders, and where the parts go."""

    email = forms.EmailField(
        label=_("E-mail"),
        help_text=_("For the link of the order and messages about it. No account is created."),
        widget=forms.EmailInput({"autocomplete": "email"}),
    )
    name = forms.CharField(
        label=_("Name"), max_length=200, widget=forms.TextInput({"autocomplete": "name"})
    )
    company = forms.CharField(
        label=_("Company"),
        max_length=200,
        required=False,
        widget=forms.TextInput({"autocomplete": "organization"}),
    )
    vat_number = forms.CharField(label=_("VAT ID"), max_length=32, required=False)
    street = forms.CharField(
        label=_("Street"),
        max_length=200,
        widget=forms.TextInput({"autocomplete": "street-address"}),
    )
    postcode = forms.CharField(
        label=_("Postal code"),
        max_length=20,
        widget=forms.TextInput({"autocomplete": "postal-code"}),
    )
    city = forms.CharField(
        label=_("City"), max_length=200, widget=forms.TextInput({"autocomplete": "address-level2"})
    )
    country = forms.ChoiceField(
        label=_("Country"),
        choices=lambda: countries(),
        widget=forms.Select({"autocomplete": "country"}),
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=2000,
        required=False,
        widget=forms.Textarea({"rows": 2}),
    )
    key = forms.CharField(widget=forms.HiddenInput)

    def request(self) -> Shown:
        """The members of a request for the order."""
        data = self.cleaned_data
        address = {name: data[name] for name in ("street", "postcode", "city", "country")}
        optional = {name: data[name] for name in ("company", "vat_number", "note") if data[name]}
        language = translation.get_language() or ""
        if language in LANGUAGES:
            optional["language"] = language
        return {"name": data["name"], "email": data["email"], "address": address, **optional}


def countries() -> list[tuple[str, str]]:
    """Codes and names of the countries in the language of the page, by name."""
    names = Locale.parse(translation.get_language() or "en", sep="-").territories
    states = [
        (code, name)
        for code, name in names.items()
        if len(code) == 2 and code.isalpha() and code not in NO_COUNTRIES
    ]
    return sorted(states, key=lambda state: state[1])


@page(context=VisitContext)
def store(visit: VisitContext, slug: str) -> HttpResponse:
    """The page of a shop: what it offers, and the parts of the visitor with their prices."""
    visit.visit_storefront(slug)
    return _shown(visit)


@page("POST", context=VisitContext)
def begin(visit: VisitContext, slug: str) -> HttpResponse:
    """Begins a visit before scripts upload several files at once."""
    visit.visit_storefront(slug)
    return visit.keep(visit.go(f"/s/{slug}/"), visit.begin())


@page("POST", context=VisitContext)
def add_file(visit: VisitContext, slug: str) -> HttpResponse:
    """Creates a part and leads to the upload of its file."""
    visit.visit_storefront(slug)
    form = DropForm(visit.request.POST)
    cookie = ""

    def make() -> HttpResponse:
        nonlocal cookie
        cookie = visit.begin()
        body = {name: form.cleaned_data[name] for name in ("name", "type")}
        uri = f"{base_url('models')}/model/"
        made = visit.api.ask("POST", uri, body, key=key_of(form))["Location"]
        return visit.go(f"/s/{slug}/file/{uuid_of(made)}/")

    done, status = handle_form(form, make)
    return visit.keep(done or _shown(visit, status, form=form), cookie)


@page("GET", "POST", context=VisitContext)
def file(visit: VisitContext, slug: str, uuid: UUID) -> HttpResponse:
    """Where the file of a part is uploaded; POST removes the part."""
    visit.visit_storefront(slug)
    uri = api_uri("model", uuid)
    if visit.posted:
        visit.api.ask("DELETE", uri)
        # Prices are of all parts together.
        visit.api.ask("PUT", visit.visit_uri, {"cart": []})
        return visit.go(f"/s/{slug}/")
    model = visit.api.get(uri)
    if not is_awaited(model):
        return visit.go(f"/s/{slug}/")
    whose = UUID(uuid_of(model["user_uri"]))
    then = f"{base_url('')}/s/{slug}/"
    return visit.show("upload", upload=upload_url("model", uuid, owner=whose, then=then))


@page("POST", context=VisitContext)
def ask_prices(visit: VisitContext, slug: str) -> HttpResponse:
    """Has the prices of all parts computed: by the chosen options, and in one more quantity."""
    front = visit.visit_storefront(slug)
    if visit.visit is None:
        return visit.to_sign_in()
    form = OfferedOptionsForm(visit.request.POST, front=front)
    if not form.is_valid():
        return _shown(visit, 400, options=form)
    models = [model["uri"] for model in _models(visit) if _is_ready(model)]
    body: Shown = {"models": models, **form.wishes()}
    if quantity := form.cleaned_data["quantity"]:
        body["quantities"] = sorted({*front["quantities"], quantity})
    if not body["models"]:
        return visit.go(f"/s/{slug}/")
    made = visit.api.ask("POST", f"{visit.visit_uri}price-table/", body)["Location"]
    return visit.go(f"/s/{slug}/?table={made.rstrip('/').rpartition('/')[2]}")


@page("POST", context=VisitContext)
def choose(visit: VisitContext, slug: str) -> HttpResponse:
    """Puts the chosen cells into the cart, or takes a line out of it.

    A part is in the cart once; parts that were chosen with other options stay.
    """
    visit.visit_storefront(slug)
    if visit.visit is None:
        return visit.to_sign_in()
    table = visit.request.POST.get("table", "")
    if "remove" in visit.request.POST:
        kept = [
            line
            for at, line in enumerate(visit.visit["cart"])
            if str(at) != visit.request.POST["remove"]
        ]
        visit.api.ask("PUT", visit.visit_uri, {"cart": kept})
        return visit.go(f"/s/{slug}/" + (f"?table={table}" if table else ""))
    try:
        uri = f"{visit.visit_uri}price-table/{UUID(table)}/"
    except ValueError:
        return visit.go(f"/s/{slug}/")
    fields = visit.request.POST.items()
    values = [str(value) for name, value in fields if name.startswith("cell-")]
    chosen = [int(value) for value in values if value.isascii() and value.isdigit()]
    lines = [{"price_table": uri, "cell": at} for at in chosen]
    kept = _others(visit, uri, chosen)
    visit.api.ask("PUT", visit.visit_uri, {"cart": [*kept, *lines]})
    to_checkout = (kept or chosen) and "checkout" in visit.request.POST
    return visit.go(f"/s/{slug}/checkout/" if to_checkout else f"/s/{slug}/?table={table}")


def _others(visit: VisitContext, uri: str, chosen: list[int]) -> list[CartLine]:
    """The lines of the cart that are of other price tables, and of other parts than the chosen."""
    cart = visit.visit["cart"] if visit.visit else []
    cells = {each: _cells(visit, each) for each in {uri, *(line["price_table"] for line in cart)}}
    parts = {cells[uri][at]["model"] for at in chosen if at < len(cells[uri])}
    return [
        line
        for line in cart
        if line["price_table"] != uri
        and (there := cells[line["price_table"]])
        and there[line["cell"]]["model"] not in parts
    ]


def _cells(visit: VisitContext, table: str) -> list[VisitCell]:
    """The cells of a price table; none where it is over."""
    row = visit.api.find(table)
    return row["cells"] if row else []


@page("GET", "POST", context=VisitContext)
def checkout(visit: VisitContext, slug: str) -> HttpResponse:
    """Address and order."""
    front = visit.visit_storefront(slug)
    # A form that is sent again leads to the order that it has placed.
    if visit.visit is None or not (visit.posted or visit.visit["cart"]):
        return visit.go(f"/s/{slug}/")
    initial = {"key": visit.form_key, "country": front["country"] or "DE"}
    form = CheckoutForm(visit.request.POST if visit.posted else None, initial=initial)

    def order() -> HttpResponse:
        answer = visit.api.ask("POST", f"{visit.visit_uri}order/", form.request(), key=key_of(form))
        placed = orjson.loads(answer.content)
        done = "ordered-mailed" if placed["mailed"] else "ordered-here"
        return visit.go(placed["link"], done=done)

    done, status = handle_form(form, order)
    return done or visit.show("checkout", status, form=form, cart=_cart(visit, _models(visit)))


def _models(visit: VisitContext) -> list[Model]:
    """The parts that the visitor has uploaded, in the order of their upload."""
    if visit.visit is None:
        return []
    query = {"sort": "created", "page[limit]": MAX_FILES}
    models: list[Model] = visit.api.list("models", "/model/", **query)["resources"]
    # Of a file of several objects each object is a part.
    return [
        model
        for model in models
        if model["conversion"] is None or model["conversion"]["status"] != "complete"
    ]


def _is_ready(model: Model) -> bool:
    return bool(model["status"] == READY)


def _shown(
    visit: VisitContext,
    status: int = 200,
    *,
    form: DropForm | None = None,
    options: OfferedOptionsForm | None = None,
) -> HttpResponse:
    models = _models(visit)
    table = _table(visit)
    parts = [_part(visit, model, table) for model in models]
    waits = any(part["is_busy"] for part in parts)
    unpriced = any(_is_ready(model) for model in models) and not all(
        part["cells"] for part in parts if part["is_ready"]
    )
    computing = table is not None and _is_waiting(table)
    return visit.show(
        "shop",
        status,
        parts=parts,
        form=form or DropForm(initial={"key": uuid4()}),
        types=", ".join(word.upper() for word in TYPES),
        table=table and _key_of(table),
        quantities=_quantities(table) if table else [],
        cart=_cart(visit, models),
        needs_prices=unpriced and not waits,
        options=options or (visit.storefront and offered_options(visit.storefront, table)),
        busy=waits or computing,
        is_computing=computing,
    )


def _key_of(table: VisitTable) -> str:
    """The key of a price table of a visit."""
    return str(table["uri"]).rstrip("/").rpartition("/")[2]


def _table(visit: VisitContext) -> VisitTable | None:
    """The prices that the address names, or those of the cart; None without any."""
    named = visit.request.GET.get("table", "")
    if visit.visit is None:
        return None
    if not named and visit.visit["cart"]:
        return visit.api.find(visit.visit["cart"][0]["price_table"])
    try:
        return visit.api.find(f"{visit.visit_uri}price-table/{UUID(named)}/")
    except ValueError:
        return None


def _quantities(table: VisitTable) -> list[int]:
    return list(dict.fromkeys(price["quantity"] for price in table["cells"]))


def _is_waiting(table: VisitTable) -> bool:
    """Whether prices still change: slices, or the computing of a large table, are awaited."""
    return table["status"] not in ("exact", "error") and any(
        cell["net"] is None or cell["basis"] != "slice"
        for cell in table["cells"]
        if not cell["review"]
    )


def _part(visit: VisitContext, model: Model, table: VisitTable | None) -> Context:
    """A part in words, with its rows of prices: material, and a cell for each quantity."""
    front = visit.storefront
    materials = {row["uri"]: row for row in front["materials"]} if front else {}
    rows: dict[str, list[Shown]] = {}
    for at, price in enumerate(table["cells"] if table else ()):
        if table and price["model"] == model["uri"]:
            shown = cell(price, at, table["currency"])
            rows.setdefault(price["material"], []).append(shown)
    cart = visit.visit["cart"] if visit.visit else []
    chosen = [line["cell"] for line in cart if table and line["price_table"] == table["uri"]]
    return {
        **described_model(model),
        "uuid": uuid_of(model["uri"]),
        "lines": printability(model)[:3],
        "is_ready": _is_ready(model),
        "is_awaited": is_awaited(model),
        "cells": bool(rows),
        "chosen": chosen,
        "rows": [(materials[uri], cells) for uri, cells in rows.items() if uri in materials],
    }


def _cart(visit: VisitContext, models: list[Model]) -> Context | None:
    """What is in the cart, with the totals; None while it is empty, and where a part is gone."""
    if visit.visit is None or visit.storefront is None or not visit.visit["cart"]:
        return None
    names = {model["uri"]: model["name"] for model in models}
    materials = {row["uri"]: row["name"] for row in visit.storefront["materials"]}
    tables = {line["price_table"] for line in visit.visit["cart"]}
    rows = {uri: table for uri in tables if (table := visit.api.find(uri))}
    if rows.keys() != tables:
        return None
    lines = [
        (rows[line["price_table"]], rows[line["price_table"]]["cells"][line["cell"]])
        for line in visit.visit["cart"]
    ]
    totals = visit.visit["totals"]
    return {
        "lines": [
            {
                "name": names.get(line["model"], ""),
                "material": materials.get(line["material"], ""),
                "quantity": line["quantity"],
                "options": ", ".join(chosen_labels(table)),
            }
            for table, line in lines
        ],
        "ready": day_of_all(line for _table, line in lines),
        "totals": total_rows(totals) if totals else [],
    }
