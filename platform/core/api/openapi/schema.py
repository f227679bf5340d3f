"""OpenAPI 3.1 schema generation (drf-spectacular)."""

import functools
import inspect
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import orjson
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
)
from rest_framework.permissions import AllowAny

from core import VERSION
from core.api.lists.list_queries import DEFAULT_LIMIT, LARGEST_LIMIT, ListOptions
from core.api.openapi.error_responses import responses, words_for_any
from core.api.openapi.examples import show_examples
from core.api.openapi.property_descriptions import explain
from core.api.openapi.response_types import ErrorsAnswer, JsonSchema, is_answer, name_of, schema_of
from core.state_machine import Stateful, event_schemas
from core.uris import base_url

IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="At most 255 characters: for 24 hours the same key and body create once and return "
    "the same response; the same key with another body returns 422.",
)


UPLOAD = {
    "description": "Signed upload URL, valid for 24 hours without other credentials: PUT as "
    "application/octet-stream, resumable by tus 1.0 (HEAD, PATCH, DELETE with Tus-Resumable: "
    "1.0.0), or POST of a form with this one file.",
    "schema": {"type": "string", "format": "uri"},
}

# Arguments of lists without brackets.
PLAIN = {
    "queue": "true: include the queue position of queued resources.",
    "format": "Format of the list.",
}
# What the verbs do to a kind, in words; others are said by the view.
USUAL = {
    "list": "List {many}",
    "create": "Create {one}",
    "retrieve": "Get {one}",
    "update": "Update {one}",
    "destroy": "Delete {one}",
}
# How a caller is known: by the one or by the other.
SECURITY = {
    "session": {"type": "apiKey", "in": "cookie", "name": "session"},
    "apiToken": {
        "type": "http",
        "scheme": "basic",
        "description": "API token: its uuid as the user name, its secret as the password.",
    },
    "deviceToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "Token of a paired agent, valid only for the agent operations.",
    },
}


def in_words(kind: Any) -> str:
    """One of a kind, such as "an order"."""
    name = str(kind._meta.verbose_name)
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"


class Envelope:
    """The list envelope, as drf-spectacular expects it of a paginator."""

    def __init__(
        self, listing: ListOptions | None, *, by_uri: bool, model: type[Model] | None = None
    ):
        self.listing = listing  # None where the list is never longer than a page
        self.by_uri = by_uri
        self.enumerations = list(listing.enumerations(model)) if listing else []

    def get_paginated_response_schema(self, schema: JsonSchema) -> JsonSchema:
        link = {"type": ["string", "null"], "format": "uri"}
        links = {
            "self": {"type": "string", "format": "uri", "description": "URI of this page."},
            "next": {**link, "description": "URI of the next page; null on the last page."},
            "prev": {**link, "description": "URI of the previous page; null on the first page."},
        }
        meta = {
            "count": {"type": "integer", "description": "Total number of items on all pages."},
            "count_estimated": {
                "type": "boolean",
                "description": "Whether count is an estimate: above 10,000.",
            },
            "counts": {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "description": "Number of items with each value of the field that count_by names.",
            },
            "errors": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Error"},
                "description": "Resources of this page that are left out since they cannot be "
                "shown; details.uri names each.",
            },
        }
        return {
            "type": "object",
            "required": ["links", "meta", "resources"],
            "properties": {
                "links": {
                    "type": "object",
                    "required": list(links),
                    "properties": links,
                    "description": "Pagination links.",
                },
                "meta": {
                    "type": "object",
                    "required": ["count"],
                    "properties": meta,
                    "description": "Metadata of the whole list.",
                },
                "resources": {**schema, "description": "Resources of this page."},
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[JsonSchema]:
        if self.listing is None:
            return []
        whole = {"type": "integer"}
        parameters = [
            _query(
                "page[offset]", "Number of items to skip.", {**whole, "minimum": 0, "default": 0}
            ),
            _query(
                "page[limit]",
                "Maximum number of items.",
                {**whole, "minimum": 1, "maximum": LARGEST_LIMIT, "default": DEFAULT_LIMIT},
            ),
            _query("page[after]", "Cursor of a `next` link.", {"type": "string"}),
        ]
        if self.listing.sort:
            words = f"Any of {', '.join(self.listing.sort)}; prefix - for descending order."
            parameters.append(_query("sort", words))
        if self.by_uri:
            parameters.append(_query("filter[uri]", "Any of these comma-separated URIs."))
        if self.enumerations:
            about = (
                f"Adds meta.counts: the number of items with each value of "
                f"{', '.join(self.enumerations)}, whatever filter[...] says of that field."
            )
            schema = {"type": "string", "enum": self.enumerations}
            parameters.append(_query("count_by", about, schema))
        for name, column in self.listing.filters.items():
            words = "Any of these comma-separated values."
            if column.ordered:
                words += f" filter[{name}]<=x, >=, < and > compare."
            parameters.append(_query(f"filter[{name}]", words))
        parameters += [
            _query(f"search[{name}]", "Text contained in the value, case-insensitive.")
            for name in self.listing.search
        ]
        return parameters + [_query(name, self._plain_words(name)) for name in self.listing.plain]

    def _plain_words(self, name: str) -> str:
        if name in self.listing.filters:  # type: ignore[union-attr]
            return f"Same as filter[{name}]."
        return PLAIN.get(name, "Any of these comma-separated values." if "[" in name else "")


def _query(name: str, words: str, schema: JsonSchema | None = None) -> JsonSchema:
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
        return "_".join([self._action, *words]).replace("-", "_")

    def get_summary(self) -> str:
        """Return the view's summary of the action, its method's first line, or a default."""
        said = self.view.says.get(self._action) or self._own_words.partition("\n")[0].rstrip(".")
        if said:
            return said
        kind = self.view.kind
        return USUAL[self._action].format(one=in_words(kind), many=kind._meta.verbose_name_plural)

    def get_description(self) -> str:  # type: ignore[override]
        """Return the method's description; a class docstring is for readers of the code."""
        return self._own_words

    @property
    def _action(self) -> str:
        return getattr(self.view, "action", None) or self.method.lower()

    @property
    def _own_words(self) -> str:
        return inspect.cleandoc(getattr(self.view, self._action).__doc__ or "")

    def get_operation(self, *arguments: Any, **keys: Any) -> JsonSchema | None:
        operation = super().get_operation(*arguments, **keys)
        if operation is None:
            return None
        if right := self.view.takes(self._action):
            operation["x-right"] = right
        kind = getattr(self.view, "kind", None)
        if self._action == "retrieve" and isinstance(kind, type) and issubclass(kind, Stateful):
            operation["x-events"] = list(event_schemas(kind))
        return operation

    def get_auth(self) -> list[Any]:
        names = getattr(self.view, "known_by", ("session", "apiToken"))
        known: list[Any] = [{name: []} for name in names if self.view.get_authenticators()]
        anybody = any(isinstance(one, AllowAny) for one in self.view.get_permissions())
        return [*known, {}] if anybody else known

    def map_parsers(self) -> list[str]:
        """JSON alone: forms are read too, for clients that have always sent them."""
        return ["application/json"]

    def get_override_parameters(self) -> list[Any]:
        creating = getattr(self.view, "action", None) == "create"
        return [IDEMPOTENCY] if creating and self.view.repeatable else []

    def get_response_serializers(self) -> Any:
        action = getattr(self.view, "action", None)
        if action in ("update", "destroy") or self.method == "DELETE":
            return {204: OpenApiResponse(description="Success, no content.")}
        if action == "create" and self.view.created_status == 204:
            return {204: OpenApiResponse(description="Created; see the Location header.")}
        response = self.view.answer()
        return {self.view.created_status if action == "create" else 200: response}

    def _get_request_for_media_type(
        self, serializer: Any, direction: Any = "request"
    ) -> tuple[Any, bool]:
        if getattr(self.view, "action", None) == "update":
            own = self.view.serializer_class
            if serializer is own or isinstance(serializer, own):
                serializer = own(partial=True)  # only what changes is sent
        schema, required = super()._get_request_for_media_type(serializer, direction)
        return schema, required or isinstance(serializer, PolymorphicProxySerializer)

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> JsonSchema:
        schema = super()._map_basic_serializer(serializer, direction)
        schema.pop("description", None)
        return schema

    def _get_paginator(self) -> Envelope:
        listing = getattr(self.view, "listing", None)
        kind = getattr(self.view, "kind", None)
        model = kind if hasattr(kind, "_meta") else None
        return Envelope(listing, by_uri=hasattr(self.view, "kind_listed"), model=model)

    def _is_list_view(self, serializer: Any = True) -> bool:  # noqa: FBT002
        """Return whether the answer is a paginated list; an explicit schema is the whole list."""
        return serializer is not None and getattr(self.view, "action", None) == "list"

    def _get_response_for_code(
        self,
        serializer: Any,
        status_code: str,
        media_types: Any = None,
        direction: Any = "response",
    ) -> JsonSchema:
        response = serializer
        answer = response.response if isinstance(response, OpenApiResponse) else response
        if is_answer(answer):
            schema = self._schema_of_answer(answer, status_code)
            words = response.description if isinstance(response, OpenApiResponse) else ""
            response = OpenApiResponse(schema, description=words)
        return super()._get_response_for_code(response, status_code, media_types, direction)

    def _schema_of_answer(self, answer: Any, status_code: str) -> JsonSchema:
        schema = schema_of(answer, self.registry)
        if not self._is_list_view() or not status_code.startswith("2"):
            return schema
        listed = ResolvedComponent(
            f"Paginated{name_of(answer)}List",
            ResolvedComponent.SCHEMA,
            self._get_paginator().get_paginated_response_schema({"type": "array", "items": schema}),
            answer,
        )
        self.registry.register_on_missing(listed)
        return listed.ref

    def _get_response_bodies(self, direction: Any = "response") -> JsonSchema:
        bodies = super()._get_response_bodies(direction)
        errors = self._get_response_for_code(ErrorsAnswer, "default")
        repeatable = self._action == "create" and self.view.repeatable
        bodies |= responses(self.method, self.path, errors, repeatable=repeatable)
        bodies["default"] = errors | {"description": words_for_any()}
        if getattr(self.view, "action", None) == "create":
            for status in ("201", "204"):
                if status in bodies:
                    bodies[status]["headers"] = {
                        "Location": {"schema": {"type": "string", "format": "uri"}}
                    }
                    if getattr(self.view, "takes_file", False):
                        bodies[status]["headers"]["X-Upload-Location"] = UPLOAD
        return bodies


def reader(
    urlconf: str,
    service: str,
    *,
    about: str,
    webhooks: Callable[[], Mapping[str, Mapping[str, Any]]] = dict,
) -> Callable[[], Mapping[str, Any]]:
    """Return a function that returns a host's document, built on first use.

    about : purpose of the service, one sentence
    webhooks: schemas of the requests that the host sends to clients
    """

    @functools.cache
    def read() -> Mapping[str, Any]:
        return describe(urlconf, service, about) | _webhooks(webhooks())

    return read


def openapi(read: Callable[[], Mapping[str, Any]]) -> Callable[[HttpRequest], HttpResponse]:
    """The view of a host's document."""
    written = functools.cache(lambda: orjson.dumps(read()))

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(written(), content_type="application/json")

    return view


def describe(urlconf: str, service: str, about: str) -> JsonSchema:
    """The OpenAPI document of a host's paths."""
    document = _plain(SchemaGenerator(urlconf=urlconf).get_schema(request=None, public=True))
    document["info"] = {
        "title": f"Manufacturing platform: {service}",
        "description": about,
        "version": VERSION,
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }
    document["servers"] = [{"url": base_url(service)}]
    explain(document["components"]["schemas"])
    for path, verbs in document["paths"].items():
        if f"{path}events/" not in document["paths"]:  # no receiver gets these
            verbs.get("get", {}).pop("x-events", None)
    document["components"]["securitySchemes"] = SECURITY
    show_examples(document["paths"])
    return document


def _plain(schema: Any) -> Any:
    """Return a schema with one form of "or null" and of enums, without foreign keywords."""
    if isinstance(schema, list):
        return [_plain(inner) for inner in schema]
    if not isinstance(schema, dict):
        return float(schema) if isinstance(schema, Decimal) else schema
    plain = {name: _plain(inner) for name, inner in schema.items() if name != "x-spec-enum-id"}
    if isinstance(plain.get("oneOf"), list):
        # Several may be true at once: a user is described by less than a permission is.
        kinds = plain.pop("oneOf")
        if {} not in kinds:  # which is anything, null too
            plain["anyOf"] = kinds
    return plain


def _webhooks(webhooks: Mapping[str, Mapping[str, Any]]) -> JsonSchema:
    if not webhooks:
        return {}
    heard = {"2XX": {"description": "Received; any other status is retried."}}
    return {"webhooks": {name: {"post": _webhook(body, heard)} for name, body in webhooks.items()}}


def _webhook(body: Mapping[str, Any], answers: JsonSchema) -> JsonSchema:
    content = {"application/json": {"schema": body}}
    return {"requestBody": {"required": True, "content": content}, "responses": answers}
