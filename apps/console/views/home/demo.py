"""Demo shop with sample parts, up to a packed run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _

from apps.console.domain.messages import error_message
from apps.console.domain.production_status import BUSY, LINE_ITEMS, part_name
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path
from apps.console.views.orders.orders import confirm
from apps.console.views.printers.catalogue import USUAL_BED, usual_machine
from apps.console.views.settings.shops import set_up
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import LineItem, Order, Piece

FOLDER = Path(__file__).parents[2] / "static" / "console"
# How many of which are ordered.
PARTS = {"bracket": 1, "clip": 3, "spacer": 4}


@page("POST")
def begin(visit: PageContext) -> HttpResponse:
    """Makes a shop, models and an order of them; what follows waits for their estimates."""
    key = visit.request.POST.get("key", "")
    said = {
        "name": str(_("Sample shop")),
        "currency": "EUR",
        "material": "PLA",
        "filament": "PLA",
        "cost": 0.03,
        "hour": 2,
        "key": key,
    }
    shop = set_up(visit, said, usual_machine(visit, USUAL_BED, key=key))
    order = visit.make("erp", "order", {"bureau": shop, "name": str(_("Sample order"))}, key=key)
    (material,) = visit.all_of("material", bureau=shop)
    (workflow,) = visit.all_of("workflow", bureau=shop)
    for name, quantity in PARTS.items():
        wanted = {
            "bureau": shop,
            "order": order,
            "model": _model(visit, name, key),
            "name": name,
            "quantity": quantity,
            "materials": {"base": material["uri"]},
            "workflow": workflow["uri"],
        }
        visit.make("erp", "line-item", wanted, key=key)
    return visit.go(f"{page_path(order)}sample/")


def _model(visit: PageContext, name: str, key: str) -> str:
    """The URI of a sample part that is being judged."""
    body = {"name": name, "type": "stl"}
    uri = f"{base_url('models')}/model/"
    made = visit.api.ask("POST", uri, body, key=f"{key} {name}")
    visit.api.send(made["X-Upload-Location"], (FOLDER / f"{name}.stl").read_bytes())
    return made["Location"]


@page("GET", "POST")
def sample(visit: PageContext, uuid: UUID) -> HttpResponse:
    """How far a sample order is; its form confirms and packs it, as soon as that can be done."""
    order = visit.api.get(api_uri("order", uuid))
    items = visit.all_of("line-item", order=order["uri"])
    stages = {item["status"] for item in items}
    try:
        if visit.posted and stages == {"pending"}:
            confirm(visit, order)
        pieces = visit.all_of("piece", order=order["uri"])
        if run := next((piece["run"] for piece in pieces if piece["run"]), None):
            return visit.go(run)
        if visit.posted and pieces:
            return visit.go(_pack(visit, order, pieces))
    except ApiError as declined:
        return _shown(visit, order, items, declined)
    return _shown(visit, order, items)


def _pack(visit: PageContext, order: Order, pieces: list[Piece]) -> str:
    """The URI of a run of all pieces."""
    (printer,) = visit.all_of("printer", limit=1, bureau=order["bureau"])
    body = {
        "run_name": str(_("Sample build")),
        "printer": printer["uri"],
        "pieces": [piece["uri"] for piece in pieces],
        "budget": "quick",
    }
    return visit.make("erp", "create-runs", body, key=order["uri"])


def _shown(
    visit: PageContext,
    order: Order,
    items: list[LineItem],
    declined: ApiError | None = None,
) -> HttpResponse:
    stages = {item["status"] for item in items}
    return visit.show(
        "sample",
        declined.http_status if declined else 200,
        refused=[error_message(error) for error in declined.errors] if declined else [],
        path=page_path(order["uri"]),
        items=[
            {**item, "name": part_name(item["name"]), "state": LINE_ITEMS[item["status"]]}
            for item in reversed(items)
        ],
        ready=stages <= {"pending", "confirmed"} and not declined,
        busy=bool(stages.intersection(BUSY)),
    )
