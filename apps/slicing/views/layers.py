"""Views: layers (toolpaths) of slices and uploaded gcode."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.viewsets import ViewSetMixin

from apps.slicing.models import Gcode, LayerPaths, Slice
from apps.slicing.serializers.gcode import (
    DrawnLayerAnswer,
    LayerAnswer,
    PathsAnswer,
    drawn_layer,
    layer_resource,
    paths_resource,
)
from apps.slicing.services import layers
from core.api.lists.list_queries import ListOptions
from core.api.lists.pagination import asked_url, page_of
from core.api.renderers import Response
from core.api.views import ApiView
from core.errors import NotFound
from core.uris import build_uri

WAIT = "1"  # seconds, until it is worth asking again


class LayerViewSet(ViewSetMixin, ApiView):
    """The layers of what `rows` finds."""

    listing = ListOptions(sort={})
    path_name: str  # of the list

    def rows(self) -> QuerySet[Any]:
        """What the caller may read."""
        raise NotImplementedError

    def row(self, uuid: UUID) -> Any:
        found = self.rows().filter(pk=uuid).first()
        if found is None:
            raise NotFound("There is no such resource, or not for you.")
        return found

    def uri(self, uuid: UUID, number: int) -> str:
        return f"{build_uri('slicing', self.path_name, uuid=uuid)}{number}/"

    @extend_schema(responses={200: LayerAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        asked = self.listing.read(request.query_params)
        index = layers.read_index(self.row(uuid))
        found, links, meta = page_of(range(len(index)), asked, url=asked_url(request._request))
        resources = [
            layer_resource(self.uri(uuid, number), number, index.layer(number)) for number in found
        ]
        return Response({"links": links, "meta": meta, "resources": resources})

    @extend_schema(responses={200: DrawnLayerAnswer})
    def retrieve(self, request: Request, uuid: UUID, number: int) -> Response:
        row = self.row(uuid)
        index = layers.read_index(row)
        paths, complete = layers.read_layer(row, index, number)
        layer = index.layer(number)
        return Response(
            drawn_layer(self.uri(uuid, number), number, layer, paths, complete=complete)
        )

    @extend_schema(
        responses={
            200: PathsAnswer,
            202: OpenApiResponse(
                PathsAnswer, description="Processing started; see the Retry-After header."
            ),
        }
    )
    def paths(self, request: Request, uuid: UUID) -> Response:
        row = self.row(uuid)
        paths = layers.find_paths(row)
        body = paths_resource(paths, f"{row.KIND}-{row.uuid}.paths")
        if paths.status == LayerPaths.Status.PROCESSING:
            return Response(body, 202, headers={"Retry-After": WAIT})
        return Response(body)


class SliceLayerViewSet(LayerViewSet):
    says = {
        "list": "List the layers of a slice",
        "retrieve": "Get a layer of a slice",
        "paths": "Get the URL of the toolpaths of a slice",
    }
    path_name = "slice-layer-list"

    def rows(self) -> QuerySet[Slice]:
        return Slice.objects.visible_to(self.caller)


class GcodeLayerViewSet(LayerViewSet):
    says = {
        "list": "List the layers of a G-code file",
        "retrieve": "Get a layer of a G-code file",
        "paths": "Get the URL of the toolpaths of a G-code file",
    }
    path_name = "gcode-layer-list"

    def rows(self) -> QuerySet[Gcode]:
        return Gcode.objects.visible_to(self.caller)
