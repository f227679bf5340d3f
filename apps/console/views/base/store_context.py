"""Base of the pages for a shop's customers, who have no account."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

import orjson
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from apps.console.domain.messages import Context, error_message
from apps.console.views.base.page import POLICY, THEME_COOKIE, THEMES, PageContext
from apps.console.views.base.page_urls import uuid_of
from core.uris import base_url
from core.web.internal_client import ApiClient, ApiError, NotSignedIn
from core.web.site_urls import domain_of

if TYPE_CHECKING:
    from manufacturing.generated.sales import (
        CustomerAccount,
        CustomerSession,
        CustomerShop,
        OrderOfShareLink,
        StorefrontPage,
        Visit,
    )

VISIT_COOKIE, ACCOUNT_COOKIE = "visit", "customer"
SESSION_DAYS = 30
DAY = 86400


def _own_path(url: str | None) -> str | None:
    """The path and query of an address of ours."""
    return urlsplit(url)._replace(scheme="", netloc="").geturl() if url else None


class StoreContext(PageContext):
    """One request of a customer of a shop.

    api   : the API without any credentials
    front : name, brand and contact of the shop, as the API returns them; None until they are read
    """

    def __init__(self, request: HttpRequest):
        super().__init__(request)
        self.api = ApiClient(request, token="")
        self.front: CustomerShop | None = None

    @cached_property
    def person(self) -> None:
        """Nobody: the pages are the same for who has an account."""
        return None

    def enter(self, shop: CustomerShop) -> None:
        """Show a shop, in its language unless the visitor has chosen one."""
        # Brands are at each host that shows pages of shops.
        self.front = {**shop, "logo": _own_path(shop["logo"]), "style": _own_path(shop["style"])}
        if shop["language"] and settings.LANGUAGE_COOKIE_NAME not in self.request.COOKIES:
            translation.activate(shop["language"])

    @property
    def own_slug(self) -> str:
        """The storefront of the domain that the request came to; empty on the bare domain."""
        return settings.STOREFRONT_DOMAINS.get(domain_of(self.request), "")

    def shared_order(self, token: str) -> OrderOfShareLink:
        """Read an order by its link, and show its shop.

        Raises ApiError, and Http404 on the domain of another shop.
        """
        answer: OrderOfShareLink = self.api.get(f"{base_url('sales')}/shared-order/{token}/")
        domain = domain_of(self.request)
        if domain and domain not in answer["domains"]:
            raise Http404
        self.enter(answer["shop"])
        return answer

    def show(self, template: str, status: int = 200, **context: object) -> HttpResponse:
        return super().show(f"store/{template}", status, front=self.front, **context)

    def _frame(self) -> Context:
        chosen = self.request.COOKIES.get(THEME_COOKIE, "")
        return {
            "languages": settings.LANGUAGES,
            "theme": chosen if chosen in dict(THEMES) else "system",
        }

    def refuse(self, declined: ApiError) -> HttpResponse:
        status = declined.http_status
        sentences = [] if status == 404 else [error_message(error) for error in declined.errors]
        response = self.show("refused", status, words=sentences)
        if wait := declined.headers.get("Retry-After"):
            response["Retry-After"] = wait
        return response


class VisitContext(StoreContext):
    """One request of a visitor of a storefront, who has a visit once something was uploaded.

    api        : the API as the visit has it, where there is one
    storefront : as the API returns it; None until it is read
    """

    key = ""  # of the visit; empty without one

    def __init__(self, request: HttpRequest):
        super().__init__(request)
        self.public = self.api
        key, _, token = request.COOKIES.get(VISIT_COOKIE, "").partition(".")
        with suppress(ValueError):  # of a cookie that was changed
            self.key = str(UUID(key))
        self.api = ApiClient(request, token=token)
        self.storefront: StorefrontPage | None = None

    def visit_storefront(self, slug: str) -> StorefrontPage:
        """Read the storefront with this slug.

        Raises ApiError (404), and Http404 on the domain of another storefront.
        """
        if self.own_slug not in ("", slug):
            raise Http404
        self.storefront = page = self.public.get(f"{base_url('sales')}/store/{slug}/")
        self.enter(page["shop"])
        return page

    @property
    def visit_uri(self) -> str:
        """The URI of the visit."""
        return f"{base_url('sales')}/visit/{self.key}/"

    @cached_property
    def visit(self) -> Visit | None:
        """The visit; None before it has begun, and after its end.

        A customer who is signed in has it priced for the account.
        """
        try:
            visit: Visit | None = self.api.find(self.visit_uri) if self.key else None
            if visit and self._sign_in_visit(visit):
                visit = self.api.find(self.visit_uri)
        except NotSignedIn:
            return None
        return visit

    def _sign_in_visit(self, visit: Visit) -> bool:
        """Sign the customer in at the visit; whether that has changed it."""
        if visit["is_signed_in"] or self.account is None:
            return False
        _key, _, pair = self.request.COOKIES[ACCOUNT_COOKIE].partition(".")
        token, _, secret = pair.partition(":")
        body = {"token": token, "secret": secret}
        self.api.ask("POST", f"{self.visit_uri}sign-in/", body)
        return True

    def begin(self) -> str:
        """Begin a visit, unless there is one; return its cookie, or nothing where that is there."""
        if self.visit is not None or self.storefront is None:
            return ""
        body = {"storefront": self.storefront["slug"]}
        answer = self.public.ask("POST", f"{base_url('sales')}/visit/", body)
        made = orjson.loads(answer.content)
        self.key, token = uuid_of(made["uri"]), f"{made['token']}:{made['secret']}"
        self.api = ApiClient(self.request, token=token)
        return f"{self.key}.{token}"

    def keep(self, response: HttpResponse, cookie: str) -> HttpResponse:
        """Set the cookie of a visit that has begun; no script and no other shop gets it."""
        if cookie and self.storefront is not None:
            self._set_cookie(response, VISIT_COOKIE, cookie, self.storefront["days_kept"])
        return response

    @cached_property
    def customer(self) -> ApiClient | None:
        """The API as the signed-in customer has it; None without a cookie of one."""
        _key, _, token = self.request.COOKIES.get(ACCOUNT_COOKIE, "").partition(".")
        return ApiClient(self.request, token=token) if token else None

    @cached_property
    def account(self) -> CustomerAccount | None:
        """The account of the customer; None for who is not signed in."""
        key, _, _token = self.request.COOKIES.get(ACCOUNT_COOKIE, "").partition(".")
        try:
            uri = f"{base_url('sales')}/customer-account/{UUID(key)}/"
            return self.customer.find(uri) if self.customer else None
        except (ValueError, NotSignedIn):
            return None

    def remember(self, response: HttpResponse, session: CustomerSession) -> HttpResponse:
        """Set the cookie of a customer who has signed in."""
        key = uuid_of(session["account"]["uri"])
        cookie = f"{key}.{session['token']}:{session['secret']}"
        self._set_cookie(response, ACCOUNT_COOKIE, cookie, SESSION_DAYS)
        return response

    def forget_customer(self, response: HttpResponse) -> HttpResponse:
        """Delete the cookie of a customer."""
        self._set_cookie(response, ACCOUNT_COOKIE, "", 0)
        return response

    @property
    def is_framed(self) -> bool:
        """Whether the request is of a page in the frame of another website.

        Browsers say so for pages; scripts of a framed page say it themselves.
        """
        is_frame = self.request.headers.get("Sec-Fetch-Dest") == "iframe"
        return is_frame or "framed" in self.request.GET

    def _set_cookie(self, response: HttpResponse, name: str, value: str, days: int) -> None:
        max_age = days * DAY
        # A domain of a shop's own has one storefront, whose page is also at `/`.
        is_path = self.storefront is not None and not self.own_slug
        path = f"/s/{self.storefront['slug']}/" if self.storefront and is_path else "/"
        if self.is_framed:
            # Browsers take a cookie of a frame only partitioned, a word that Python 3.11 lacks.
            options = f"Max-Age={max_age}; Path={path}; HttpOnly; Secure; SameSite=None"
            response["Set-Cookie"] = f"{name}={value}; {options}; Partitioned"
            return
        response.set_cookie(
            name,
            value,
            max_age=max_age,
            path=path,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )

    def show(self, template: str, status: int = 200, **context: object) -> HttpResponse:
        context |= {"storefront": self.storefront, "is_framed": self.is_framed}
        response = super().show(template, status, **context)
        if self.storefront is not None and self.storefront["origins"]:
            ancestors = " ".join(self.storefront["origins"])
            policy = POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {ancestors}")
            response["Content-Security-Policy"] = policy
        patch_vary_headers(response, ["Sec-Fetch-Dest"])
        return response

    def to_sign_in(self) -> HttpResponse:
        """The visit has ended: the pages of the storefront begin a new one."""
        slug = self.storefront["slug"] if self.storefront is not None else ""
        response = self.go(f"/s/{slug}/" if slug else "/", done="visit-over")
        self._set_cookie(response, VISIT_COOKIE, "", 0)
        return response
