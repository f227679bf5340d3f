"""Orders: create, estimate, quote, confirm."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

from django import forms
from django.forms import BoundField
from django.http import HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from apps.console.domain import production_status
from apps.console.domain.messages import Shown, error_message
from apps.console.domain.production_status import BUSY, CHANGEABLE
from apps.console.views.base.names import Names
from apps.console.views.base.page import PageContext, handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, page_path, uri_choices, uuid_of
from apps.console.views.base.print_options import OPTIONS, PrintOptionsForm, options_of
from apps.console.views.orders.order_documents import ISSUED, documents_of, issue
from apps.console.views.orders.order_payments import payment_of
from apps.console.views.orders.print_reports import reports_of
from apps.console.views.orders.shipments import ACTIONS as SHIPMENT_ACTIONS
from apps.console.views.orders.shipments import shipments_of
from apps.console.views.orders.timelines import order_history
from apps.console.views.settings.emails import messages_of
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import Customer, Material, Order, Piece, Quote, Workflow
    from manufacturing.generated.models import Model

A_PAGE = 24
MAX_PIECES = 200  # that a page shows
MAX_EACH = 10_000  # of one line item


class Ways(TypedDict):
    """What a shop makes parts of, and how."""

    materials: list[Material]
    workflows: list[Workflow]


class PartsForm(PrintOptionsForm):
    """How many of which models, made of what and how."""

    material = forms.ChoiceField(label=_("Material"))
    workflow = forms.ChoiceField(label=_("Workflow"))
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(
        self,
        *given: Any,
        models: list[Model],
        materials: list[Material],
        workflows: list[Workflow],
        **options: Any,
    ):
        super().__init__(*given, **options)
        self.models = {f"n-{uuid_of(model['uri'])}": model for model in models}
        for name, rows in (("material", materials), ("workflow", workflows)):
            self.fields[name].choices = uri_choices(rows)  # type: ignore[attr-defined]
        for name, model in self.models.items():
            self.fields[name] = forms.IntegerField(
                label=model["name"], min_value=0, max_value=MAX_EACH, required=False
            )

    def visible_fields(self) -> list[BoundField]:
        """All but the quantities, which stand by their models, and the print options."""
        elsewhere = {*self.models, *OPTIONS}
        return [field for field in super().visible_fields() if field.name not in elsewhere]

    def parts(self) -> list[tuple[Model, BoundField]]:
        """Each model with the field of its quantity."""
        return [(model, self[name]) for name, model in self.models.items()]

    def clean(self) -> Shown:
        said = self.cleaned_data
        if not any(said.get(name) for name in self.models) and not self.errors:
            raise forms.ValidationError(_("Enter a quantity for at least one part."))
        return said

    def wanted(self) -> list[Shown]:
        """The line items that are asked for."""
        said = self.cleaned_data
        return [
            {
                "model": model["uri"],
                "name": model["name"],
                "quantity": said[name],
                "materials": {"base": said["material"]},
                "workflow": said["workflow"],
                **self.wishes(),
            }
            for name, model in self.models.items()
            if said[name]
        ]


class OrderForm(PartsForm):
    """A new order."""

    name = forms.CharField(label=_("Order name"), max_length=200)
    field_order = ("name", "material", "workflow")


@page("GET", "POST")
def new_order(visit: PageContext) -> HttpResponse:
    """The form for an order of a shop; who has no shop sets one up first."""
    shop = visit.shop_with_key(visit.request.GET.get("bureau", "")) or visit.shop
    if shop is None:
        return visit.go("/bureau/")
    visit.require(shop=shop["uri"])
    customer = _customer(visit)
    models = _offered(visit)
    form = OrderForm(
        visit.request.POST if visit.posted else None,
        models=models,
        **_ways(visit, shop["uri"]),
        initial={"key": visit.form_key, "name": _name(), **_first(visit)},
    )
    done, status = handle_form(
        form, lambda: visit.go(_order(visit, shop["uri"], form, customer), done="ordered")
    )
    if done:
        return done
    others = [] if customer else visit.shops_beside(shop)
    return visit.show("order-form", status, form=form, shop=shop, customer=customer, others=others)


def _customer(visit: PageContext) -> Customer | None:
    """The customer whom the address names."""
    try:
        return visit.api.find(api_uri("customer", UUID(visit.request.GET.get("customer", ""))))
    except ValueError:
        return None


def _name() -> str:
    return f"{_('Order of')} {date_format(timezone.localdate(), 'SHORT_DATE_FORMAT')}"


def _first(visit: PageContext) -> dict[str, int]:
    """One of the model that the address names."""
    return {f"n-{visit.request.GET['model']}": 1} if "model" in visit.request.GET else {}


def _offered(visit: PageContext) -> list[Model]:
    """The model that the address names, and the newest ones; of a form that is sent those on it."""
    asked: dict[str, object] = {"filter[status]": "processed", "page[limit]": A_PAGE}
    if visit.posted:
        drawn = [name[2:] for name in visit.request.POST if name.startswith("n-")]
        asked["filter[uri]"] = ",".join(f"{base_url('models')}/model/{key}/" for key in drawn)
        asked["page[limit]"] = A_PAGE + 1
    newest = visit.api.list("models", "/model/", **asked)["resources"]
    try:
        named = api_uri("model", UUID(visit.request.GET.get("model", "")))
    except ValueError:
        return newest
    if all(model["uri"] != named for model in newest):
        newest.insert(0, visit.api.get(named))
    return sorted(newest, key=lambda model: model["uri"] != named)


def _ways(visit: PageContext, shop: str) -> Ways:
    """What parts can be made of in a shop, and how."""
    return {
        "materials": visit.all_of("material", bureau=shop, type="base"),
        "workflows": visit.all_of("workflow", bureau=shop),
    }


def _order(visit: PageContext, shop: str, form: OrderForm, customer: Customer | None) -> str:
    """The URI of the order that the form asks for, with its line items."""
    body = {"bureau": shop, "name": form.cleaned_data["name"]}
    body |= {"customer": customer["uri"]} if customer else {}
    return make_order(visit, body, lambda made: _add(visit, shop, made, form), key=key_of(form))


def make_order(
    visit: PageContext, body: Mapping[str, object], fill: Callable[[str], None], *, key: str
) -> str:
    """Return the URI of an order that `fill(uri)` puts parts into; it is withdrawn on errors.

    key : of the form and its contents: sent again, they give the same order
    """
    tries = (visit.make("erp", "order", body, key=f"{key} {number}") for number in count())
    made = next(uri for uri in tries if visit.api.find(uri))  # one that was refused is gone
    try:
        fill(made)
    except ApiError:
        for uri in (*(item["uri"] for item in visit.all_of("line-item", order=made)), made):
            visit.api.ask("DELETE", uri)
        raise
    return made


def _add(visit: PageContext, shop: str, order: str, form: PartsForm) -> None:
    for wanted in form.wanted():
        body = {"bureau": shop, "order": order, **wanted}
        visit.make("erp", "line-item", body, key=form.cleaned_data["key"])


# ---------------------------------------------------------------- one order


@page("GET", "POST")
def order(visit: PageContext, uuid: UUID) -> HttpResponse:
    """An order: its parts, what they cost, and where each piece stands."""
    found = visit.api.get(api_uri("order", uuid))
    if not visit.posted:
        return _shown(visit, found)
    action = ACTIONS.get(visit.request.POST.get("action", ""))
    if action is None:
        return visit.go(found["uri"])
    act, done = action
    try:
        act(visit, found)
    except ApiError as declined:
        return _shown(visit, found, declined)
    return visit.go(found["uri"], done=done)


def confirm(visit: PageContext, order: Order) -> None:
    """All of it in one step of the API: an offer, and its acceptance."""
    if not _open_quote(visit, order):
        _offer(visit, order)
        order = visit.api.get(order["uri"])
    visit.api.ask("PUT", order["quote"] or "", {"status": "accepted"})


def _offer(visit: PageContext, order: Order) -> None:
    visit.api.ask("POST", f"{base_url('erp')}/quote/", {"order": order["uri"]})


def _withdraw(visit: PageContext, order: Order) -> None:
    visit.api.ask("PUT", order["quote"] or "", {"status": "withdrawn"})


def _cancel(visit: PageContext, order: Order) -> None:
    visit.api.ask("PUT", order["uri"], {"status": "cancelled"})


def _open_quote(visit: PageContext, order: Order) -> Quote | None:
    quote = visit.api.find(order["quote"]) if order["quote"] else None
    return quote if quote and quote["status"] == "open" else None


# By the word that a button sends: what is asked of the API, and what is said of it afterwards.
ACTIONS = {
    "confirm": (confirm, "confirmed"),
    "offer": (_offer, "offered"),
    "withdraw": (_withdraw, "withdrawn"),
    "cancel": (_cancel, "cancelled"),
    **{f"issue-{kind}": (issue(kind), "issued") for kind in ISSUED},
    **SHIPMENT_ACTIONS,
}


def _shown(visit: PageContext, order: Order, declined: ApiError | None = None) -> HttpResponse:
    shop = visit.api.find(order["bureau"])
    ways = _ways(visit, order["bureau"])
    items = visit.all_of("line-item", order=order["uri"], limit=MAX_PIECES)
    pieces, more = _pieces(visit, order["uri"])
    history = order_history(visit, order, [piece for rows in pieces.values() for piece in rows])
    materials = {row["uri"]: row for row in ways["materials"]}
    models = Names(visit)
    models.load(item["model"] for item in items)
    reports = reports_of(visit, order["uri"], items)
    for item in items:
        material = materials.get(item["materials"]["base"])
        item |= {
            "name": production_status.part_name(item["name"]),
            "path": page_path(item["uri"]),
            "uuid": uuid_of(item["uri"]),
            "state": production_status.LINE_ITEMS[item["status"]],
            "costs": production_status.costs(item),
            "terms": production_status.terms(item),
            "material": material["name"] if material else "",
            "color": material["color"] if material else None,
            "faults": [
                error_message(each) for each in (item["errors"] or []) + (item["review"] or [])
            ],
            "pieces": pieces[item["uri"]],
            "report": reports.get(item["uri"]),
            "model_path": models.path(item["model"]) if item["model"] else "",
            "options": options_of(item) if item["status"] in CHANGEABLE else None,
        }
    stages = {item["status"] for item in items}
    quote = _open_quote(visit, order)
    may_change = visit.api.may("PUT", order["uri"])
    documents = documents_of(visit, order, shop)
    return visit.show(
        "order",
        declined.http_status if declined else 200,
        refused=[error_message(error) for error in declined.errors] if declined else [],
        order={
            **order,
            "path": page_path(order["uri"]),
            "state": production_status.ORDERS[order["status"]],
        },
        shop={**shop, "path": page_path(shop["uri"])} if shop else None,
        items=list(reversed(items)),
        facts=_facts(visit, order),
        messages=messages_of(visit, order["uri"]),
        key=visit.form_key,
        more=more,
        **history,
        quote=_quote_row(quote),
        totals=production_status.totals(order["totals"]) if items else [],
        payment=payment_of(order),
        documents=documents,
        shipments=shipments_of(visit, order, may_change=may_change),
        sells="price.all" in visit.rights,
        may_change=may_change,
        can_confirm=visit.api.may("PUT", quote["uri"] if quote else order["uri"])
        and "pending" in stages
        and not stages.intersection((*BUSY, "error")),
        can_cancel=may_change and bool(items) and order["status"] in ("new", "confirmed"),
        busy=bool(stages.intersection(BUSY)) or bool(documents and documents["busy"]),
    )


def _facts(visit: PageContext, order: Order) -> list[tuple[str, str]]:
    """What is known of an order beside its parts: label and value of each."""
    customer = visit.api.find(order["customer"]) if order["customer"] else None
    due = datetime.fromisoformat(order["due_date"]) if order["due_date"] else None
    created = datetime.fromisoformat(order["created"])
    rows = [
        (_("Customer"), customer["name"] if customer else order["customer_name"]),
        (_("PO number"), order["customer_po"]),
        (_("Due"), date_format(due, "SHORT_DATE_FORMAT") if due else ""),
        (_("Priority"), "" if order["priority"] is None else str(order["priority"])),
        (_("Notes"), order["notes"]),
        (_("Created"), date_format(created, "SHORT_DATE_FORMAT")),
    ]
    return [(str(label), value) for label, value in rows if value]


def _pieces(visit: PageContext, order: str) -> tuple[dict[str, list[Piece]], int]:
    """The pieces by their line items, and how many are not among them."""
    query = {"filter[order]": order, "sort": "number", "page[limit]": MAX_PIECES}
    page_of_pieces = visit.api.list("erp", "/piece/", **query)
    by_item: dict[str, list[Piece]] = defaultdict(list)
    for piece in page_of_pieces["resources"]:
        piece["state"] = production_status.PIECES[piece["status"]]
        piece["run_path"] = page_path(piece["run"]) if piece["run"] else ""
        by_item[piece["line_item"]].append(piece)
    return by_item, page_of_pieces["meta"]["count"] - len(page_of_pieces["resources"])


def _quote_row(quote: Quote | None) -> Shown | None:
    if quote is None:
        return None
    total = production_status.totals(quote["totals"])
    return {
        "sum": total[-1][1] if total else "",
        "expires": datetime.fromisoformat(quote["expires"]),
    }


# ---------------------------------------------------------------- one line item

# By the word that a button sends: the state that is asked for, and what is said afterwards.
ITEM_ACTIONS = {
    "cancel": ("cancelled", "cancelled"),
    "reopen": ("pending", "reopened"),
    "again": ("calculating_estimates", "again"),
}


@page("GET", "POST")
def line_item(visit: PageContext, uuid: UUID) -> HttpResponse:
    """A line item is shown on the page of its order; what is done to it is done here."""
    item = visit.api.get(api_uri("line-item", uuid))
    back = item["order"] or item["model"] or "/order/"
    options = PrintOptionsForm(visit.request.POST)
    if visit.request.POST.get("action") == "options" and options.is_valid():
        visit.api.ask("PUT", item["uri"], options.wishes())
        return visit.go(back, done="options")
    action = ITEM_ACTIONS.get(visit.request.POST.get("action", ""))
    if action is None:
        return visit.go(back)
    visit.api.ask("PUT", item["uri"], {"status": action[0]})
    return visit.go(back, done=action[1])
