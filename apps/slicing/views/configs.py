"""Views: configs."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.viewsets import ViewSetMixin

from apps.slicing.domain.catalogue import Preset, catalogue
from apps.slicing.models import Config
from apps.slicing.serializers.config import (
    BundleConfigSerializer,
    ConfigAnswer,
    ConfigEngineSerializer,
    ConfigSerializer,
    DifferencesAnswer,
    PresetConfigSerializer,
    RawConfigSerializer,
    config_resource,
    differences_resource,
)
from apps.slicing.services import bundle_configs, configs, differences, presets, shop_configs
from core.api.fields import StrictSerializer, ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet, only_argument
from core.errors import NotFound

OTHER = OpenApiParameter(
    "other",
    str,
    description="URI of the config or the preset to compare with; empty: the presets that a config "
    "was made of, as they are installed now.",
)


class ConfigViewSet(ResourceViewSet):
    says = {"create": "Create a config from curated parameters"}
    kind = Config
    related = ("owner", "agent_engine")
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


class ConfigEngineView(ApiView):
    """A config with another slicer."""

    @extend_schema(request=ConfigEngineSerializer, responses={201: ConfigAnswer})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Create an equal config with another engine."""
        row = Config.objects.visible_to(self.caller).filter(pk=uuid).first()
        if row is None:
            raise NotFound("There is no such config, or not for you.")
        serializer = ConfigEngineSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        made = shop_configs.find_or_make_shop_config(
            owner=self.caller, config=row, engine=serializer.validated_data["engine"]
        )
        return Response(
            config_resource(made), 201, headers={"Location": made.uri, "X-Location": made.uri}
        )


class DifferencesViewSet(ViewSetMixin, ApiView):
    """The settings in which a config or a preset differs from another."""

    says = {
        "of_config": "Compare a config with another, or with its presets",
        "of_preset": "Compare a preset with another, or with a config",
    }

    @extend_schema(parameters=[OTHER], responses={200: DifferencesAnswer})
    def of_config(self, request: Request, uuid: UUID) -> Response:
        row = Config.objects.visible_to(self.caller).filter(pk=uuid).first()
        return self._answer(request, row)

    @extend_schema(parameters=[OTHER], responses={200: DifferencesAnswer})
    def of_preset(self, request: Request, uuid: UUID) -> Response:
        return self._answer(request, catalogue().by_key.get(uuid))

    def _answer(self, request: Request, row: Config | Preset | None) -> Response:
        if row is None:
            raise NotFound("There is no such config or preset, or not for you.")
        other = None
        if request.query_params:
            other = only_argument(
                request.query_params,
                "other",
                of="A comparison",
                remedy="Send the URI of the config or the preset to compare with: ?other=...",
            )
        result = differences.compare(user=self.caller, first=row, other=other)
        return Response(differences_resource(result))


class RawConfigViewSet(ConfigViewSet):
    """A config that is an engine's own config file; read, changed and listed like any other."""

    says = {"create": "Create a config from a config file of the engine"}
    serializer_class = RawConfigSerializer

    def perform_create(self, values: ValidatedData) -> Config:
        return configs.create_raw(actor=self.caller, **values)


class BundleConfigViewSet(ConfigViewSet):
    """A config of presets in a file of a slicer; kept, read and listed as a raw one."""

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
