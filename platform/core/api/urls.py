"""URL patterns of a resource kind and of a host's OpenAPI document."""

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import URLPattern, path

from core.api.docs.views import manual
from core.api.openapi.schema import openapi, reader
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


def document(
    urlconf: str,
    service: str,
    *,
    about: str,
    webhooks: Callable[[], Mapping[str, Mapping[str, Any]]] = dict,
) -> list[URLPattern]:
    """Return the paths of a host's OpenAPI document and of its pages.

    urlconf : the module of its paths
    about   : purpose of the service, one sentence
    webhooks: schemas of the requests that it sends to clients
    """
    read = reader(urlconf, service, about=about, webhooks=webhooks)
    return [
        path("openapi.json", openapi(read), name=f"openapi-{service}"),
        *manual(service, read),
    ]
