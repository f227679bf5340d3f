"""Display helpers: thumbnails, links, estimates."""

from collections.abc import Iterable
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from apps.warehouse import interface as warehouse
from core.web.admin_base import FirstRows


def add_pictures(rows: Iterable[Any]) -> None:
    """Where the picture of each row's model is, as `picture`: asked for all of them at once."""
    found = warehouse.pictures_of({row.model_uri for row in rows if row.model_uri})
    for row in rows:
        row.picture = found.get(row.model_uri)


class Pictured(ChangeList):
    """A list whose rows know the pictures of their models."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows = list(self.result_list)
        add_pictures(rows)
        self.result_list = rows  # type: ignore[assignment]


class PicturedRows(FirstRows):
    """Rows below another that know the pictures of their models."""

    def get_queryset(self) -> Any:
        known = hasattr(self, "_queryset")
        rows = super().get_queryset()
        if not known:
            add_pictures(rows)
        return rows


def image(url: str | None, *, width: int) -> str:
    """A picture, in a page."""
    return format_html('<img src="{}" width="{}" alt="">', url, width) if url else "-"


def listed(kind: Any, words: Any, **of: Any) -> str:
    """A link to the list of the rows of a kind that belong to another."""
    url = reverse(f"admin:{kind._meta.app_label}_{kind._meta.model_name}_changelist")
    query = "&".join(f"{column}={key}" for column, key in of.items())
    return format_html('<a href="{}?{}">{}</a>', url, query, words)


def cost_of(estimates: dict[str, Any] | None) -> str:
    """What an estimate comes to."""
    cost = (estimates or {}).get("cost") or {}
    return "-" if cost.get("amount") is None else f"{cost['amount']} {cost['currency']}"
