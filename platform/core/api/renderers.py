"""JSON answers, written by orjson."""

from decimal import Decimal
from typing import Any

import orjson
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
