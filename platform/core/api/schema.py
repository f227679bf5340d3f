"""Each host's OpenAPI 3.1 document, generated from the code that answers."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from core.api.lists import DEFAULT_LIMIT, LARGEST_LIMIT, Listing
from core.uris import base_url

IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="At most 255 characters: the same key and body create once and are answered the "
    "same for 24 hours; with another body 422.",
)


class ErrorSerializer(serializers.Serializer):
    """One fault of a request."""

    code = serializers.CharField()
    title = serializers.CharField(help_text="A sentence that a person can act on.")
    field = serializers.CharField(required=False, help_text="Dotted name of the field at fault.")
    details = serializers.DictField(required=False)


class ErrorsSerializer(serializers.Serializer):
    """Every error of every service: all faults of a request together."""

    errors = ErrorSerializer(many=True)  # type: ignore[assignment]


class Envelope:
    """The list envelope, as drf-spectacular asks a paginator for it."""

    def __init__(self, listing: Listing):
        self.listing = listing

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["links", "meta", "resources"],
            "properties": {
                "links": {
                    "type": "object",
                    "properties": {"self": link, "next": link, "prev": link},
                },
                "meta": {
                    "type": "object",
                    "properties": {
                        "count": {"type": "integer"},
                        "count_estimated": {"type": "boolean"},
                    },
                },
                "resources": schema,
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        whole = {"type": "integer"}
        parameters = [
            _query("page[offset]", "How many to skip.", {**whole, "minimum": 0, "default": 0}),
            _query(
                "page[limit]",
                "How many at most.",
                {**whole, "minimum": 1, "maximum": LARGEST_LIMIT, "default": DEFAULT_LIMIT},
            ),
            _query("page[after]", "The place that a `next` link remembers.", {"type": "string"}),
        ]
        if self.listing.sort:
            words = f"Any of {', '.join(self.listing.sort)}; - turns the order round."
            parameters.append(_query("sort", words))
        for name, column in self.listing.filters.items():
            words = "One of these values, by commas."
            if column.ordered:
                words += f" filter[{name}]<=x, >=, < and > compare."
            parameters.append(_query(f"filter[{name}]", words))
        parameters += [
            _query(f"search[{name}]", "Contains this, whatever the case.")
            for name in self.listing.search
        ]
        return parameters + [_query(name, "See the documentation.") for name in self.listing.plain]


def _query(name: str, words: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "description": words,
        "schema": schema or {"type": "string"},
    }


class Schema(AutoSchema):
    """What our viewsets add to a plain view's description."""

    view: Any

    def get_tags(self) -> list[str]:
        return [self.path.strip("/").split("/")[0]]

    def get_operation_id(self) -> str:
        words = [word for word in self.path.strip("/").split("/") if not word.startswith("{")]
        verb = getattr(self.view, "action", None) or self.method.lower()
        return "_".join([verb, *words]).replace("-", "_")

    def get_override_parameters(self) -> list[Any]:
        creating = getattr(self.view, "action", None) == "create"
        return [IDEMPOTENCY] if creating and self.view.repeatable else []

    def get_response_serializers(self) -> Any:
        action = getattr(self.view, "action", None)
        if action == "create":
            status = self.view.created_status
            if status == 204:
                return {204: OpenApiResponse(description="Created: see Location.")}
            return {status: self.view.answer_class or self.view.serializer_class}
        if action in ("update", "destroy") or self.method == "DELETE":
            return {204: OpenApiResponse(description="Done.")}
        return super().get_response_serializers()

    def _get_paginator(self) -> Envelope | None:
        listing = getattr(self.view, "listing", None)
        return Envelope(listing) if listing else None

    def _is_list_view(self, serializer: Any = None) -> bool:
        return getattr(self.view, "action", None) == "list"

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies = super()._get_response_bodies(direction)
        bodies["default"] = self._get_response_for_code(ErrorsSerializer, "default")
        if getattr(self.view, "action", None) == "create":
            for status in ("201", "204"):
                if status in bodies:
                    bodies[status]["headers"] = {
                        "Location": {"schema": {"type": "string", "format": "uri"}}
                    }
        return bodies


def openapi(
    urlconf: str, service: str, *, told: Callable[[], Mapping[str, Mapping[str, Any]]] = dict
) -> Callable[[HttpRequest], HttpResponse]:
    """The view of one host's document; `told()` are the schemas of what it requests of clients."""

    @functools.cache
    def document() -> bytes:
        return orjson.dumps(_document(urlconf, service) | _webhooks(told()))

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(document(), content_type="application/json")

    return view


def _document(urlconf: str, service: str) -> dict[str, Any]:
    document = SchemaGenerator(urlconf=urlconf).get_schema(request=None, public=True)
    document["info"] = {"title": f"Manufacturing platform: {service}", "version": "1"}
    document["servers"] = [{"url": base_url(service)}]
    return document


def _webhooks(told: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    if not told:
        return {}
    heard = {"2XX": {"description": "Heard; anything else is repeated."}}
    return {"webhooks": {name: {"post": _told(body, heard)} for name, body in told.items()}}


def _told(body: Mapping[str, Any], answers: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": body}}
    return {"requestBody": {"required": True, "content": content}, "responses": answers}
