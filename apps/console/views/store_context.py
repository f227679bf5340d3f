"""Base of the pages for a shop's customers, who have no account."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from apps.console.domain.messages import Context, error_message
from apps.console.views.page import THEME_COOKIE, THEMES, PageContext
from core.web.internal_client import ApiClient, ApiError

if TYPE_CHECKING:
    from manufacturing.generated.sales import CustomerShop


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
        self.front = shop
        if shop["language"] and settings.LANGUAGE_COOKIE_NAME not in self.request.COOKIES:
            translation.activate(shop["language"])

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
