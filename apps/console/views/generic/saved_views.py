"""Saved views of lists: filters, order and columns under a name, of the person alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from django.http import HttpResponse

from apps.console.domain.messages import Context, Shown
from apps.console.domain.resources.list_view import ListView
from apps.console.domain.resources.resource_kinds import BY_NAME
from apps.console.domain.resources.resource_labels import field_label
from apps.console.domain.resources.resource_schema import HIDDEN, Field
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import uuid_of
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.users import SavedView

MAX_SHOWN = 50


def views_of_list(visit: PageContext, view: ListView, columns: Sequence[Field]) -> Context:
    """The saved views of a list, what would be saved, and the columns to choose from."""
    arguments = {"filter[page]": view.kind.path, "sort": "name", "page[limit]": MAX_SHOWN}
    rows: list[SavedView] = visit.api.list("users", "/saved-views/", **arguments)["resources"]
    chosen = [field.name for field in columns]
    query = view.query() or view.query(columns=",".join(chosen))
    others = [field for field in view.schema.shown if field.name not in {*chosen, *HIDDEN, "uri"}]
    return {
        "rows": [_shown(row, query) for row in rows],
        "query": query,
        "columns": [
            {"name": field.name, "label": field_label(field.name), "chosen": field.name in chosen}
            for field in (*columns, *others)
        ],
    }


@page("POST")
def change(visit: PageContext, kind: str) -> HttpResponse:
    """Save a view of a list, delete one, or show the list with other columns."""
    path, form = BY_NAME[kind].path, visit.request.POST
    if "delete" in form:
        visit.api.ask(
            "DELETE", f"{base_url('users')}/saved-views/{quote(form['delete'], safe='')}/"
        )
        return visit.go(f"{path}?{form.get('query', '')}")
    body = {name: form.get(name, "") for name in ("name", "query")}
    visit.api.ask("POST", f"{base_url('users')}/saved-views/", {**body, "page": path})
    return visit.go(f"{path}?{body['query']}&done=view-saved")


def _shown(row: SavedView, query: str) -> Shown:
    path = f"{row['page']}?{row['query']}"
    return {
        "name": row["name"],
        "path": path,
        "key": uuid_of(row["uri"]),
        "chosen": row["query"] == query,
    }
