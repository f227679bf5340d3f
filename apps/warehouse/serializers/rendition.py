"""Serializers: renditions."""

from typing import Annotated, TypedDict

from apps.warehouse.actors.renditions import FORMATS
from apps.warehouse.models import Model, Rendition, location
from core.api.openapi.response_types import ErrorAnswer, Uri

EXTENSIONS = {
    Rendition.Kind.PREVIEW: "glb",
    Rendition.Kind.THUMBNAIL: "png",
    **{kind: str(kind) for kind in FORMATS},
}


class RenditionAnswer(TypedDict):
    """Another form of a model: begun by the first request, there after a moment."""

    status: Annotated[str, Rendition.Status]
    errors: list[ErrorAnswer] | None
    content: Uri | None


def rendition_resource(model: Model, rendition: Rendition) -> RenditionAnswer:
    """Return the representation of a rendition: its status and download URL."""
    extension = EXTENSIONS[Rendition.Kind(rendition.kind)]
    return {
        "status": rendition.status,
        "errors": rendition.errors,
        "content": location(rendition.content_id, model.name, extension),
    }
