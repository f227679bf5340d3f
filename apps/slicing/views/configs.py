"""Views: configs."""

from apps.slicing.models import Config
from apps.slicing.serializers.config import (
    BundleConfigSerializer,
    ConfigSerializer,
    PresetConfigSerializer,
    RawConfigSerializer,
    config_resource,
)
from apps.slicing.services import bundle_configs, configs, presets
from core.api.fields import StrictSerializer, ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class ConfigViewSet(ResourceViewSet):
    says = {"create": "Create a config from curated parameters"}
    kind = Config
    related = ("owner",)
    serializer_class: type[StrictSerializer] = ConfigSerializer
    writes = configs
    represent = staticmethod(config_resource)
    listing = ListOptions(
        filters={
            "engine": Column("engine"),
            "kind": Column("kind"),
            "fitted": Column("fitted", list_queries.boolean),
            "created": Column("created", list_queries.time, ordered=True),
        },
        search={"description": "description"},
        sort={"created": "uuid", "description": "description", "engine": "engine"},
    )


class RawConfigViewSet(ConfigViewSet):
    """A config that is an engine's own config file; read, changed and listed like any other."""

    says = {"create": "Create a config from a config file of the engine"}
    serializer_class = RawConfigSerializer

    def perform_create(self, values: ValidatedData) -> Config:
        return configs.create_raw(actor=self.caller, **values)


class BundleConfigViewSet(ConfigViewSet):
    """A config of presets in a config bundle; kept, read and listed as a raw one."""

    says = {"create": "Create a config from a config bundle"}
    serializer_class = BundleConfigSerializer

    def perform_create(self, values: ValidatedData) -> Config:
        return bundle_configs.create_bundle_config(actor=self.caller, **values)


class PresetConfigViewSet(ConfigViewSet):
    """A config of a printer's preset, a print's and a filament's."""

    says = {"create": "Create a config from presets"}
    serializer_class = PresetConfigSerializer

    def perform_create(self, values: ValidatedData) -> Config:
        return presets.create_preset_config(owner=self.caller, **values)
