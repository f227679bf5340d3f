"""{slicing_url}"""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.slicing.views import ConfigViewSet, SliceViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("config/", ConfigViewSet.as_view({"get": "list"}), name="config-list"),
    path("config/curated/", ConfigViewSet.as_view({"post": "create"}), name="config-curated"),
    path("config/<uuid:uuid>/", ConfigViewSet.as_view(RESOURCE), name="config-detail"),
    path("slice/", SliceViewSet.as_view(COLLECTION), name="slice-list"),
    path(
        "slice/<uuid:uuid>/",
        SliceViewSet.as_view({"get": "retrieve", "delete": "destroy"}),
        name="slice-detail",
    ),
    *callbacks.event_urls("slice/<uuid:uuid>/", SliceViewSet, name="slice-detail"),
    path("openapi.json", openapi("apps.slicing.urls", "slicing"), name="openapi-slicing"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
