"""{models_url}"""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.warehouse.views.models import ModelViewSet, TransformationViewSet
from apps.warehouse.views.renditions import PreviewView, ThumbnailView
from apps.warehouse.views.snapshots import SnapshotViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("model/", ModelViewSet.as_view(COLLECTION), name="model-list"),
    path("model/<uuid:uuid>/", ModelViewSet.as_view(RESOURCE), name="model-detail"),
    path("model/<uuid:model>/snapshot/", SnapshotViewSet.as_view(COLLECTION), name="snapshot-list"),
    path(
        "model/<uuid:model>/snapshot/<uuid:uuid>/",
        SnapshotViewSet.as_view(RESOURCE),
        name="snapshot-detail",
    ),
    path(
        "model/<uuid:model>/transformation/",
        TransformationViewSet.as_view({"post": "create"}),
        name="transformation-list",
    ),
    path("model/<uuid:model>/preview/", PreviewView.as_view(), name="model-preview"),
    path("model/<uuid:model>/thumbnail/", ThumbnailView.as_view(), name="model-thumbnail"),
    *callbacks.event_urls("model/<uuid:uuid>/", ModelViewSet, name="model-detail"),
    *callbacks.event_urls(
        "model/<uuid:model>/snapshot/<uuid:uuid>/", SnapshotViewSet, name="snapshot-detail"
    ),
    path("openapi.json", openapi("apps.warehouse.urls", "models"), name="openapi-models"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
