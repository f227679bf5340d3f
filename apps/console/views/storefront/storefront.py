"""Storefront of a shop: upload parts, see prices and choose, without an account."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from django.http import HttpResponse

from apps.console.domain.messages import Shown
from apps.console.domain.model_report import is_awaited
from apps.console.views.base.page import handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, uuid_of
from apps.console.views.base.print_options import OfferedOptionsForm, offered_options
from apps.console.views.base.store_context import VisitContext
from apps.console.views.parts.models import TYPES, DropForm
from apps.console.views.storefront.visit_parts import (
    cart_of,
    is_ready,
    is_waiting,
    key_of_table,
    models_of,
    part_of,
    read_tables,
    tables_by_part,
)
from core.files.signed_urls import upload_url
from core.uris import base_url
from core.web.site_urls import site_of, store_page

if TYPE_CHECKING:
    from manufacturing.generated.models import Model
    from manufacturing.generated.sales import CartLine, StorefrontPage, VisitCell, VisitTable

MAX_CELLS = 1000  # of a price table


@page(context=VisitContext)
def store(visit: VisitContext, slug: str) -> HttpResponse:
    """The page of a shop: what it offers, and the parts of the visitor with their prices."""
    visit.visit_storefront(slug)
    return _shown(visit)


@page(context=VisitContext)
def own_page(visit: VisitContext) -> HttpResponse:
    """The first page of a shop's own domain."""
    visit.visit_storefront(visit.own_slug)
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
        remaining = _without_tables_of(visit, uri)
        visit.api.ask("DELETE", uri)
        visit.api.ask("PUT", visit.visit_uri, {"cart": remaining})
        return visit.go(f"/s/{slug}/")
    model = visit.api.get(uri)
    if not is_awaited(model):
        return visit.go(f"/s/{slug}/")
    whose = UUID(uuid_of(model["user_uri"]))
    then = f"{site_of(visit.request)}/s/{slug}/"
    return visit.show("upload", upload=upload_url("model", uuid, owner=whose, then=then))


def _without_tables_of(visit: VisitContext, model: str) -> list[CartLine]:
    """The lines of the cart whose price tables do not have the model: the others end with it."""
    cart = visit.visit["cart"] if visit.visit else []
    cells = {uri: _cells(visit, uri) for uri in {line["price_table"] for line in cart}}
    models = {uri: {price["model"] for price in there} for uri, there in cells.items()}
    return [line for line in cart if model not in (models[line["price_table"]] or {model})]


@page("POST", context=VisitContext)
def ask_prices(visit: VisitContext, slug: str) -> HttpResponse:
    """Has the prices of parts computed by the chosen options, and in one more quantity.

    Of the parts that the form names, or of all; the other parts keep their prices.
    """
    front = visit.visit_storefront(slug)
    if visit.visit is None:
        return visit.to_sign_in()
    form = OfferedOptionsForm(visit.request.POST, front=front)
    if not form.is_valid():
        return _shown(visit, 400, options=form)
    named = set(visit.request.POST.getlist("part"))
    ready = [model for model in models_of(visit) if is_ready(model)]
    models = [model["uri"] for model in ready if not named or uuid_of(model["uri"]) in named]
    if not models:
        return visit.go(f"/s/{slug}/")
    quantity = form.cleaned_data["quantity"]
    quantities = sorted({*front["quantities"], *([quantity] if quantity else ())})
    body: Shown = {"models": models, "quantities": quantities, **form.wishes()}
    body["finishes"] = _finishes(front, len(models) * len(quantities))
    made = visit.api.ask("POST", f"{visit.visit_uri}price-table/", body)["Location"]
    others = tables_by_part(read_tables(visit, visit.request.POST.getlist("table")))
    remaining = [
        key_of_table(table)
        for model in ready
        if model["uri"] not in models and (table := others.get(model["uri"]))
    ]
    return visit.go(_address(slug, [made.rstrip("/").rpartition("/")[2], *remaining]))


def _finishes(front: StorefrontPage, ways: int) -> list[list[str]]:
    """No finish, and each that is offered, unless a price table has not so many cells.

    ways : cells of the table for each material and finish
    """
    each = [[row["uri"]] for row in front["finishes"]]
    is_small = ways * len(front["materials"]) * (1 + len(each)) <= MAX_CELLS
    return [[], *each] if is_small else [[]]


def _address(slug: str, tables: Iterable[str]) -> str:
    """The page of the storefront with the prices of these tables, by their keys."""
    query = "&".join(f"table={key}" for key in dict.fromkeys(tables))
    return f"/s/{slug}/" + (f"?{query}" if query else "")


@page("POST", context=VisitContext)
def choose(visit: VisitContext, slug: str) -> HttpResponse:
    """Puts the chosen cells into the cart, or takes a line out of it.

    A part is in the cart once; parts of which nothing is chosen stay as they are.
    """
    visit.visit_storefront(slug)
    if visit.visit is None:
        return visit.to_sign_in()
    tables = read_tables(visit, visit.request.POST.getlist("table"))
    back = _address(slug, map(key_of_table, tables))
    cart = visit.visit["cart"]
    if "remove" in visit.request.POST:
        number = visit.request.POST["remove"]
        remaining = [line for at, line in enumerate(cart) if str(at) != number]
        visit.api.ask("PUT", visit.visit_uri, {"cart": remaining})
        return visit.go(back)
    parts, lines = _chosen(visit, tables)
    remaining = [line for line in cart if _part_of(visit, line) not in parts | {None}]
    visit.api.ask("PUT", visit.visit_uri, {"cart": [*remaining, *lines]})
    to_checkout = (remaining or lines) and "checkout" in visit.request.POST
    return visit.go(f"/s/{slug}/checkout/" if to_checkout else back)


def _chosen(
    visit: VisitContext, tables: list[VisitTable]
) -> tuple[set[str | None], list[CartLine]]:
    """The parts of which the form chooses a cell, and these cells, as `<table>.<position>`."""
    by_key = {key_of_table(table): table for table in tables}
    parts: set[str | None] = set()
    lines: list[CartLine] = []
    for name, value in visit.request.POST.items():
        key, _dot, position = str(value).partition(".")
        table = by_key.get(key) if name.startswith("cell-") else None
        if table and position.isascii() and position.isdigit():
            at = int(position)
            parts.update(price["model"] for price in table["cells"][at : at + 1])
            lines.append({"price_table": table["uri"], "cell": at})
    return parts, lines


def _part_of(visit: VisitContext, line: CartLine) -> str | None:
    """The part of a line of the cart; None where its price table is over."""
    cells = _cells(visit, line["price_table"])
    return cells[line["cell"]]["model"] if cells else None


def _cells(visit: VisitContext, table: str) -> list[VisitCell]:
    """The cells of a price table; none where it is over."""
    row = visit.api.find(table)
    return row["cells"] if row else []


def _shown(
    visit: VisitContext,
    status: int = 200,
    *,
    form: DropForm | None = None,
    options: OfferedOptionsForm | None = None,
) -> HttpResponse:
    models = models_of(visit)
    tables = read_tables(visit, visit.request.GET.getlist("table"))
    by_part = tables_by_part(tables)
    is_only = len(models) == 1
    parts = [part_of(visit, model, by_part.get(model["uri"]), is_only=is_only) for model in models]
    analysing = any(part["is_analysing"] for part in parts)
    unpriced = [part["uuid"] for part in parts if part["is_ready"] and not part["cells"]]
    computing = any(map(is_waiting, tables))
    return visit.show(
        "shop",
        status,
        parts=parts,
        form=form or DropForm(initial={"key": uuid4()}),
        types=", ".join(word.upper() for word in TYPES),
        tables=[key_of_table(table) for table in tables],
        cart=cart_of(visit, models),
        unpriced=[] if analysing else unpriced,
        options=options or _common_options(visit, models, by_part),
        busy=computing or any(part["is_busy"] for part in parts),
        is_computing=computing,
        has_final=any(part["has_final"] for part in parts),
        canonical=store_page(visit.storefront["slug"]) if visit.storefront else "",
    )


def _common_options(
    visit: VisitContext, models: list[Model], tables: dict[str, VisitTable]
) -> OfferedOptionsForm | None:
    """The form of options of all parts, with those of the first part that has prices."""
    first = next((tables[model["uri"]] for model in models if model["uri"] in tables), None)
    return offered_options(visit.storefront, first) if visit.storefront and first else None
