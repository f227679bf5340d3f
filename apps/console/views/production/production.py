"""Production queue of a shop: its pages, and what their forms do."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context, error_message
from apps.console.domain.work_queue import moved, new_positions
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, uuid_of
from apps.console.views.production.board import board_columns
from apps.console.views.production.schedule import schedule_of
from apps.console.views.production.table import show_table
from apps.console.views.production.work_queue import PackForm, WorkQueue, show
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau


MOVES = ("top", "up", "down", "before", "after")


@page("GET", "POST")
def queue(visit: PageContext) -> HttpResponse:
    """The production queue of the current shop; who has no shop sets one up first."""
    if not visit.person:
        return visit.to_sign_in()
    if visit.shop is None:
        return visit.go("/bureau/")
    return _page_of(visit, visit.shop)


@page("GET", "POST")
def board(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The production queue of any shop that the person may read."""
    return _page_of(visit, visit.api.get(api_uri("bureau", uuid)))


def _page_of(visit: PageContext, shop: Bureau) -> HttpResponse:
    work = WorkQueue.read(visit, shop)
    if visit.posted:
        return _act(work)
    view = visit.request.GET.get("view", "")
    if view == "board":
        rows = work.rows, work.finishing
        return show(work, view, columns=board_columns(visit, shop, *rows, work.printers))
    if view == "schedule":
        return show(work, view, **schedule_of(visit, shop, work.printers))
    return show_table(work)


def _act(work: WorkQueue) -> HttpResponse:
    """Plan a build of the selected line items, or change when line items are made."""
    verb, *about = work.visit.request.POST.get("do", "plan").split(":")
    if verb == "plan":
        return _plan(work)
    by_key = {uuid_of(row["line_item"]): row["line_item"] for row in work.rows}
    chosen = about[:1] or [value.partition(":")[0] for value in _selected(work)]
    # One that waits for two steps has two rows.
    items = list(dict.fromkeys(by_key[key] for key in chosen if key in by_key))
    if not items:
        return show_table(work, 400, [_("Select items.")])
    changes = _changes(work, verb, items, by_key.get(about[1]) if len(about) > 1 else None)
    try:
        if changes:
            uri = f"{base_url('erp')}/line-item/"
            work.visit.api.ask("PUT", uri, {"line_items": changes})
    except ApiError as declined:
        messages = [error_message(error) for error in declined.errors]
        return show_table(work, declined.http_status, messages)
    return work.visit.go(work.visit.request.get_full_path())


def _selected(work: WorkQueue) -> list[str]:
    """The selected line items, each with its pieces, as its checkbox says."""
    return work.visit.request.POST.getlist("pieces")


def _changes(work: WorkQueue, verb: str, items: list[str], other: str | None) -> list[Context]:
    """The changes of line items that a button asks for; none where it does not exist."""
    if verb in ("hold", "release"):
        return [{"uri": uri, "hold": verb == "hold"} for uri in items]
    if verb == "reset":
        return [{"uri": uri, "position": None} for uri in items]
    current = {row["line_item"]: row["position"] for row in work.rows}
    order, now = list(current), timezone.now()
    matching = (row["line_item"] for row in work.rows if work.filter.matches(row, now))
    shown = list(dict.fromkeys(matching))
    shown = shown if items[0] in shown else order
    at = shown.index(items[0])
    edge = {"up": 0, "down": len(shown) - 1}.get(verb)
    is_gone = verb in ("before", "after") and other is None
    if edge == at or is_gone or verb not in MOVES:
        return []
    target = {
        "top": next((uri for uri in order if uri not in items), None),
        "up": shown[at - 1],
        "down": _following(order, shown[min(at + 1, len(shown) - 1)]),
        "before": other,
        "after": _following(order, other),
    }
    positions = new_positions(current, moved(order, items, target.get(verb)))
    return [{"uri": uri, "position": position} for uri, position in positions.items()]


def _following(order: list[str], item: str | None) -> str | None:
    """The line item that comes after another; None after the last, and after none."""
    return next(iter(order[order.index(item) + 1 :]), None) if item else None


def _plan(work: WorkQueue) -> HttpResponse:
    """Plan a build; pieces of line items on hold are left out."""
    form = PackForm(work.visit.request.POST, printers=work.printers)
    on_hold = {uuid_of(row["line_item"]) for row in work.rows if row["hold"]}
    selected = [value.partition(":") for value in _selected(work)]
    pieces = [
        key
        for item, _colon, keys in selected
        if item not in on_hold
        for key in keys.split(",")
        if key
    ]
    if not pieces:
        held = _("The selected line items are on hold. Release them first.")
        form.add_error(None, held if selected else _("Select pieces."))
    answer, status = handle_form(form, lambda: work.visit.go(_pack(work, form, pieces)))
    messages = [str(word) for each in form.errors.values() for word in each]
    return answer or show_table(work, status, messages)


def _pack(work: WorkQueue, form: PackForm, pieces: list[str]) -> str:
    """The URI of a run that is being packed."""
    data = form.cleaned_data
    body = {
        "run_name": data["name"],
        "printer": data["printer"],
        "pieces": [f"{base_url('erp')}/piece/{key}/" for key in pieces],
        "do_build_volume_check": not data["some"],
        "budget": data["budget"],
    }
    return work.visit.make("erp", "create-runs", body, key=data["key"])
