"""Views: renditions (derived files) of models."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request

from apps.warehouse.actors.renditions import FORMATS, SIZES, USUAL
from apps.warehouse.models import Rendition
from apps.warehouse.serializers.rendition import RenditionAnswer, rendition_resource
from apps.warehouse.services.renditions import find_rendition
from core.api.lists.list_queries import BadQuery
from core.api.renderers import Response
from core.api.views import ApiView, only_argument

WAIT = "1"  # seconds, until it is worth asking again
ANSWERS = {
    200: RenditionAnswer,
    202: OpenApiResponse(
        RenditionAnswer, description="Processing started; see the Retry-After header."
    ),
}
TRIANGLES = OpenApiParameter(
    "triangles", int, enum=SIZES, default=USUAL, description="Maximum number of triangles."
)
FORMAT = OpenApiParameter(
    "format",
    enum=[str(kind) for kind in FORMATS],
    required=True,
    description="File format of the response.",
)


class RenditionView(ApiView):
    """GET starts the rendition: 202 until it is ready, then 200 with its download URL."""

    kind: Rendition.Kind

    def asked_kind(self) -> Rendition.Kind:
        """What the caller wants."""
        return self.kind

    def triangles(self) -> int | None:
        """The most that the caller wants it to have; None of a picture."""
        return None

    @extend_schema(responses=ANSWERS)
    def get(self, request: Request, model: UUID) -> Response:
        of, rendition = find_rendition(
            user=self.caller, model_uuid=model, kind=self.asked_kind(), triangles=self.triangles()
        )
        body = rendition_resource(of, rendition)
        if rendition.status == Rendition.Status.PROCESSING:
            return Response(body, 202, headers={"Retry-After": WAIT})
        return Response(body)


class PreviewView(RenditionView):
    """A light mesh, as glTF binary."""

    says = {"get": "Get the URL of the preview mesh of a model"}
    kind = Rendition.Kind.PREVIEW

    def triangles(self) -> int:
        given = self.request.query_params
        if not given:
            return USUAL
        asked = only_argument(given, "triangles", of="A preview", remedy="Say how many triangles.")
        if asked not in map(str, SIZES):
            sizes = ", ".join(map(str, SIZES))
            raise BadQuery(
                f"A preview has at most so many triangles: one of {sizes}.",
                code="property-value-not-in-allowed-values",
                field="triangles",
            )
        return int(asked)

    @extend_schema(parameters=[TRIANGLES], responses=ANSWERS)
    def get(self, request: Request, model: UUID) -> Response:
        return super().get(request, model)


class ThumbnailView(RenditionView):
    """A small picture, as PNG."""

    says = {"get": "Get the URL of the thumbnail of a model"}
    kind = Rendition.Kind.THUMBNAIL


class ContentView(RenditionView):
    """The whole mesh in another format, in millimetres."""

    says = {"get": "Get the URL of a model in another format"}

    def asked_kind(self) -> Rendition.Kind:
        words = "Say in which format: ?format=3mf or ?format=glb."
        asked = only_argument(
            self.request.query_params, "format", of="A model's content", remedy=words
        )
        if asked not in FORMATS:
            code = "property-value-not-in-allowed-values"
            raise BadQuery(words, code=code, field="format")
        return Rendition.Kind(asked)

    @extend_schema(parameters=[FORMAT], responses=ANSWERS)
    def get(self, request: Request, model: UUID) -> Response:
        return super().get(request, model)
