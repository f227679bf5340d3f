"""Light forms of models for viewers."""

from typing import Annotated, TypedDict

from apps.warehouse.models import Model, Rendition, location
from core.api.answers import ErrorAnswer, Uri

EXTENSIONS = {Rendition.Kind.PREVIEW: "glb", Rendition.Kind.THUMBNAIL: "png"}


class RenditionAnswer(TypedDict):
    """A light form of a model: begun by the first request, there after a moment."""

    status: Annotated[str, Rendition.Status]
    errors: list[ErrorAnswer] | None
    content: Uri | None


def rendition_resource(model: Model, rendition: Rendition) -> RenditionAnswer:
    """What a viewer is told: whether it is there, and where."""
    extension = EXTENSIONS[Rendition.Kind(rendition.kind)]
    return {
        "status": rendition.status,
        "errors": rendition.errors,
        "content": location(rendition.content_id, model.name, extension),
    }
