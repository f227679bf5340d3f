"""Views of the API reference."""

import functools
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.cache import patch_vary_headers

from core.api.docs import code_samples
from core.api.docs.document import ResourcePage, pages, search
from core.api.exception_handler import not_found, read_only
from core.uris import base_url
from core.web.internal_client import ApiClient, ApiError, NotSignedIn, page_answer, prefers_html

MAX_SEARCH_LENGTH = 100  # characters
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def manual(service: str, read: Callable[[], Mapping[str, Any]]) -> list[URLPattern]:
    """The paths of a host's pages; `read()` is its OpenAPI document."""

    @functools.cache
    def known() -> tuple[Mapping[str, Any], dict[str, ResourcePage]]:
        document = read()
        return document["info"], pages(document)

    def show(request: HttpRequest, chosen: list[ResourcePage], title: str) -> HttpResponse:
        info, every = known()
        base = base_url(service)
        words = " ".join(request.GET.get("q", "").split())[:MAX_SEARCH_LENGTH]
        context = {
            "words": words,
            "found": search(every, words),
            "info": info,
            "service": service,
            "services": [(name, f"{base_url(name)}/docs/") for name in settings.SERVICES],
            "title": title,
            "pages": [_with_code(page, base) for page in chosen],
            "all_pages": every,
            "base": base,
            "home": base_url(""),
            "person": _is_signed_in(request),
            "sign_in": f"{base_url('')}/sign-in/?{urlencode({'next': '/'})}",
        }
        return page_answer(request, render_to_string("manual/page.html", context), policy=POLICY)

    def first(request: HttpRequest) -> HttpResponse:
        if not prefers_html(request):
            response = not_found(request)
            base = base_url(service)
            response["Link"] = (
                f'<{base}/docs/>; rel="service-doc", <{base}/openapi.json>; rel="service-desc"'
            )
            return response
        response = HttpResponseRedirect("/docs/")
        patch_vary_headers(response, ["Accept"])
        return response

    def index(request: HttpRequest) -> HttpResponse:
        return show(request, [], "")

    def whole(request: HttpRequest) -> HttpResponse:
        return show(request, list(known()[1].values()), "all")

    def resource(request: HttpRequest, name: str) -> HttpResponse:
        page = known()[1].get(name)
        return show(request, [page], name) if page else not_found(request)

    return [
        path("", read_only(first), name=f"first-{service}"),
        path("docs/", read_only(index), name=f"docs-{service}"),
        path("docs/all/", read_only(whole), name=f"docs-all-{service}"),
        path("docs/<str:name>/", read_only(resource), name=f"docs-page-{service}"),
    ]


def _with_code(page: ResourcePage, base: str) -> dict[str, object]:
    operations = [
        {
            "operation": one,
            "curl": code_samples.curl(one, base),
            "python": code_samples.python(one, base),
            "examples": [
                code_samples.example_text(answer)
                for answer in one.answers
                if answer.example is not None
            ],
        }
        for one in page.operations
    ]
    return {"name": page.name, "operations": operations, "tables": page.tables}


def _is_signed_in(request: HttpRequest) -> bool:
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return False
    try:
        return bool(ApiClient(request).get(f"{base_url('users')}/sessions/"))
    except (ApiError, NotSignedIn):  # the page can be read without
        return False
