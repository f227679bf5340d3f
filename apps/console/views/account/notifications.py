"""Notifications of the person: list, read state, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _

from apps.console.domain.messages import Context
from apps.console.domain.notifications import KINDS
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import page_path, pages_of
from apps.console.views.base.preferences import own_path
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.users import Notification

PATH = "/notifications/"
MAX_SHOWN = 50  # on a page
# Kinds of resources without a page, and where they are shown.
ELSEWHERE = {"operation": "/failed/"}


@page("GET")
def notifications(visit: PageContext) -> HttpResponse:
    """What happened, the newest first; all of it or what is unread, of one kind or all."""
    if not visit.person:
        return visit.to_sign_in()
    query = visit.request.GET
    kind = query.get("kind", "") if query.get("kind") in KINDS else ""
    is_unread = query.get("state") == "unread"
    arguments = {
        "filter[kind]": kind or None,
        "filter[unread]": "true" if is_unread else None,
        "sort": "-updated",
        "count_by": "kind",
        "page[limit]": MAX_SHOWN,
        "page[offset]": query.get("page[offset]"),
        "page[after]": query.get("page[after]"),
    }
    rows = visit.api.list("users", PATH, **arguments)
    own = {name: query[name] for name in ("state", "kind") if name in query}
    pages = {way: link and _page_link(link, own) for way, link in pages_of(rows).items()}
    return visit.show(
        "notifications",
        rows=[visit.shown_notification(row) for row in rows["resources"]],
        until=rows["resources"][0]["updated"] if rows["resources"] else "",
        pages=pages,
        states=_states(kind, is_unread=is_unread),
        kinds=_kinds(rows["meta"].get("counts", {}), kind, is_unread=is_unread),
        is_filtered=bool(own),
    )


@page("POST")
def mark_all(visit: PageContext) -> HttpResponse:
    """Mark all notifications as read, those up to what was shown; back to the page."""
    until = visit.request.POST.get("until") or None
    visit.api.ask("POST", f"{base_url('users')}{PATH}mark-as-read/", {"until": until})
    return visit.go(own_path(visit.request.POST.get("next", PATH)))


@page("POST")
def open_subject(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Mark a notification as read, and show what it is about; or go back where that is asked."""
    row: Notification = visit.api.get(f"{base_url('users')}{PATH}{uuid}/")
    visit.api.ask("PUT", row["uri"], {"read": row["updated"]})
    if back := visit.request.POST.get("next"):
        return visit.go(own_path(back))
    path = page_path(row["subject"])
    return visit.go(ELSEWHERE.get(path.split("/")[1], path))


@page("GET", "POST")
def settings(visit: PageContext) -> HttpResponse:
    """Choose the kinds of notifications that the person gets."""
    if not visit.person:
        return visit.to_sign_in()
    if visit.posted:
        chosen = visit.request.POST.getlist("kind")
        muted = [kind for kind in KINDS if kind not in chosen]
        visit.api.ask("PUT", visit.person["uri"], {"muted_notifications": muted})
        return visit.go("/settings/notifications/", done="saved")
    muted = visit.person["muted_notifications"] or []
    return visit.show(
        "notification-settings",
        entries=settings_entries("notifications", visit.rights),
        kinds=[
            {"name": name, **label._asdict(), "chosen": name not in muted}
            for name, label in KINDS.items()
        ],
    )


def _page_link(link: str, own: dict[str, str]) -> str:
    """The link of the API to another page of its list, as one to this page."""
    places = [(name, value) for name, value in parse_qsl(link[1:]) if name.startswith("page[")]
    return f"{PATH}?{urlencode([*own.items(), *places])}"


def _states(kind: str, *, is_unread: bool) -> list[Context]:
    return [
        {"title": _("All"), "path": _path(kind=kind), "chosen": not is_unread},
        {"title": _("Unread"), "path": _path(state="unread", kind=kind), "chosen": is_unread},
    ]


def _kinds(counts: dict[str, int], chosen: str, *, is_unread: bool) -> list[Context]:
    """The kinds that there are, with their numbers; the chosen one leads back to all."""
    state = "unread" if is_unread else ""
    return [
        {
            "title": label.title,
            "count": counts.get(name, 0),
            "path": _path(state=state, kind="" if name == chosen else name),
            "chosen": name == chosen,
        }
        for name, label in KINDS.items()
        if counts.get(name) or name == chosen
    ]


def _path(**arguments: str) -> str:
    query = urlencode({name: value for name, value in arguments.items() if value})
    return f"{PATH}?{query}" if query else PATH
