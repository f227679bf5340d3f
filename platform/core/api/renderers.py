"""JSON renderer and response class (orjson)."""

import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson
from django.http import HttpResponse
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer


def plain(value: Any) -> Any:
    """What orjson does not write by itself: money as a number, lazy sentences as text."""
    return float(value) if isinstance(value, Decimal) else str(value)


def dumps(data: Any) -> bytes:
    """The data as JSON. Whole numbers beyond 64 bits, as of a column of JSON, become floats."""
    try:
        return orjson.dumps(data, default=plain)
    except TypeError:
        return orjson.dumps(_within_64_bits(data), default=plain)


def _within_64_bits(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {name: _within_64_bits(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_within_64_bits(value) for value in data]
    if type(data) is int and not -(1 << 63) <= data < 1 << 64:
        return float(data) if abs(data) <= sys.float_info.max else None
    return data


class JsonOnlyNegotiation(DefaultContentNegotiation):
    """Content negotiation that ignores Accept: every answer is JSON."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class Renderer(BaseRenderer):
    """The one renderer of the platform; datetimes carry their offset."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type=None, renderer_context=None) -> bytes:
        return b"" if data is None else dumps(data)


class Response(HttpResponse):
    """An answer in JSON, written as it is made; without `data` it has no body.

    DRF's own is a template that is rendered later, which takes as long as a statement.
    """

    def __init__(
        self, data: Any = None, status: int | None = None, headers: Mapping[str, str] | None = None
    ):
        body = Renderer().render(data)
        super().__init__(body, content_type=Renderer.media_type, status=status)
        if not body:
            del self["Content-Type"]
        for name, value in (headers or {}).items():
            self[name] = value
        self.data = data
