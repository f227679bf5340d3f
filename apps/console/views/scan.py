"""Scanning of labels: a code of the camera, or one that is typed, leads to its page."""

from __future__ import annotations

from django.http import HttpResponse

from apps.console.views.page import PageContext, page
from apps.console.views.page_urls import page_path
from apps.console.views.search import MAX_QUERY, exact_page


@page("GET")
def scan(visit: PageContext) -> HttpResponse:
    """The camera and a field; a code in the address leads to the page that it names."""
    if not visit.person:
        return visit.to_sign_in()
    code = " ".join(visit.request.GET.get("q", "").split())[:MAX_QUERY]
    if path := (exact_page(visit, code) or _of_lot(visit, code)) if code else "":
        return visit.go(path)
    return visit.show("scan", 404 if code else 200, code=code)


def _of_lot(visit: PageContext, number: str) -> str:
    """The page of the lot with this number; empty unless there is exactly one."""
    shop = visit.shop
    rows = visit.all_of("stock", limit=2, bureau=shop["uri"], lot=number) if shop else []
    return page_path(rows[0]["uri"]) if len(rows) == 1 else ""
