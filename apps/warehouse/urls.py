"""URLs of the models host."""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.warehouse.views.labels import LabelViewSet
from apps.warehouse.views.models import ModelViewSet, TransformationViewSet
from apps.warehouse.views.renditions import ContentView, PreviewView, ThumbnailView
from apps.warehouse.views.snapshots import SnapshotViewSet
from apps.warehouse.views.versions import ModelVersionViewSet
from core.api.urls import READ, READ_LIST, document, resources

SNAPSHOTS = "model/<uuid:model>/snapshot"

urlpatterns = [
    *resources(ModelViewSet),
    *resources(
        LabelViewSet,
        at="model/labels",
        collection=READ_LIST | {"put": "update_many"},
        one=READ | {"delete": "destroy"},
    ),
    *resources(ModelVersionViewSet, at="model/versions"),
    *resources(SnapshotViewSet, at=SNAPSHOTS),
    path(
        "model/<uuid:model>/transformation/",
        TransformationViewSet.as_view({"post": "create"}),
        name="transformation-list",
    ),
    path("model/<uuid:model>/preview/", PreviewView.as_view(), name="model-preview"),
    path("model/<uuid:model>/content/", ContentView.as_view(), name="model-content"),
    path("model/<uuid:model>/thumbnail/", ThumbnailView.as_view(), name="model-thumbnail"),
    *callbacks.event_urls(ModelViewSet),
    *callbacks.event_urls(SnapshotViewSet, at=SNAPSHOTS),
    *document(
        "apps.warehouse.urls",
        "models",
        about="3D models: upload, analysis, transformation, snapshots and preview meshes.",
    ),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
