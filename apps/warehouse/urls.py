"""{models_url}"""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.warehouse.views import ModelViewSet, SnapshotViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("model/", ModelViewSet.as_view(COLLECTION), name="model-list"),
    path("model/<uuid:uuid>/", ModelViewSet.as_view(RESOURCE), name="model-detail"),
    path("model/<uuid:model>/snapshot/", SnapshotViewSet.as_view(COLLECTION), name="snapshot-list"),
    path(
        "model/<uuid:model>/snapshot/<uuid:uuid>/",
        SnapshotViewSet.as_view({"get": "retrieve"}),
        name="snapshot-detail",
    ),
    *callbacks.event_urls("model/<uuid:uuid>/", ModelViewSet, name="model-detail"),
    *callbacks.event_urls(
        "model/<uuid:model>/snapshot/<uuid:uuid>/", SnapshotViewSet, name="snapshot-detail"
    ),
    path("openapi.json", openapi("apps.warehouse.urls", "models"), name="openapi-models"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
