"""{models_url}: light forms of models, for viewers."""

from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.warehouse.models import Rendition
from apps.warehouse.serializers.rendition import RenditionAnswer, rendition_resource
from apps.warehouse.services.renditions import find_rendition
from core.api.views import ApiView

WAIT = "1"  # seconds, until it is worth asking again


class RenditionView(ApiView):
    """GET begins it where there is none: 202 until it is there, then 200 with its location."""

    kind: Rendition.Kind

    @extend_schema(
        responses={
            200: RenditionAnswer,
            202: OpenApiResponse(RenditionAnswer, description="Begun: see Retry-After."),
        }
    )
    def get(self, request: Request, model: UUID) -> Response:
        of, rendition = find_rendition(user=self.caller, model_uuid=model, kind=self.kind)
        body = rendition_resource(of, rendition)
        if rendition.status == Rendition.Status.PROCESSING:
            return Response(body, 202, headers={"Retry-After": WAIT})
        return Response(body)


class PreviewView(RenditionView):
    """A light mesh, as glTF binary."""

    kind = Rendition.Kind.PREVIEW


class ThumbnailView(RenditionView):
    """A small picture, as PNG."""

    kind = Rendition.Kind.THUMBNAIL
