"""Navigation as a page; preferences that a browser keeps in cookies: language, theme, shop."""

from django.conf import settings
from django.http import HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme

from apps.console.views.base.page import SHOP_COOKIE, THEME_COOKIE, THEMES, PageContext, page
from apps.console.views.base.page_urls import uuid_of

YEAR = 365 * 24 * 3600  # s


@page("GET")
def more(visit: PageContext) -> HttpResponse:
    """All entries of the navigation as a list, for phones."""
    return visit.show("more") if visit.person else visit.to_sign_in()


@page("POST")
def choose_language(visit: PageContext) -> HttpResponse:
    """Keep the language; visitors without an account have one as well."""
    chosen = visit.request.POST.get("language", "")
    return _with_cookie(
        visit,
        settings.LANGUAGE_COOKIE_NAME,
        chosen if chosen in dict(settings.LANGUAGES) else "",
    )


@page("POST")
def choose_theme(visit: PageContext) -> HttpResponse:
    """Keep the theme: light, dark, or that of the system."""
    chosen = visit.request.POST.get("theme", "")
    return _with_cookie(visit, THEME_COOKIE, chosen if chosen in dict(THEMES) else "")


@page("POST")
def choose_shop(visit: PageContext) -> HttpResponse:
    """Keep the shop whose queue, printers and orders the navigation leads to."""
    shop = visit.shop_with_key(visit.request.POST.get("shop", ""))
    return _with_cookie(visit, SHOP_COOKIE, uuid_of(shop["uri"]) if shop else "")


def _with_cookie(visit: PageContext, cookie: str, value: str) -> HttpResponse:
    """Back to the page of the form, with a cookie; with no new one where the value is empty."""
    response = visit.go(own_path(visit.request.POST.get("next", "")))
    return keep(response, cookie, value) if value else response


def keep(response: HttpResponse, cookie: str, value: str) -> HttpResponse:
    """Return the answer with a cookie that lasts a year."""
    response.set_cookie(
        cookie,
        value,
        max_age=YEAR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def own_path(address: str) -> str:
    """Return a path of this site to go on to; the first page for anything else."""
    own = address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if own else "/"
