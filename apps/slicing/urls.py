"""URLs of the slicing host."""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.slicing.views.configs import (
    BundleConfigViewSet,
    ConfigEngineView,
    ConfigViewSet,
    DifferencesViewSet,
    PresetConfigViewSet,
    RawConfigViewSet,
)
from apps.slicing.views.constraints import AssociationViewSet, ConstraintViewSet
from apps.slicing.views.cura_machines import CuraMachineViewSet
from apps.slicing.views.engines import EngineViewSet
from apps.slicing.views.gcodes import GcodeViewSet
from apps.slicing.views.layers import GcodeLayerViewSet, SliceLayerViewSet
from apps.slicing.views.presets import PresetViewSet
from apps.slicing.views.printer_gcodes import GcodeProposalViewSet, PrinterGcodeViewSet
from apps.slicing.views.slices import PlateObjectViewSet, SliceSettingsViewSet, SliceViewSet
from core.api.urls import COLLECTION, READ, READ_LIST, document, resources

READ_AND_DELETE = {"get": "retrieve", "delete": "destroy"}
WITH_LAYERS = (("gcode", GcodeLayerViewSet), ("slice", SliceLayerViewSet))

urlpatterns = [
    path("config/bundle/", BundleConfigViewSet.as_view({"post": "create"}), name="config-bundle"),
    path("config/curated/", ConfigViewSet.as_view({"post": "create"}), name="config-curated"),
    path("config/preset/", PresetConfigViewSet.as_view({"post": "create"}), name="config-preset"),
    path("config/raw/", RawConfigViewSet.as_view({"post": "create"}), name="config-raw"),
    *resources(ConfigViewSet, collection=READ_LIST),
    path("config/<uuid:uuid>/engine/", ConfigEngineView.as_view(), name="config-engine"),
    *(
        path(
            f"{kind}/<uuid:uuid>/differences/",
            DifferencesViewSet.as_view({"get": f"of_{kind}"}),
            name=f"{kind}-differences",
        )
        for kind in ("config", "preset")
    ),
    *resources(CuraMachineViewSet, collection=READ_LIST, one=READ),
    path(
        "cura-machine/<uuid:uuid>/choices/",
        CuraMachineViewSet.as_view({"get": "choices"}),
        name="cura-machine-choices",
    ),
    *resources(EngineViewSet, collection=READ_LIST, one=READ),
    *resources(PresetViewSet, collection=READ_LIST, one=READ),
    path(
        "preset/<uuid:uuid>/gcode-proposal/",
        GcodeProposalViewSet.as_view(READ),
        name="preset-gcode-proposal",
    ),
    path(
        "preset/<uuid:uuid>/gcode-translation/",
        GcodeProposalViewSet.as_view({"post": "translate"}),
        name="preset-gcode-translation",
    ),
    *resources(PrinterGcodeViewSet, collection=COLLECTION, one=READ_AND_DELETE),
    *resources(ConstraintViewSet),
    *resources(AssociationViewSet),
    *resources(GcodeViewSet),
    *resources(SliceViewSet),
    *(
        path(f"{kind}/<uuid:uuid>/{rest}", view.as_view(verbs), name=f"{kind}-layer-{name}")
        for kind, view in WITH_LAYERS
        for rest, verbs, name in (
            ("layers/", READ_LIST, "list"),
            ("layers/<int:number>/", READ, "detail"),
        )
    ),
    *(
        path(f"{kind}/<uuid:uuid>/paths/", view.as_view({"get": "paths"}), name=f"{kind}-paths")
        for kind, view in WITH_LAYERS
    ),
    path(
        "slice/<uuid:uuid>/objects/",
        PlateObjectViewSet.as_view(READ_LIST),
        name="slice-object-list",
    ),
    path(
        "slice/<uuid:uuid>/settings/",
        SliceSettingsViewSet.as_view(READ),
        name="slice-settings",
    ),
    *callbacks.event_urls(SliceViewSet),
    *document(
        "apps.slicing.urls",
        "slicing",
        about="Slicing: configs, presets, constraints, slices and G-code.",
    ),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
