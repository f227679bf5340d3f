"""Error pages (404, 500), or JSON."""

from contextlib import suppress

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _

from apps.console.views.base.page import POLICY, PageContext
from apps.console.views.base.store_context import VisitContext
from core.api import exception_handler
from core.errors import ErrorEntry
from core.web.internal_client import ApiError, prefers_html


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler404."""
    if not prefers_html(request):
        return exception_handler.not_found(request, exception)
    with translation.override(translation.get_language_from_request(request)):
        error: ErrorEntry = {"code": "resource-not-found", "title": ""}
        return PageContext(request).refuse(ApiError(404, [error], {}))


def store_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler404 of a shop's own domain: a page of the shop."""
    with translation.override(translation.get_language_from_request(request)):
        visit = VisitContext(request)
        with suppress(ApiError, Http404):  # without its brand where the storefront is closed
            visit.visit_storefront(visit.own_slug)
        return visit.refuse(ApiError(404, [], {}))


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: asks nothing of anybody, since that may be what has failed."""
    if not prefers_html(request):
        return exception_handler.server_error(request)
    with translation.override(translation.get_language_from_request(request)):
        text = _("Something went wrong on our side. Request ID for support: %(number)s")
        number = {"number": getattr(request, "id", "")}
        response = HttpResponse(f"<!doctype html><title>500</title><p>{text % number}", status=500)
        response["Content-Security-Policy"] = POLICY
        return response
