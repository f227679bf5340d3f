"""Light forms of models for viewers."""

from typing import Any

from rest_framework import serializers

from apps.warehouse.models import Model, Rendition, location
from core.api.fields import Choice
from core.api.schema import ErrorSerializer

EXTENSIONS = {Rendition.Kind.PREVIEW: "glb", Rendition.Kind.THUMBNAIL: "png"}


class RenditionSerializer(serializers.Serializer):
    """A light form of a model: begun by the first request, there after a moment."""

    status = Choice(choices=Rendition.Status.choices)
    errors = ErrorSerializer(many=True, allow_null=True)  # type: ignore[assignment]
    content = serializers.URLField(allow_null=True)


def rendition_resource(model: Model, rendition: Rendition) -> dict[str, Any]:
    """What a viewer is told: whether it is there, and where."""
    extension = EXTENSIONS[Rendition.Kind(rendition.kind)]
    return {
        "status": rendition.status,
        "errors": rendition.errors,
        "content": location(rendition.content_id, model.name, extension),
    }
