"""Scanning of labels: a code of the camera, of a photo, or one that is typed leads to its page."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.services.photos import UnreadablePhoto, codes_in
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import page_path
from apps.console.views.generic.search import MAX_QUERY, exact_page
from core.errors import RateLimited

MISSING = _("Take or choose a photo first.")
UNREADABLE = _("The photo cannot be read. Send a JPEG, PNG or WebP of at most 50 megapixels.")
WITHOUT_CODE = _(
    "No code was found in the photo. Take it from closer, in good light, with the whole code in it."
)
BUSY = _("Other photos are being read. Send it again in a few seconds.")


@page("GET", "POST")
def scan(visit: PageContext) -> HttpResponse:
    """The camera and a field; a code in the address or a photo leads to the page that it names."""
    if not visit.person:
        return visit.to_sign_in()
    if visit.posted:
        return _read_photo(visit, visit.person["uri"])
    return _open(visit, [visit.request.GET.get("q", "")])


def _read_photo(visit: PageContext, account: str) -> HttpResponse:
    """Lead to the page of the first code in the photo that has one."""
    photo = visit.request.FILES.get("photo")
    try:
        codes = codes_in(photo.read(), account=account) if photo else []
    except UnreadablePhoto:
        return _refuse(visit, UNREADABLE)
    except RateLimited:
        return _refuse(visit, BUSY, HTTPStatus.TOO_MANY_REQUESTS)
    if not codes:
        return _refuse(visit, WITHOUT_CODE if photo else MISSING)
    return _open(visit, codes)


def _refuse(
    visit: PageContext, sentence: str | Promise, status: int = HTTPStatus.BAD_REQUEST
) -> HttpResponse:
    return visit.show("scan", status, refused=sentence)


def _open(visit: PageContext, codes: list[str]) -> HttpResponse:
    """Lead to the page of the first code that has one."""
    texts = [text for code in codes if (text := " ".join(code.split())[:MAX_QUERY])]
    for text in texts:
        if path := exact_page(visit, text) or _of_lot(visit, text):
            return visit.go(path)
    return visit.show("scan", 404 if texts else 200, code=texts[0] if texts else "")


def _of_lot(visit: PageContext, number: str) -> str:
    """The page of the lot with this number; empty unless there is exactly one."""
    shop = visit.shop
    rows = visit.all_of("stock", limit=2, bureau=shop["uri"], lot=number) if shop else []
    return page_path(rows[0]["uri"]) if len(rows) == 1 else ""
