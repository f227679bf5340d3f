"""Paths of resources: in a service's urls, a line a kind."""

from typing import Any

from django.urls import URLPattern, path

from core.api.schema import openapi
from core.api.views import ResourceViewSet

COLLECTION: Any = {"get": "list", "post": "create"}
RESOURCE: Any = {"get": "retrieve", "put": "update", "delete": "destroy"}
READ_LIST: Any = {"get": "list"}
READ: Any = {"get": "retrieve"}


def resources(
    view: type[ResourceViewSet],
    *,
    at: str = "",
    collection: Any = COLLECTION,
    one: Any = RESOURCE,
) -> list[URLPattern]:
    """The paths of a kind: its collection and one of it, with all five verbs unless some are named.

    at : the collection's path, where that is not named as the kind is
    """
    kind = view.kind.KIND
    return [
        path(f"{at or kind}/", view.as_view(collection), name=f"{kind}-list"),
        path(f"{at or kind}/<uuid:uuid>/", view.as_view(one), name=f"{kind}-detail"),
    ]


def document(app: str, service: str, **options: Any) -> URLPattern:
    """The path of a host's OpenAPI document; `app` is where its urls are."""
    view = openapi(f"{app}.urls", service, **options)
    return path("openapi.json", view, name=f"openapi-{service}")
