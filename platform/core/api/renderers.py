"""JSON answers, written by orjson."""

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


class OneForm(DefaultContentNegotiation):
    """Everybody is answered in JSON, whatever they accept: there is nothing to choose."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class Renderer(BaseRenderer):
    """The one renderer of the platform; datetimes carry their offset."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type=None, renderer_context=None) -> bytes:
        return b"" if data is None else orjson.dumps(data, default=plain)


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
