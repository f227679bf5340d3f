"""Serializers: conversion of a file, source of a child model."""

from typing import Annotated, TypedDict

from apps.warehouse.models import Model
from apps.warehouse.queries import ModelRow
from core.api.openapi.response_types import ErrorAnswer, FreeJson, Uri


class ConversionAnswer(TypedDict):
    """The conversion of a file to its objects."""

    status: Annotated[str, "Processing, complete, error or payment-required."]
    operation: Uri | None
    models: Annotated[list[Uri], "Objects in file order that the caller may read."]
    receipt: Annotated[FreeJson | None, "Conversion receipt: objects kept, merged and omitted."]
    payment_status: Annotated[Uri | None, "Payment status if payment is required."]
    errors: list[ErrorAnswer] | None


class InstanceAnswer(TypedDict):
    """A place of an object in its file."""

    plate: Annotated[int | None, "Number of the plate in the slicer project."]
    transform: Annotated[list[list[float]], "Transform, 3 x 4: x' = R x + t, t in mm."]


class SourceAnswer(TypedDict):
    """Metadata of an object in its file."""

    file: Annotated[str | None, "Archive entry of the object."]
    object: Annotated[str | None, "ID of the object in the file."]
    name: str | None
    instances: list[InstanceAnswer]
    unit: str
    color: Annotated[str | None, "Colour, #RRGGBB or #RRGGBBAA."]
    material: str | None


def conversion_answer(model: ModelRow) -> ConversionAnswer | None:
    """The contract's conversion; without the models that the caller may not read."""
    kept = model.conversion
    if kept is None:
        return None
    readable = {Model.uri_of(key) for key in model.child_keys}
    return {
        "status": kept["status"],
        "operation": kept.get("operation"),
        "models": [uri for uri in kept.get("models", ()) if uri in readable],
        "receipt": kept.get("receipt"),
        "payment_status": kept.get("payment_status"),
        "errors": kept.get("errors"),
    }
