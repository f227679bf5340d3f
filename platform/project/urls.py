"""URLconf of the bare domain: service index, health, metrics, console."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import include, path, resolve
from django.utils.cache import patch_vary_headers

from core.uris import base_url
from core.web.internal_client import prefers_html
from ops.client_wheel import NAME, client_wheel
from ops.readiness import impaired_parts, unready_parts
from project.metrics import MetricsView


def index(request: HttpRequest) -> HttpResponse:
    """The first page where a browser asks, otherwise the services' addresses."""
    first_page = resolve("/", urlconf="apps.console.urls").func
    response = first_page(request) if prefers_html(request) else addresses(request)
    patch_vary_headers(response, ["Accept"])
    return response


def addresses(request: HttpRequest) -> JsonResponse:
    """The addresses of the services, of their OpenAPI documents, and of pages that show those."""
    services = {
        name: {
            "url": f"{base_url(name)}/",
            "openapi": f"{base_url(name)}/openapi.json",
            "docs": f"{base_url(name)}/docs/",
        }
        for name in settings.SERVICES
    }
    return JsonResponse({"services": services})


def health(request: HttpRequest) -> JsonResponse:
    """That this process answers; says nothing about the rest."""
    return JsonResponse({"status": "ok"})


def ready(request: HttpRequest) -> JsonResponse:
    """Whether this process can serve: database, storage and schema; 503 where one is missing.

    A bucket that is away takes no process out of service: most of what is asked needs no file.
    """
    missing = unready_parts()
    status = "unready" if missing else "ready"
    body = {"status": status, "missing": missing, "impaired": impaired_parts()}
    return JsonResponse(body, status=503 if missing else 200)


urlpatterns = [
    path("", index, name="index"),
    path("health/", health, name="health"),
    path("ready/", ready, name="ready"),
    path("metrics/", MetricsView.as_view(), name="metrics"),
    path(f"client/{NAME}", client_wheel, name="client-wheel"),
    path("", include("apps.erp.brand_urls")),
    path("", include("apps.console.urls")),
]

handler404 = "apps.console.views.base.errors.not_found"
handler500 = "apps.console.views.base.errors.server_error"
