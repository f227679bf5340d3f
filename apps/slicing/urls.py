"""{slicing_url}"""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.slicing.views.configs import ConfigViewSet, RawConfigViewSet
from apps.slicing.views.constraints import AssociationViewSet, ConstraintViewSet
from apps.slicing.views.gcodes import GcodeViewSet
from apps.slicing.views.layers import GcodeLayerViewSet, SliceLayerViewSet
from apps.slicing.views.slices import SliceViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("config/", ConfigViewSet.as_view({"get": "list"}), name="config-list"),
    path("config/curated/", ConfigViewSet.as_view({"post": "create"}), name="config-curated"),
    path("config/raw/", RawConfigViewSet.as_view({"post": "create"}), name="config-raw"),
    path("config/<uuid:uuid>/", ConfigViewSet.as_view(RESOURCE), name="config-detail"),
    path("constraint/", ConstraintViewSet.as_view(COLLECTION), name="constraint-list"),
    path("constraint/<uuid:uuid>/", ConstraintViewSet.as_view(RESOURCE), name="constraint-detail"),
    path("constraint-model/", AssociationViewSet.as_view(COLLECTION), name="constraint-model-list"),
    path(
        "constraint-model/<uuid:uuid>/",
        AssociationViewSet.as_view(RESOURCE),
        name="constraint-model-detail",
    ),
    path("gcode/", GcodeViewSet.as_view(COLLECTION), name="gcode-list"),
    path("gcode/<uuid:uuid>/", GcodeViewSet.as_view(RESOURCE), name="gcode-detail"),
    path(
        "gcode/<uuid:uuid>/layers/",
        GcodeLayerViewSet.as_view({"get": "list"}),
        name="gcode-layer-list",
    ),
    path(
        "gcode/<uuid:uuid>/layers/<int:number>/",
        GcodeLayerViewSet.as_view({"get": "retrieve"}),
        name="gcode-layer-detail",
    ),
    path("slice/", SliceViewSet.as_view(COLLECTION), name="slice-list"),
    path("slice/<uuid:uuid>/", SliceViewSet.as_view(RESOURCE), name="slice-detail"),
    path(
        "slice/<uuid:uuid>/layers/",
        SliceLayerViewSet.as_view({"get": "list"}),
        name="slice-layer-list",
    ),
    path(
        "slice/<uuid:uuid>/layers/<int:number>/",
        SliceLayerViewSet.as_view({"get": "retrieve"}),
        name="slice-layer-detail",
    ),
    *callbacks.event_urls("slice/<uuid:uuid>/", SliceViewSet, name="slice-detail"),
    path("openapi.json", openapi("apps.slicing.urls", "slicing"), name="openapi-slicing"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
